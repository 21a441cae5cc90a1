//! The reports: figures that the database computes from the rows of the trade.

mod follow_ups;
mod jobs_due;
mod month;
mod pipeline;
mod revenue;

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::input::Input;

/// Number of rows of a list in a report, if the call gives no limit.
const ROWS_DEFAULT: i64 = 50;
/// Maximum number of rows of a list in a report: a receipt and a variable hold all of them.
const ROWS_MAX: i64 = 200;
/// Number of days that a report covers, if the call gives none.
const DAYS_DEFAULT: i64 = 7;
/// Maximum number of days that a report covers.
const DAYS_MAX: i64 = 365;

/// A tool that returns a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Report {
    /// `report.pipeline`
    Pipeline,
    /// `report.revenue`
    Revenue,
    /// `report.jobs_due`
    JobsDue,
    /// `report.follow_ups`
    FollowUps,
}

impl Report {
    async fn figures(self, tx: &mut Tx, input: &Input<'_>) -> Result<Value, Problem> {
        match self {
            Self::Pipeline => pipeline::figures(tx, input).await,
            Self::Revenue => revenue::figures(tx, input).await,
            Self::JobsDue => jobs_due::figures(tx, input).await,
            Self::FollowUps => follow_ups::figures(tx, input).await,
        }
    }
}

#[async_trait]
impl WriteVerb for Report {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        Ok(VerbOutcome::done(self.figures(tx, &Input::of(cx, args)).await?, Effects::default()))
    }
}

/// Returns the number of days that a report covers.
fn days(input: &Input<'_>) -> Result<i64, Problem> {
    Ok(input.whole("days")?.unwrap_or(DAYS_DEFAULT).clamp(1, DAYS_MAX))
}

/// Returns the figures of all reports, each with the defaults of its input.
pub(super) async fn all_figures(tx: &mut Tx, input: &Input<'_>) -> Result<Value, Problem> {
    let defaults = input.emptied();
    Ok(json!({
        "pipeline": Report::Pipeline.figures(tx, &defaults).await?,
        "revenue": Report::Revenue.figures(tx, &defaults).await?,
        "jobs_due": Report::JobsDue.figures(tx, &defaults).await?,
        "follow_ups": Report::FollowUps.figures(tx, &defaults).await?,
    }))
}
