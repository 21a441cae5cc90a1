//! The stream of events: each event is sent to the client as soon as it is committed.

use std::convert::Infallible;
use std::sync::LazyLock;
use std::time::Duration;

use abide_engine::base::{EventId, RunId, StreamId, Value};
use abide_engine::facade::{Engine, EventFilter};
use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Interval;
use utoipa::IntoParams;

use super::events::EventView;
use crate::http::App;
use crate::http::access::{Redaction, ShowPii, redact};
use crate::http::extract::Query;
use crate::http::guard::Tenant;
use crate::problem::ProblemDocument;

/// Maximum number of streams that a process serves at a time: each looks for new events by itself.
const STREAMS_MAX: usize = 256;
/// How often a stream looks for new events. A person who watches notices no delay.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);
/// After this time without an event, a comment is sent, so that nothing on the way closes the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Maximum number of events that are read at a time.
const PAGE: usize = 100;
/// The header with which a client continues after the last event that it got.
const LAST_EVENT_ID: &str = "last-event-id";

static STREAMS: LazyLock<std::sync::Arc<Semaphore>> =
    LazyLock::new(|| std::sync::Arc::new(Semaphore::new(STREAMS_MAX)));

/// Query parameters of the stream.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct StreamQuery {
    /// Send only events about this run, from its first event on: those of its own stream, and those of other streams
    /// that name it.
    run_id: Option<RunId>,
    /// Send only what one message or one API request set going, from its first event on.
    #[param(pattern = "^cor_[0-9a-f]{32}$")]
    correlation_id: Option<abide_engine::base::CorrelationId>,
    /// Send the events after the event with this id. The header `Last-Event-ID` takes precedence.
    after: Option<EventId>,
}

/// Streams events as they happen (server-sent events).
///
/// Each event is an object as in `GET /v1/events`, with its id as `id`. A client that sends the last id as
/// `Last-Event-ID` continues after it, and misses nothing. Without it, a stream of a run or of a correlation begins with
/// its first event, and any other stream with the next event. Phone numbers and texts of people are redacted, unless
/// `show_pii` asks for them.
#[utoipa::path(
    get, path = "/v1/events/stream", tag = "events", operation_id = "stream_events",
    params(StreamQuery, ShowPii,
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that the client got.")),
    responses((status = 200, body = EventView, content_type = "text/event-stream", description = "The events.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor", "too_many_streams"])))
)]
pub(super) async fn stream(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Extension(redaction): Extension<Redaction>,
    headers: HeaderMap,
    Query(query): Query<StreamQuery>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ProblemDocument> {
    let permit = STREAMS.clone().try_acquire_owned().map_err(|_| {
        let detail = format!("{STREAMS_MAX} streams are open already");
        ProblemDocument::new(503, "too_many_streams", detail)
            .with_hint("close a stream, or read `GET /v1/events`")
    })?;
    let after = match headers.get(LAST_EVENT_ID) {
        Some(id) => Some(last_event(id)?),
        None => query.after,
    };
    let filter = EventFilter {
        after,
        about: query.run_id.map(StreamId::from),
        correlation: query.correlation_id,
        since: None,
        limit: PAGE,
    };
    let mut watcher = Watcher {
        engine: app.engine.clone(),
        tenant: tenant.to_string(),
        filter,
        redaction,
        stopping: app.stopping.clone(),
        looks: tokio::time::interval(LOOK_INTERVAL),
        ready: Vec::new(),
        _permit: permit,
    };
    watcher.find_start().await?;
    watcher.look().await?; // an unknown id is a problem document, not an empty stream
    let events = stream::unfold(watcher, |mut watcher| async {
        let event = watcher.next().await?;
        Some((Ok(event), watcher))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

fn last_event(id: &axum::http::HeaderValue) -> Result<EventId, ProblemDocument> {
    let id = id.to_str().ok().and_then(|id| id.trim().parse().ok());
    id.ok_or_else(|| ProblemDocument::invalid_cursor("`Last-Event-ID` is not the id of an event"))
}

/// Looks for the events that one client has not got yet.
struct Watcher {
    engine: Engine,
    tenant: String,
    filter: EventFilter,
    redaction: Redaction,
    stopping: watch::Receiver<bool>,
    looks: Interval,
    /// Events that are read, the last first.
    ready: Vec<Value>,
    _permit: OwnedSemaphorePermit,
}

impl Watcher {
    /// A stream of everything begins after the last event that there is.
    async fn find_start(&mut self) -> Result<(), ProblemDocument> {
        let EventFilter { after, about, correlation, .. } = self.filter;
        if after.is_none() && about.is_none() && correlation.is_none() {
            let last = self.engine.tenant_events(&self.tenant, None, 1).await?;
            self.filter.after = last.items.first().map(|event| event.id);
        }
        Ok(())
    }

    /// Reads the next events.
    async fn look(&mut self) -> Result<(), ProblemDocument> {
        let page = self.engine.event_log(&self.tenant, self.filter).await?;
        if let Some(last) = page.items.last() {
            self.filter.after = Some(last.id);
        }
        let events = page.items.into_iter().map(|row| serde_json::to_value(EventView::from(row)));
        self.ready = events.filter_map(Result::ok).collect();
        self.ready.reverse();
        Ok(())
    }

    /// Returns the next event; `None` if the process stops or the database fails. The client then connects again.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(mut event) = self.ready.pop() {
                if self.redaction == Redaction::Redacted {
                    redact(&mut event);
                }
                let id = event["id"].as_str().unwrap_or_default().to_owned();
                let kind = event["kind"].as_str().unwrap_or_default().to_owned();
                return Some(Event::default().id(id).event(kind).data(event.to_string()));
            }
            tokio::select! {
                _ = self.stopping.wait_for(|stop| *stop) => return None,
                _ = self.looks.tick() => {}
            }
            self.look().await.ok()?;
        }
    }
}
