//! Routes of the inbox of staff.

use abide_engine::base::MessageId;
use abide_engine::facade::Page;
use abide_verbs::api::TenantContext;
use abide_verbs::api::inbox::{self, InboxQuery, InboxView, NewAnswer, NewAssignee, ThreadChange};
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Id, Query};
use crate::http::guard::{Identity, Tenant};
use crate::http::idempotency::{IdempotencyKey, KeyedTenant};
use crate::http::page::Paging;

/// State of the inbox messages to list.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "the domain reads the text; this is its description")]
enum InboxFilter {
    Open,
    Closed,
    All,
}

/// Query parameters of the list of inbox messages.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// List only messages in this state. Default: `open`.
    #[param(value_type = Option<InboxFilter>, inline)]
    state: Option<String>,
    #[serde(flatten)]
    #[param(ignore)]
    paging: Paging,
}

/// Lists the messages that wait for a person, newest first.
#[utoipa::path(
    get, path = "/v1/inbox", tag = "messages", operation_id = "list_inbox",
    params(ListQuery, Paging),
    responses((status = 200, body = Page<InboxView>, description = "A page of the inbox.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor", "invalid_status"])))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(ListQuery { state, paging }): Query<ListQuery>,
) -> ApiResult<Page<InboxView>> {
    let query = InboxQuery { state, page: paging.into_request() };
    app.read((tenant, query), |tx, (tenant, query)| Box::pin(inbox::list(tx, tenant, query))).await
}

/// Returns a message of the inbox.
#[utoipa::path(
    get, path = "/v1/inbox/{id}", tag = "messages", operation_id = "get_inbox_message",
    params(("id" = MessageId, Path, description = "The message.")),
    responses((status = 200, body = InboxView, description = "The message.")),
    extensions(("x-problem-codes" = json!(["inbox_unknown"])))
)]
pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<MessageId>,
) -> ApiResult<InboxView> {
    app.read((tenant, id), |tx, (tenant, id)| Box::pin(inbox::get(tx, tenant, *id))).await
}

/// Closes a message of the inbox.
///
/// Closing a closed message changes nothing.
#[utoipa::path(
    post, path = "/v1/inbox/{id}/close", tag = "messages", operation_id = "close_inbox_message",
    params(("id" = MessageId, Path, description = "The message.")),
    responses((status = 200, body = InboxView, description = "The closed message.")),
    extensions(("x-problem-codes" = json!(["inbox_unknown"])))
)]
pub(super) async fn close(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<MessageId>,
    key: IdempotencyKey,
) -> ApiResult<InboxView> {
    app.write_once(key, StatusCode::OK, (tenant, id), |tx, (tenant, id)| {
        Box::pin(inbox::close(tx, tenant, *id))
    })
    .await
}

/// Answers a message of the inbox, and closes it.
///
/// The text is sent as it stands to the person or number that the message concerns: at any hour if the message
/// is inbound, otherwise outside quiet hours. A message is answered once.
#[utoipa::path(
    post, path = "/v1/inbox/{id}/answer", tag = "messages", operation_id = "answer_inbox_message",
    params(("id" = MessageId, Path, description = "The message.")),
    request_body = NewAnswer,
    responses((status = 200, body = InboxView, description = "The answered message.")),
    extensions(("x-problem-codes" = json!([
        "inbox_unknown", "no_recipient", "opted_out", "already_answered", "invalid_answer",
        "message_too_long"
    ])))
)]
pub(super) async fn answer(
    State(app): State<App>,
    KeyedTenant { tenant, key }: KeyedTenant,
    Id(id): Id<MessageId>,
    identity: Identity,
    Body(new): Body<NewAnswer>,
) -> ApiResult<InboxView> {
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    let input = (caller, new, identity.author());
    app.write_once(key, StatusCode::OK, input, move |tx, (caller, new, author)| {
        Box::pin(async move { inbox::answer(tx, &caller.context(), id, new, author).await })
    })
    .await
}

/// Assigns a message of the inbox to a member of staff.
///
/// The member of staff takes the place of the one before. Nobody is texted.
#[utoipa::path(
    post, path = "/v1/inbox/{id}/assign", tag = "messages", operation_id = "assign_inbox_message",
    params(("id" = MessageId, Path, description = "The message.")),
    request_body = NewAssignee,
    responses((status = 200, body = InboxView, description = "The assigned message.")),
    extensions(("x-problem-codes" = json!(["inbox_unknown", "invalid_assignee"])))
)]
pub(super) async fn assign(
    State(app): State<App>,
    KeyedTenant { tenant, key }: KeyedTenant,
    Id(id): Id<MessageId>,
    identity: Identity,
    Body(new): Body<NewAssignee>,
) -> ApiResult<InboxView> {
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    let input = (caller, new, identity.author());
    app.write_once(key, StatusCode::OK, input, move |tx, (caller, new, author)| {
        Box::pin(async move { inbox::assign(tx, &caller.context(), id, new, author).await })
    })
    .await
}

/// Takes over the thread with the number that a message of the inbox concerns.
///
/// Until the thread is handed back, what the number writes changes nothing, gets no automatic answer and is
/// put in the inbox. Opting out and in, and the carriers' keyword for help, work as usual. Taking over
/// again changes nothing.
#[utoipa::path(
    post, path = "/v1/inbox/{id}/take-over", tag = "messages", operation_id = "take_over_thread",
    params(("id" = MessageId, Path, description = "The message.")),
    responses((status = 200, body = InboxView, description = "The message, with who took over.")),
    extensions(("x-problem-codes" = json!(["inbox_unknown", "no_recipient"])))
)]
pub(super) async fn take_over(
    State(app): State<App>,
    caller: KeyedTenant,
    Id(id): Id<MessageId>,
    identity: Identity,
) -> ApiResult<InboxView> {
    change_thread(&app, caller, id, identity, ThreadChange::TakeOver).await
}

/// Hands back the thread with the number that a message of the inbox concerns.
///
/// What the number writes from then on is read and answered as usual. Handing back a thread that is not taken
/// over changes nothing.
#[utoipa::path(
    post, path = "/v1/inbox/{id}/hand-back", tag = "messages", operation_id = "hand_back_thread",
    params(("id" = MessageId, Path, description = "The message.")),
    responses((status = 200, body = InboxView, description = "The message.")),
    extensions(("x-problem-codes" = json!(["inbox_unknown", "no_recipient"])))
)]
pub(super) async fn hand_back(
    State(app): State<App>,
    caller: KeyedTenant,
    Id(id): Id<MessageId>,
    identity: Identity,
) -> ApiResult<InboxView> {
    change_thread(&app, caller, id, identity, ThreadChange::HandBack).await
}

async fn change_thread(
    app: &App,
    KeyedTenant { tenant, key }: KeyedTenant,
    id: MessageId,
    identity: Identity,
    change: ThreadChange,
) -> ApiResult<InboxView> {
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    let input = (caller, identity.author());
    app.write_once(key, StatusCode::OK, input, move |tx, (caller, author)| {
        Box::pin(
            async move { inbox::change_thread(tx, &caller.context(), id, change, author).await },
        )
    })
    .await
}
