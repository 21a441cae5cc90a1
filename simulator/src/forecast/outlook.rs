//! Plays a copy of a live run forward and reports what will happen.

use abide_engine::base::{Problem, RunId, Timestamp};
use futures_util::future::LocalBoxFuture;
use serde::Serialize;

use crate::play::{ForecastText, PlayOptions, RunSnapshot, play};
use crate::report::SimulationReport;
use crate::scenario::Scenario;

/// The predicted course of a live run, given a model of how people answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    /// The id of the run that was copied.
    pub run_id: RunId,
    /// The name of the run's method.
    pub method: String,
    /// The run's status at the instant of the copy.
    pub status: String,
    /// The instant at which the run was copied and the forecast starts.
    pub from: Timestamp,
    /// The messages that will be sent, in the order in which they are sent.
    pub texts: Vec<ForecastText>,
    /// The report of the simulation, which starts at the instant of the copy.
    #[serde(flatten)]
    pub report: SimulationReport,
}

/// Plays the copied run forward. Stops when the run has ended and no message waits to be sent,
/// at the latest when the scenario ends.
///
/// # Errors
/// Returns the errors of [`crate::play::simulate`].
pub fn forecast<'a>(
    snapshot: &'a RunSnapshot,
    scenario: &'a Scenario,
    options: &'a PlayOptions<'a>,
) -> LocalBoxFuture<'a, Result<Forecast, Problem>> {
    Box::pin(async move {
        let options = PlayOptions { snapshot: Some(snapshot), ..options.clone() };
        let (report, texts) = play(scenario, &options).await?;
        Ok(Forecast {
            run_id: snapshot.run,
            method: snapshot.method.clone(),
            status: snapshot.status.clone(),
            from: snapshot.at,
            texts,
            report,
        })
    })
}
