//! The tokens with which clients call the API.

use abide_engine::base::{Digest, Problem, Span, Timestamp, TokenId, limits};
use abide_engine::params;
use abide_engine::store::{Row, Tx};

use crate::role::Role;

/// How precisely the last use of a token is known. A token that is used all the time causes one write in this
/// time, and not one for each request.
pub(crate) const USE_PRECISION: Span = Span::from_secs(3600);
/// Time for which a revoked or expired token stays in the list, so that people see what became invalid.
const RETENTION: Span = Span::from_secs(90 * 24 * 3600);

macro_rules! select_tokens {
    ($rest:literal) => {
        concat!(
            "SELECT id, tenant, role, label, created_at, expires_at, revoked_at, last_used_at FROM token ",
            $rest
        )
    };
}

/// A stored token. Its secret is not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenRow {
    pub(crate) id: TokenId,
    pub(crate) tenant: String,
    pub(crate) role: Role,
    /// What the token is for.
    pub(crate) label: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) revoked_at: Option<Timestamp>,
    /// When a client last used the token, up to [`USE_PRECISION`] earlier than it really was.
    pub(crate) last_used_at: Option<Timestamp>,
}

impl TokenRow {
    /// Whether a use of the token at `now` must be recorded.
    pub(crate) fn use_is_due(&self, now: Timestamp) -> bool {
        self.last_used_at.is_none_or(|at| now - at >= USE_PRECISION)
    }
}

/// A token to store.
#[derive(Debug, Clone)]
pub(crate) struct NewTokenRow {
    pub(crate) tenant: String,
    pub(crate) role: Role,
    /// Digest of the secret.
    pub(crate) hash: Digest,
    pub(crate) label: Option<String>,
    pub(crate) expires_at: Option<Timestamp>,
}

/// Stores a token, and deletes some tokens of the same tenant that became invalid long ago.
pub(crate) async fn insert(tx: &mut Tx, new: &NewTokenRow) -> Result<TokenRow, Problem> {
    delete_old(tx, &new.tenant).await?;
    let (id, now) = (tx.mint(), tx.now());
    tx.execute(
        "INSERT INTO token (id, tenant, role, hash, label, created_at, expires_at, revoked_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, NULL)",
        &params![
            id,
            new.tenant.as_str(),
            new.role.as_str(),
            new.hash,
            new.label.as_deref(),
            now,
            new.expires_at
        ],
    )
    .await?;
    Ok(TokenRow {
        id,
        tenant: new.tenant.clone(),
        role: new.role,
        label: new.label.clone(),
        created_at: now,
        expires_at: new.expires_at,
        revoked_at: None,
        last_used_at: None,
    })
}

async fn delete_old(tx: &mut Tx, tenant: &str) -> Result<(), Problem> {
    let before = tx.now() - RETENTION;
    tx.execute(
        "DELETE FROM token WHERE id IN
           (SELECT id FROM token WHERE tenant = $1 AND (expires_at <= $2 OR revoked_at <= $2)
            ORDER BY id LIMIT CAST($3 AS BIGINT))",
        &params![tenant, before, i64::try_from(limits::SWEEP_ROWS_MAX).unwrap_or(1)],
    )
    .await?;
    Ok(())
}

/// Returns the token whose secret has this digest, if it is neither revoked nor expired.
pub(crate) async fn find_valid(tx: &mut Tx, hash: Digest) -> Result<Option<TokenRow>, Problem> {
    let row = tx
        .row(
            select_tokens!(
                "WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)"
            ),
            &params![hash, tx.now()],
        )
        .await?;
    row.as_ref().map(read).transpose()
}

/// Records that a client uses a token. Of several requests at the same time, one writes.
pub(crate) async fn record_use(tx: &mut Tx, id: TokenId) -> Result<(), Problem> {
    let now = tx.now();
    tx.execute(
        "UPDATE token SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)",
        &params![id, now, now - USE_PRECISION],
    )
    .await?;
    Ok(())
}

/// Returns the number of a tenant's tokens that are neither revoked nor expired.
pub(crate) async fn count_valid(tx: &mut Tx, tenant: &str) -> Result<i64, Problem> {
    let row = tx
        .row(
            "SELECT COUNT(*) AS n FROM token
             WHERE tenant = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)",
            &params![tenant, tx.now()],
        )
        .await?;
    Ok(row.as_ref().map(|row| row.int("n")).transpose()?.unwrap_or(0))
}

/// A page of a tenant's tokens.
#[derive(Debug, Clone)]
pub(crate) struct TokenQuery {
    pub(crate) tenant: String,
    /// The last token of the previous page.
    pub(crate) after: Option<TokenId>,
    /// Maximum number of tokens.
    pub(crate) limit: i64,
}

/// Lists a tenant's tokens, also those that are revoked or expired, oldest first.
pub(crate) async fn list(tx: &mut Tx, query: &TokenQuery) -> Result<Vec<TokenRow>, Problem> {
    let rows = match query.after {
        None => {
            tx.rows(
                select_tokens!("WHERE tenant = $1 ORDER BY id LIMIT CAST($2 AS BIGINT)"),
                &params![query.tenant.as_str(), query.limit],
            )
            .await?
        }
        Some(after) => {
            tx.rows(
                select_tokens!(
                    "WHERE tenant = $1 AND id > $3 ORDER BY id LIMIT CAST($2 AS BIGINT)"
                ),
                &params![query.tenant.as_str(), query.limit, after],
            )
            .await?
        }
    };
    rows.iter().map(read).collect()
}

/// A token after an attempt to revoke it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Revoked {
    pub(crate) token: TokenRow,
    /// Whether the token was revoked only now.
    pub(crate) is_new: bool,
}

/// Revokes a token of a tenant, and returns it; `None` if the tenant has no such token.
/// Revoking a revoked token changes nothing.
pub(crate) async fn revoke(
    tx: &mut Tx,
    tenant: &str,
    id: TokenId,
) -> Result<Option<Revoked>, Problem> {
    let now = tx.now();
    let changed = tx
        .execute(
            "UPDATE token SET revoked_at = $3 WHERE tenant = $1 AND id = $2 AND revoked_at IS NULL",
            &params![tenant, id, now],
        )
        .await?;
    let row = tx.row(select_tokens!("WHERE tenant = $1 AND id = $2"), &params![tenant, id]).await?;
    let token = row.as_ref().map(read).transpose()?;
    Ok(token.map(|token| Revoked { token, is_new: changed > 0 }))
}

fn read(row: &Row) -> Result<TokenRow, Problem> {
    let role = row.text("role")?;
    let role = Role::parse(&role)
        .ok_or_else(|| Problem::bug(format!("a stored token has the unknown role `{role}`")))?;
    Ok(TokenRow {
        id: row.id("id")?,
        tenant: row.text("tenant")?,
        role,
        label: row.opt_text("label")?,
        created_at: row.at("created_at")?,
        expires_at: row.opt_at("expires_at")?,
        revoked_at: row.opt_at("revoked_at")?,
        last_used_at: row.opt_at("last_used_at")?,
    })
}
