//! Routes that create, list and revoke tokens.

use abide_engine::base::{Problem, Span, StreamId, Timestamp, TokenId, TypedId as _};
use abide_engine::facade::Page;
use abide_engine::ledger::EventKind;
use abide_engine::store::{About, Tx};
use abide_engine::transaction;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::data::token::{self, NewTokenRow, TokenQuery, TokenRow};
use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Id, Query};
use crate::http::guard::{Identity, Tenant};
use crate::http::idempotency::{IdempotencyKey, KeyedTenant};
use crate::http::page::Paging;
use crate::problem::ProblemDocument;
use crate::role::Role;
use crate::secret::Secret;

/// Maximum length of a label, which is one cell of a table.
const LABEL_CHARS_MAX: usize = 100;
/// Maximum number of valid tokens of a tenant. Nobody can keep track of more.
const TOKENS_MAX: i64 = 1_000;

/// A token to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewToken {
    /// What a client with the token may do.
    role: Role,
    /// What the token is for, as a reminder.
    label: Option<String>,
    /// When the token expires: a duration from now such as `90d`, or a time such as `2026-12-31T00:00:00Z`.
    /// By default, the token is valid until it is revoked.
    expires: Option<String>,
}

/// A token, with which a client calls the API for one tenant.
#[derive(Clone, Serialize, ToSchema)]
pub(super) struct TokenView {
    /// Id of the token.
    id: TokenId,
    /// The secret that clients send as a bearer token. Only the answer that creates the token has it: the
    /// server stores a digest of it, and shows it neither in lists nor in a repeated answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// What a client with the token may do.
    role: Role,
    /// Tenant of the token. A client with the token can call the API for no other tenant.
    tenant: String,
    /// What the token is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Time at which the token was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time at which the token expires, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    expires_at: Option<String>,
    /// Time at which the token was revoked, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    revoked_at: Option<String>,
    /// Time at which a client last used the token, to the hour: of the uses within an hour, only the first is
    /// recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    last_used_at: Option<String>,
}

impl From<TokenRow> for TokenView {
    fn from(row: TokenRow) -> Self {
        Self {
            id: row.id,
            token: None,
            role: row.role,
            tenant: row.tenant,
            label: row.label,
            created_at: row.created_at.to_string(),
            expires_at: row.expires_at.map(|at| at.to_string()),
            revoked_at: row.revoked_at.map(|at| at.to_string()),
            last_used_at: row.last_used_at.map(|at| at.to_string()),
        }
    }
}

impl NewToken {
    /// Checks the members, and returns the row to store.
    fn into_row(
        self,
        tenant: &str,
        secret: &Secret,
        now: Timestamp,
    ) -> Result<NewTokenRow, ProblemDocument> {
        let label = self.label.map(|label| label.trim().to_owned()).filter(|it| !it.is_empty());
        if label.as_ref().is_some_and(|label| label.chars().count() > LABEL_CHARS_MAX) {
            let detail = format!("`label` takes up to {LABEL_CHARS_MAX} characters");
            return Err(ProblemDocument::schema(detail));
        }
        let expires_at = self.expires.map(|text| expiry(&text, now)).transpose()?;
        let (tenant, hash) = (tenant.to_owned(), secret.digest());
        Ok(NewTokenRow { tenant, role: self.role, hash, label, expires_at })
    }
}

/// Parses the time at which a token expires.
fn expiry(text: &str, now: Timestamp) -> Result<Timestamp, ProblemDocument> {
    let after = text.parse::<Span>().map(|span| now + span);
    let at = after.or_else(|_| text.parse::<Timestamp>()).map_err(|_| {
        ProblemDocument::schema("`expires` is neither a duration nor a time")
            .with_hint("write `90d`, or a time such as `2026-12-31T00:00:00Z`")
    })?;
    if at > now {
        return Ok(at);
    }
    Err(ProblemDocument::schema("`expires` is not in the future"))
}

/// Lists tokens, also those that are revoked or expired, in the order in which they were created.
///
/// A token stays in the list for 90 days after it has become invalid.
#[utoipa::path(
    get, path = "/v1/tokens", tag = "tokens", operation_id = "list_tokens",
    params(Paging),
    responses((status = 200, body = Page<TokenView>, description = "A page of tokens.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor"])))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(paging): Query<Paging>,
) -> ApiResult<Page<TokenView>> {
    let limit = i64::try_from(paging.limit + 1).unwrap_or(1);
    let query = TokenQuery { tenant: tenant.to_string(), after: paging.after()?, limit };
    app.read((query, paging.limit), |tx, (query, limit)| {
        Box::pin(async move {
            let rows = token::list(tx, query).await?;
            let views: Vec<TokenView> = rows.into_iter().map(TokenView::from).collect();
            Ok(Page::cut(views, *limit, |view| view.id.to_string()))
        })
    })
    .await
}

/// Creates a token.
///
/// The answer is the only one that contains the secret. A request that is repeated with its idempotency key
/// creates no second token, and its answer lacks the secret: revoke that token and create another.
#[utoipa::path(
    post, path = "/v1/tokens", tag = "tokens", operation_id = "create_token",
    request_body = NewToken,
    responses((status = 201, body = TokenView, description = "The token, with its secret.")),
    extensions(("x-problem-codes" = json!(["unknown_tenant", "too_many_tokens"])))
)]
pub(super) async fn create(
    State(app): State<App>,
    KeyedTenant { tenant, key }: KeyedTenant,
    identity: Identity,
    Body(new): Body<NewToken>,
) -> ApiResult<TokenView> {
    let secret = Secret::fresh()?;
    let new = new.into_row(&tenant, &secret, app.engine.now())?;
    // The owner of the data can name a tenant that does not exist.
    app.engine.tenant(&tenant).await?;
    let insert = transaction!([new, key, by = identity.id.to_string()], |tx| {
        let stream = lock_ledger(tx, &new.tenant).await?;
        if token::count_valid(tx, &new.tenant).await? >= TOKENS_MAX {
            return Err(too_many());
        }
        let view = TokenView::from(token::insert(tx, &new).await?);
        let mut event = json!({"token_id": view.id, "role": view.role, "by": by});
        if let Some(at) = &view.expires_at {
            event["expires_at"] = at.as_str().into();
        }
        tx.log(stream, EventKind::TokenCreated, About::default(), event)?;
        // The stored answer lacks the secret, so that the database does not contain it.
        key.store_answer(tx, StatusCode::CREATED, &view).await?;
        Ok(view)
    });
    let view = app.engine.try_write(insert).await?;
    let token = Some(secret.reveal().to_owned());
    Ok((StatusCode::CREATED, Json(TokenView { token, ..view })))
}

/// Locks the ledger of a tenant, and returns its stream.
async fn lock_ledger(tx: &mut Tx, tenant: &str) -> Result<StreamId, Problem> {
    let row = tx.tenant(tenant).await?;
    let unknown = || Problem::caller("unknown_tenant", format!("there is no tenant `{tenant}`"));
    let stream = row.ok_or_else(unknown)?.stream;
    tx.lock_partitions(tenant, &[stream.uuid()]).await?;
    Ok(stream)
}

fn too_many() -> Problem {
    let message = format!("a tenant has at most {TOKENS_MAX} valid tokens");
    Problem::caller("too_many_tokens", message).with_hint("revoke tokens that nobody uses any more")
}

/// Revokes a token. The next request with it is refused.
///
/// Revoking a revoked token changes nothing.
#[utoipa::path(
    delete, path = "/v1/tokens/{id}", tag = "tokens", operation_id = "revoke_token",
    params(("id" = TokenId, Path, description = "The token.")),
    responses((status = 200, body = TokenView, description = "The revoked token.")),
    extensions(("x-problem-codes" = json!(["token_unknown"])))
)]
pub(super) async fn revoke(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<TokenId>,
    key: IdempotencyKey,
    identity: Identity,
) -> ApiResult<TokenView> {
    // A token in the wrong hands must stop working even if the server is overloaded, so this write is never
    // rejected.
    let revoke = transaction!([tenant, key, by = identity.id.to_string()], |tx| {
        let unknown = || Problem::caller("token_unknown", format!("there is no token `{id}`"));
        let stream = lock_ledger(tx, &tenant).await?;
        let revoked = token::revoke(tx, &tenant, id).await?.ok_or_else(unknown)?;
        if revoked.is_new {
            let event = json!({"token_id": id, "by": by});
            tx.log(stream, EventKind::TokenRevoked, About::default(), event)?;
        }
        let view = TokenView::from(revoked.token);
        key.store_answer(tx, StatusCode::OK, &view).await?;
        Ok(view)
    });
    Ok((StatusCode::OK, Json(app.engine.write(revoke).await?)))
}
