//! The reports: figures that the database computes from the rows of the trade.

mod days;
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
    async fn figures(
        self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        input: &Value,
    ) -> Result<Value, Problem> {
        match self {
            Self::Pipeline => pipeline::figures(tx, cx, input).await,
            Self::Revenue => revenue::figures(tx, cx, input).await,
            Self::JobsDue => jobs_due::figures(tx, cx, input).await,
            Self::FollowUps => follow_ups::figures(tx, cx, input).await,
        }
    }
}

#[async_trait]
impl WriteVerb for Report {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        input: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        Ok(VerbOutcome::done(self.figures(tx, cx, input).await?, Effects::default()))
    }
}

/// Returns the figures of all reports, each with the defaults of its input.
pub(super) async fn all_figures(tx: &mut Tx, cx: &CallContext<'_>) -> Result<Value, Problem> {
    let defaults = json!({});
    Ok(json!({
        "pipeline": Report::Pipeline.figures(tx, cx, &defaults).await?,
        "revenue": Report::Revenue.figures(tx, cx, &defaults).await?,
        "jobs_due": Report::JobsDue.figures(tx, cx, &defaults).await?,
        "follow_ups": Report::FollowUps.figures(tx, cx, &defaults).await?,
    }))
}
