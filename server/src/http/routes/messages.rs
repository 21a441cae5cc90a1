//! Messages, in and out.

use abide_engine::base::{RequestId, RunId, Timestamp};
use abide_engine::facade::{InboundMessage, MessageFilter, MessageView, Page, Received};
use axum::Json;
use axum::extract::State;
use serde::Deserialize;

use crate::http::App;
use crate::http::extract::{Body, Query, phone};
use crate::http::guard::Tenant;
use crate::http::page::Paging;
use crate::problem::ProblemDocument;

/// Which messages are wanted.
#[derive(Deserialize)]
pub(super) struct Wanted {
    to: Option<String>,
    from: Option<String>,
    request_id: Option<RequestId>,
    run_id: Option<RunId>,
    direction: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Page<MessageView>>, ProblemDocument> {
    if let Some(way) =
        wanted.direction.as_deref().filter(|way| !["inbound", "outbound"].contains(way))
    {
        let detail = format!("`{way}` is no direction");
        return Err(ProblemDocument::new(422, "invalid_direction", detail)
            .with_hint("it is `inbound` or `outbound`"));
    }
    let filter = MessageFilter {
        to: wanted.to.map(phone),
        from: wanted.from.map(phone),
        request: wanted.request_id,
        run: wanted.run_id,
        direction: wanted.direction,
        before: wanted.paging.after()?,
        limit: wanted.paging.limit,
    };
    Ok(Json(app.engine.messages(&tenant, &filter).await?))
}

/// A message as any gateway delivers it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Inbound {
    id: String,
    from: String,
    to: String,
    body: String,
    received_at: Option<String>,
}

/// Stored for good before it is answered; `id` deduplicates.
pub(super) async fn receive(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Body(inbound): Body<Inbound>,
) -> Result<Json<Received>, ProblemDocument> {
    let received_at: Option<Timestamp> = match inbound.received_at.as_deref().map(str::parse) {
        None => None,
        Some(Ok(at)) => Some(at),
        Some(Err(e)) => {
            let e: abide_engine::base::time::BadTime = e;
            return Err(ProblemDocument::new(422, "schema", format!("`received_at`: {e}")));
        }
    };
    let Inbound { id, from, to, body, .. } = inbound;
    let message = InboundMessage { id, from, to, body, received_at };
    Ok(Json(app.engine.receive(&tenant, message).await?))
}
