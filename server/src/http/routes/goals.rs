//! Routes of the agenda: what conversations are about.

use abide_engine::base::RowId;
use abide_engine::facade::Page;
use abide_engine::store::Tx;
use abide_judgement::agenda::{self, GoalList, JournalEntryView};
use abide_judgement::judge::session_of;
use axum::Json;
use axum::extract::State;
use futures_util::FutureExt as _;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::Query;
use crate::http::guard::Tenant;
use crate::http::page::Paging;

/// Query parameters of the goals of a conversation.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SessionQuery {
    /// The session: a name that a caller of the API has given, or the phone number of somebody who texts.
    session: String,
}

/// Query parameters of the journal of a conversation.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct JournalQuery {
    /// The session, as for the goals.
    session: String,
    #[serde(flatten)]
    #[param(ignore)]
    paging: Paging,
}

/// Lists what a conversation is about: its active goals, best first.
#[utoipa::path(
    get, path = "/v1/goals", tag = "goals", operation_id = "list_goals",
    params(SessionQuery),
    responses((status = 200, body = GoalList, description = "The goals; of a session that is not known, none."))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(query): Query<SessionQuery>,
) -> ApiResult<GoalList> {
    let input = (tenant.to_string(), query.session);
    app.read(input, |tx, (tenant, session)| {
        async move {
            let session = named(tx, tenant, session);
            agenda::list(tx, tenant, &session).await
        }
        .boxed()
    })
    .await
}

/// Lists what has happened to the goals of a conversation, the oldest entry first.
#[utoipa::path(
    get, path = "/v1/goals/journal", tag = "goals", operation_id = "list_goal_journal",
    params(JournalQuery, Paging),
    responses((status = 200, body = Page<JournalEntryView>, description = "A page of the journal.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor"])))
)]
pub(super) async fn journal(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(query): Query<JournalQuery>,
) -> ApiResult<Page<JournalEntryView>> {
    let after: Option<RowId> = query.paging.after()?;
    let limit = query.paging.limit;
    let input = (tenant.to_string(), query.session, after, limit);
    let (status, Json(rows)) = app
        .read(input, |tx, (tenant, session, after, limit)| {
            async move {
                let session = named(tx, tenant, session);
                agenda::journal(tx, tenant, &session, *after, limit + 1).await
            }
            .boxed()
        })
        .await?;
    Ok((status, Json(Page::cut(rows, limit, |entry| entry.id.clone()))))
}

/// Returns the name of a session; that of the conversation with a phone number, if `session` is one.
fn named(tx: &Tx, tenant: &str, session: &str) -> String {
    match session.starts_with('+') {
        true => session_of(tx.contact_id(tenant, session)),
        false => session.to_owned(),
    }
}
