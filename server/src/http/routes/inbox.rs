//! Routes of the inbox of staff.

use abide_engine::base::MessageId;
use abide_engine::facade::Page;
use abide_verbs::api::inbox::{self, InboxQuery, InboxView};
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Id, Query};
use crate::http::guard::Tenant;
use crate::http::idempotency::IdempotencyKey;
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
