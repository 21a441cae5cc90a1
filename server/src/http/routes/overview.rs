//! The route that returns the state of a tenant in one response, as `abide top` shows it.

use std::collections::BTreeMap;

use abide_engine::base::{EventId, RunId};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::Query;
use crate::http::guard::Tenant;

/// Query parameters of the overview.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct OverviewQuery {
    /// Id of an event. The events and calls after this event are counted, too.
    after: Option<EventId>,
}

/// The state of a tenant.
#[derive(Serialize, ToSchema)]
pub(super) struct OverviewView {
    /// Current time of the engine's clock.
    #[schema(format = DateTime)]
    now: String,
    /// Number of live runs by status, without branches. This count and the others end at 10,000.
    runs: BTreeMap<String, i64>,
    /// Counts of the timers of runs.
    timers: TimersView,
    /// Number of messages on their way, by state.
    outbox: BTreeMap<String, i64>,
    /// Number of runs that are stuck (overdue).
    stuck: i64,
    /// Number of runs that the kill switch holds; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<i64>,
    /// The waiting run whose latest event is the oldest, among the 500 of each method that started first.
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest_waiting: Option<OldestWaiting>,
    /// Id of the latest event in the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_event: Option<EventId>,
    /// Counts of events and calls after the event `after` of the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<SinceView>,
}

/// Counts of the timers of runs.
#[derive(Serialize, ToSchema)]
struct TimersView {
    /// Number of runs that wait for a timer.
    set: i64,
    /// Number of runs that have been due for some seconds and that no worker has claimed.
    late: i64,
    /// Time of the earliest timer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    next_at: Option<String>,
}

/// The waiting run whose latest event is the oldest.
#[derive(Serialize, ToSchema)]
struct OldestWaiting {
    /// Id of the run.
    id: RunId,
    /// Method of the run.
    method: String,
    /// Time of the latest event of the run.
    #[schema(format = DateTime)]
    since: String,
}

/// Counts of events and calls after a given event.
#[derive(Serialize, ToSchema)]
struct SinceView {
    /// Number of events.
    events: i64,
    /// Number of finished calls among these events.
    calls: i64,
}

/// Returns the state of the tenant.
#[utoipa::path(
    get, path = "/v1/overview", tag = "runs", operation_id = "get_overview",
    params(OverviewQuery),
    responses((status = 200, body = OverviewView, description = "The state of the tenant.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor"])))
)]
pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(query): Query<OverviewQuery>,
) -> ApiResult<OverviewView> {
    let seen = app.engine.overview(&tenant, query.after).await?;
    let next_at = seen.next_at.map(|at| at.to_string());
    let view = OverviewView {
        now: app.engine.now().to_string(),
        runs: seen.runs,
        timers: TimersView { set: seen.timers, late: seen.late, next_at },
        outbox: seen.outbox,
        stuck: seen.stuck,
        held: Some(seen.held).filter(|held| *held > 0),
        oldest_waiting: seen.oldest.map(|(id, method, since)| OldestWaiting {
            id,
            method,
            since: since.to_string(),
        }),
        last_event: seen.last,
        since: seen.since.map(|(events, calls)| SinceView { events, calls }),
    };
    Ok((StatusCode::OK, Json(view)))
}
