//! The event log and its audit.

use abide_engine::base::time::BadTime;
use abide_engine::base::{CallId, EventId, RequestId, RunId, StreamId, Value};
use abide_engine::facade::{AuditReport, EventFilter, Page};
use abide_engine::ledger::ReceiptStatus;
use abide_engine::store::LedgerRow;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::Query;
use crate::http::guard::Tenant;
use crate::http::page::Paging;
use crate::problem::ProblemDocument;

/// An event of the log.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct EventView {
    /// Id of the event.
    id: EventId,
    /// The stream that it belongs to: a run, a request or a tenant.
    stream: StreamId,
    /// Its number in the stream, from 1.
    seq: i64,
    /// When it happened.
    #[schema(format = DateTime)]
    at: String,
    /// What happened, such as `run.started` or `receipt`.
    kind: String,
    /// The run that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<RunId>,
    /// The call that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    call_id: Option<CallId>,
    /// The verb of a receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// The status of a receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ReceiptStatus>)]
    status: Option<String>,
    /// Details; the members depend on `kind`.
    body: Value,
    /// Hash that chains the event to the one before it in the stream.
    hash: String,
}

impl From<LedgerRow> for EventView {
    fn from(row: LedgerRow) -> Self {
        Self {
            id: row.id,
            stream: row.stream,
            seq: row.seq,
            at: row.at.to_string(),
            kind: row.kind.to_string(),
            run_id: row.run,
            call_id: row.call,
            tool: row.tool,
            status: row.status,
            body: row.body,
            hash: row.hash.to_string(),
        }
    }
}

/// Converts a page of rows to a page of views.
pub(in crate::http) fn to_views(page: Page<LedgerRow>) -> Page<EventView> {
    let items = page.items.into_iter().map(EventView::from).collect();
    Page { items, next_cursor: page.next_cursor }
}

/// Parses a cursor into a stream: the number of the last event of the previous page.
pub(in crate::http) fn seq_after(cursor: Option<&str>) -> Result<i64, ProblemDocument> {
    let seq = cursor.map(str::parse).transpose();
    Ok(seq
        .map_err(|_| ProblemDocument::invalid_cursor("the cursor is no place in a stream"))?
        .unwrap_or(0))
}

/// Parameters of the list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// Only events of this run's stream.
    run_id: Option<RunId>,
    /// Only events of one stream: the id of a run, of a request or of the stream.
    #[param(pattern = "^(run|req|str)_[0-9a-f]{32}$")]
    correlation_id: Option<String>,
    /// Only events at this instant or later.
    #[param(format = DateTime)]
    since: Option<String>,
    /// Only events after this one. A `cursor` takes precedence.
    after: Option<EventId>,
    #[serde(flatten)]
    #[param(ignore)]
    paging: Paging,
}

/// Lists events of all streams, oldest first.
#[utoipa::path(
    get, path = "/v1/events", tag = "events", operation_id = "list_events",
    params(ListQuery, Paging),
    responses((status = 200, body = Page<EventView>, description = "A page of events.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor"])))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(query): Query<ListQuery>,
) -> ApiResult<Page<EventView>> {
    let invalid_since = |e: BadTime| ProblemDocument::schema(format!("`since`: {e}"));
    let filter = EventFilter {
        after: query.paging.after()?.or(query.after),
        about: match (query.run_id, query.correlation_id.as_deref()) {
            (Some(run), _) => Some(run.into()),
            (None, Some(id)) => Some(parse_stream(id)?),
            (None, None) => None,
        },
        since: query.since.as_deref().map(str::parse).transpose().map_err(invalid_since)?,
        limit: query.paging.limit,
    };
    Ok((StatusCode::OK, Json(to_views(app.engine.event_log(&tenant, filter).await?))))
}

/// Parses the id of a stream, or of a run or a request for its stream.
fn parse_stream(id: &str) -> Result<StreamId, ProblemDocument> {
    let run = id.parse::<RunId>().map(StreamId::from);
    let request = |_| id.parse::<RequestId>().map(StreamId::from);
    run.or_else(request).or_else(|_| id.parse::<StreamId>()).map_err(|_| {
        let shown: String = id.chars().take(60).collect();
        let detail = format!("`{shown}` is the id of neither a run, a request nor a stream");
        ProblemDocument::schema(detail)
    })
}

/// Audits the whole database.
///
/// Checks the hash chains, the receipts and the tables against the events.
#[utoipa::path(
    get, path = "/v1/audit", tag = "events", operation_id = "audit",
    responses((status = 200, body = AuditReport, description = "The rules that do not hold."))
)]
pub(super) async fn audit(State(app): State<App>) -> ApiResult<AuditReport> {
    Ok((StatusCode::OK, Json(app.engine.audit().await?)))
}
