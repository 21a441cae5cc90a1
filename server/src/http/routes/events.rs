//! Routes of the event log and of the audit.

use abide_engine::base::time::BadTime;
use abide_engine::base::{CallId, CorrelationId, EventId, RequestId, RunId, StreamId, Value};
use abide_engine::facade::{AuditReport, AuditScope, EventFilter, Page};
use abide_engine::ledger::ReceiptStatus;
use abide_engine::store::LedgerRow;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::App;
use crate::http::access::ShowPii;
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
    /// Stream of the event: a run, a request or a tenant.
    stream: StreamId,
    /// Number of the event in its stream, from 1.
    seq: i64,
    /// Time of the event.
    #[schema(format = DateTime)]
    at: String,
    /// Kind of the event, such as `run.started` or `receipt`.
    kind: String,
    /// Run that the event is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<RunId>,
    /// What set the event going: the id of the correlation that began with a message or with a request to the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation_id: Option<CorrelationId>,
    /// Call that the event is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    call_id: Option<CallId>,
    /// Verb of the call, if the event is a receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// Status of the call, if the event is a receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ReceiptStatus>)]
    status: Option<String>,
    /// Details of the event; the members depend on `kind`.
    body: Value,
    /// Hash that chains the event to the previous event in the stream.
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
            correlation_id: row.correlation,
            call_id: row.call,
            tool: row.tool,
            status: row.status,
            body: row.body,
            hash: row.hash.to_string(),
        }
    }
}

/// Converts a page of ledger rows to a page of event views.
pub(in crate::http) fn to_views(page: Page<LedgerRow>) -> Page<EventView> {
    let items = page.items.into_iter().map(EventView::from).collect();
    Page { items, next_cursor: page.next_cursor }
}

/// Parses the cursor of a stream: the number of the last event on the previous page.
/// Without a cursor, returns 0, which precedes the first event.
pub(in crate::http) fn seq_after(cursor: Option<&str>) -> Result<i64, ProblemDocument> {
    let seq = cursor.map(str::parse).transpose();
    Ok(seq
        .map_err(|_| ProblemDocument::invalid_cursor("the cursor is no place in a stream"))?
        .unwrap_or(0))
}

/// Query parameters of the list of events.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// List only events about this run: those of its own stream, and those of other streams that name it.
    run_id: Option<RunId>,
    /// List only what one message or one API request set going: the id of the correlation, or of the message that
    /// began it. The id of a run, of a request or of a stream selects the events of that stream alone.
    #[param(pattern = "^(cor|msg|run|req|str)_[0-9a-f]{32}$")]
    correlation_id: Option<String>,
    /// List only events at this time or later.
    #[param(format = DateTime)]
    since: Option<String>,
    /// List only events after the event with this id. A `cursor` takes precedence.
    after: Option<EventId>,
    #[serde(flatten)]
    #[param(ignore)]
    paging: Paging,
}

/// Lists events of all streams, oldest first.
///
/// Phone numbers and texts of people are redacted, unless `show_pii` asks for them.
#[utoipa::path(
    get, path = "/v1/events", tag = "events", operation_id = "list_events",
    params(ListQuery, Paging, ShowPii),
    responses((status = 200, body = Page<EventView>, description = "A page of events.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor"])))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(query): Query<ListQuery>,
) -> ApiResult<Page<EventView>> {
    let invalid_since = |e: BadTime| ProblemDocument::schema(format!("`since`: {e}"));
    let mut filter = EventFilter {
        after: query.paging.after()?.or(query.after),
        about: query.run_id.map(StreamId::from),
        correlation: None,
        since: query.since.as_deref().map(str::parse).transpose().map_err(invalid_since)?,
        limit: query.paging.limit,
    };
    if let (None, Some(id)) = (query.run_id, query.correlation_id.as_deref()) {
        if let Ok(correlation) = id.parse() {
            filter.correlation = Some(correlation);
        } else if let Ok(message) = id.parse() {
            filter.correlation = Some(app.engine.correlation_of(&tenant, message).await?);
        } else {
            filter.about = Some(parse_stream(id)?);
        }
    }
    Ok((StatusCode::OK, Json(to_views(app.engine.event_log(&tenant, filter).await?))))
}

/// Parses the id of a stream. The id of a run or of a request selects the stream of that run or request.
fn parse_stream(id: &str) -> Result<StreamId, ProblemDocument> {
    let run = id.parse::<RunId>().map(StreamId::from);
    let request = |_| id.parse::<RequestId>().map(StreamId::from);
    run.or_else(request).or_else(|_| id.parse::<StreamId>()).map_err(|_| {
        let shown: String = id.chars().take(60).collect();
        let detail = format!(
            "`{shown}` is the id of neither a correlation, a message, a run, a request nor a stream"
        );
        ProblemDocument::schema(detail)
    })
}

/// Query parameters of the audit.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct AuditQuery {
    /// What is checked; by default everything. `since_seal` checks the streams that have changed since the last clean
    /// audit, `resume` what the last audit has not checked yet.
    scope: Option<AuditScope>,
    /// About how many streams are checked before the route answers. The answer then has the member `unfinished`, and a
    /// request with `scope=resume` goes on. By default, the route answers when everything is checked.
    streams: Option<u64>,
}

/// Audits the whole database and its archives.
///
/// Checks the hash chains, the receipts and the tables against the events. A clean audit leaves a seal.
#[utoipa::path(
    get, path = "/v1/audit", tag = "events", operation_id = "audit",
    params(AuditQuery),
    responses((status = 200, body = AuditReport, description = "The rules that do not hold.")),
    extensions(("x-problem-codes" = json!(["archive_unreadable"])))
)]
pub(super) async fn audit(
    State(app): State<App>,
    Query(query): Query<AuditQuery>,
) -> ApiResult<AuditReport> {
    let scope = query.scope.unwrap_or(AuditScope::Everything);
    let streams = query.streams.unwrap_or(u64::MAX);
    Ok((StatusCode::OK, Json(app.engine.audit_part(scope, streams).await?)))
}
