//! Routes of inbound and outbound messages.

use abide_engine::base::time::BadTime;
use abide_engine::base::{RequestId, RunId, Timestamp};
use abide_engine::facade::{Direction, InboundMessage, MessageFilter, MessageView, Page, Received};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Query, phone_in_query};
use crate::http::guard::Tenant;
use crate::http::page::Paging;
use crate::problem::ProblemDocument;

/// Query parameters of the list of messages.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// List only messages to this phone number.
    to: Option<String>,
    /// List only messages from this phone number.
    from: Option<String>,
    /// List only messages of this request.
    request_id: Option<RequestId>,
    /// List only messages of this run.
    run_id: Option<RunId>,
    /// List only messages in this direction.
    #[param(value_type = Option<Direction>, inline)]
    direction: Option<String>,
    #[serde(flatten)]
    #[param(ignore)]
    paging: Paging,
}

/// Lists messages, newest first.
#[utoipa::path(
    get, path = "/v1/messages", tag = "messages", operation_id = "list_messages",
    params(ListQuery, Paging),
    responses((status = 200, body = Page<MessageView>, description = "A page of messages.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor", "invalid_direction"])))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(query): Query<ListQuery>,
) -> ApiResult<Page<MessageView>> {
    let parse = |given: &str| {
        Direction::parse(given).ok_or_else(|| {
            let detail = format!("`{given}` is no direction");
            ProblemDocument::new(422, "invalid_direction", detail)
                .with_hint("it is `inbound` or `outbound`")
        })
    };
    let direction = query.direction.as_deref().map(parse).transpose()?;
    let filter = MessageFilter {
        to: query.to.map(phone_in_query),
        from: query.from.map(phone_in_query),
        request: query.request_id,
        run: query.run_id,
        direction,
        before: query.paging.after()?,
        limit: query.paging.limit,
    };
    Ok((StatusCode::OK, Json(app.engine.messages(&tenant, &filter).await?)))
}

/// An inbound message, as any gateway delivers it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewInboundMessage {
    /// The gateway's id of the message. A second message with the same id is a duplicate.
    id: String,
    /// Phone number of the sender, in E.164 format.
    from: String,
    /// Phone number that received the message, in E.164 format.
    to: String,
    /// Content of the message.
    body: String,
    /// Time at which the gateway received the message. Default: now. A time in the future counts as now.
    #[schema(format = DateTime)]
    received_at: Option<String>,
}

/// Receives a message.
///
/// The message is stored before the route answers. The answer waits up to two seconds until it is applied; if
/// many messages arrive at once, it does not wait.
#[utoipa::path(
    post, path = "/v1/messages/inbound", tag = "messages", operation_id = "receive_message",
    request_body = NewInboundMessage,
    responses((status = 200, body = Received, description = "How the message was handled.")),
    extensions(("x-problem-codes" = json!(["message_invalid", "unknown_tenant"])))
)]
pub(super) async fn receive(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Body(message): Body<NewInboundMessage>,
) -> ApiResult<Received> {
    let received_at: Option<Timestamp> = message
        .received_at
        .as_deref()
        .map(str::parse)
        .transpose()
        .map_err(|e: BadTime| ProblemDocument::schema(format!("`received_at`: {e}")))?;
    let NewInboundMessage { id, from, to, body, .. } = message;
    let message = InboundMessage { id, from, to, body, received_at };
    Ok((StatusCode::OK, Json(app.engine.receive(&tenant, message).await?)))
}
