//! The event log, and the audit over it.

use abide_engine::base::{CallId, EventId, RequestId, RunId, StreamId, Value};
use abide_engine::facade::{AuditReport, EventFilter, Page};
use abide_engine::store::LedgerRow;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use crate::http::App;
use crate::http::extract::Query;
use crate::http::guard::Tenant;
use crate::http::page::Paging;
use crate::problem::ProblemDocument;

/// An event as it is shown.
#[derive(Debug, Serialize)]
pub(super) struct EventView {
    id: EventId,
    stream: StreamId,
    seq: i64,
    at: String,
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<RunId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_id: Option<CallId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    body: Value,
    hash: String,
}

impl From<LedgerRow> for EventView {
    fn from(row: LedgerRow) -> Self {
        Self {
            id: row.id,
            stream: row.stream,
            seq: row.seq,
            at: row.at.to_string(),
            kind: row.kind,
            run_id: row.run,
            call_id: row.call,
            tool: row.tool,
            status: row.status,
            body: row.body,
            hash: row.hash.to_string(),
        }
    }
}

/// A page of events as they are shown.
pub(super) fn shown(page: Page<LedgerRow>) -> Page<EventView> {
    let items = page.items.into_iter().map(EventView::from).collect();
    Page { items, next_cursor: page.next_cursor }
}

/// The place in a stream that a cursor names.
pub(super) fn seq(cursor: Option<&str>) -> Result<i64, ProblemDocument> {
    let seq = cursor.map(str::parse).transpose();
    Ok(seq
        .map_err(|_| {
            ProblemDocument::new(422, "invalid_cursor", "the cursor is no place in a stream")
                .with_hint("give `next_cursor` of the page before, as it was")
        })?
        .unwrap_or(0))
}

/// Which events are wanted.
#[derive(Deserialize)]
pub(super) struct Wanted {
    run_id: Option<RunId>,
    correlation_id: Option<String>,
    since: Option<String>,
    after: Option<EventId>,
    #[serde(flatten)]
    paging: Paging,
}

/// Events of all streams, oldest first. `correlation_id` is the id of a run or of a request, or
/// the stream of an event.
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Page<EventView>>, ProblemDocument> {
    let unfit = |e: abide_engine::base::time::BadTime| {
        ProblemDocument::new(422, "schema", format!("`since`: {e}"))
    };
    let filter = EventFilter {
        after: wanted.paging.after()?.or(wanted.after),
        about: match (wanted.run_id, wanted.correlation_id.as_deref()) {
            (Some(run), _) => Some(run.into()),
            (None, Some(id)) => Some(stream(id)?),
            (None, None) => None,
        },
        since: wanted.since.as_deref().map(str::parse).transpose().map_err(unfit)?,
        limit: wanted.paging.limit,
    };
    Ok(Json(shown(app.engine.event_log(&tenant, filter).await?)))
}

fn stream(id: &str) -> Result<StreamId, ProblemDocument> {
    let run = id.parse::<RunId>().map(StreamId::from);
    let request = |_| id.parse::<RequestId>().map(StreamId::from);
    run.or_else(request).or_else(|_| id.parse::<StreamId>()).map_err(|_| {
        let shown: String = id.chars().take(60).collect();
        let detail = format!("`{shown}` is the id of neither a run, a request nor a stream");
        ProblemDocument::new(422, "schema", detail)
    })
}

/// Everything that must hold, looked at now.
pub(super) async fn audit(State(app): State<App>) -> Result<Json<AuditReport>, ProblemDocument> {
    Ok(Json(app.engine.audit().await?))
}
