//! The state of a tenant in one answer: what `abide top` shows.

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

/// Parameters of the overview.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct OverviewQuery {
    /// Also count the events and calls after this event.
    after: Option<EventId>,
}

/// The state of a tenant.
#[derive(Serialize, ToSchema)]
pub(super) struct OverviewView {
    /// Time of the engine's clock.
    #[schema(format = DateTime)]
    now: String,
    /// Number of live runs by status.
    runs: BTreeMap<String, i64>,
    /// Timers of runs.
    timers: TimersView,
    /// Number of unfinished messages by state.
    outbox: BTreeMap<String, i64>,
    /// Number of runs that have not moved on in time.
    stuck: i64,
    /// Number of runs that the kill switch holds; absent if none.
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<i64>,
    /// The run that has waited the longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest_waiting: Option<OldestWaiting>,
    /// The last event of the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_event: Option<EventId>,
    /// What happened after the event of the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<SinceView>,
}

/// Timers of runs.
#[derive(Serialize, ToSchema)]
struct TimersView {
    /// Number of runs that wait for an instant.
    set: i64,
    /// Number of runs that are due and that no worker has taken.
    late: i64,
    /// The earliest instant that a run waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    next_at: Option<String>,
}

/// The run that has waited the longest.
#[derive(Serialize, ToSchema)]
struct OldestWaiting {
    /// The run.
    id: RunId,
    /// Its method.
    method: String,
    /// When it last moved.
    #[schema(format = DateTime)]
    since: String,
}

/// What happened after an event.
#[derive(Serialize, ToSchema)]
struct SinceView {
    /// Number of events.
    events: i64,
    /// Number of finished calls among them.
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
