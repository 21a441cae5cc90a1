//! What comes of a copy.

use abide_engine::base::{Problem, RunId, Timestamp};
use serde::Serialize;

use super::Live;
use crate::play::{Options, play};
use crate::report::Report;
use crate::scenario::Scenario;

/// A text that will be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outgoing {
    /// When.
    pub at: Timestamp,
    /// To which number.
    pub to: String,
    /// Of which template.
    pub kind: String,
    /// What it says.
    pub body: String,
}

/// What will happen to a live run if people behave so.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    /// The run that was copied.
    pub run_id: RunId,
    /// Its method.
    pub method: String,
    /// Where it was in its life.
    pub status: String,
    /// The instant of the copy.
    pub from: Timestamp,
    /// The texts to come, in order.
    pub texts: Vec<Outgoing>,
    /// The story from there on.
    #[serde(flatten)]
    pub report: Report,
}

/// Plays the copy once, to its run's end or to the end of the scenario.
///
/// # Errors
/// Where it cannot be played at all.
pub async fn forecast(
    live: &Live,
    scenario: &Scenario,
    options: &Options<'_>,
) -> Result<Forecast, Problem> {
    let options = Options { live: Some(live), ..options.clone() };
    let (report, texts) = play(scenario, &options).await?;
    Ok(Forecast {
        run_id: live.run,
        method: live.method.clone(),
        status: live.status.clone(),
        from: live.at,
        texts,
        report,
    })
}
