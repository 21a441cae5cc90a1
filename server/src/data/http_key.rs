//! The stored responses to HTTP requests, by idempotency key.

use abide_engine::base::{Digest, Problem, Span, Timestamp, limits};
use abide_engine::params;
use abide_engine::store::Tx;

/// Time for which a response is stored: longer than clients retry.
const RETENTION: Span = Span::from_secs(24 * 3600);

/// Status stored for work that takes several commits and is not finished; HTTP 102 means "processing".
/// The body stored with this status describes the work, so that a repeated request can continue it.
pub(crate) const IN_PROGRESS: u16 = 102;

/// An idempotency key with its tenant. Different tenants can use the same key independently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyRef<'a> {
    pub(crate) tenant: &'a str,
    pub(crate) key: &'a str,
}

/// A stored HTTP response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredAnswer {
    /// Digest of the request's route and body.
    pub(crate) request: Digest,
    /// HTTP status of the response.
    pub(crate) status: u16,
    /// Body of the response.
    pub(crate) body: String,
}

/// Returns the response stored under a key, unless that response has expired.
pub(crate) async fn find(tx: &mut Tx, key: KeyRef<'_>) -> Result<Option<StoredAnswer>, Problem> {
    let row = tx
        .row(
            "SELECT body_hash, status, answer FROM http_key
             WHERE tenant = $1 AND key = $2 AND expires_at > $3",
            &params![key.tenant, key.key, tx.now()],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    let status = u16::try_from(row.int("status")?).unwrap_or(500);
    Ok(Some(StoredAnswer { request: row.digest("body_hash")?, status, body: row.text("answer")? }))
}

/// Stores a response under its key, replacing an earlier response, and deletes some expired responses.
pub(crate) async fn store(
    tx: &mut Tx,
    key: KeyRef<'_>,
    answer: &StoredAnswer,
) -> Result<(), Problem> {
    delete_expired(tx).await?;
    tx.execute(
        "INSERT INTO http_key (tenant, key, body_hash, status, answer, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (tenant, key) DO UPDATE SET body_hash = excluded.body_hash,
           status = excluded.status, answer = excluded.answer, expires_at = excluded.expires_at",
        &params![
            key.tenant,
            key.key,
            answer.request,
            i64::from(answer.status),
            answer.body.as_str(),
            tx.now() + RETENTION
        ],
    )
    .await?;
    Ok(())
}

/// Stores a response under a key, and deletes some expired responses. Replaces an earlier response under
/// this key if it has expired or describes unfinished work ([`IN_PROGRESS`]).
/// If the key has any other response, stores nothing under the key and returns false.
/// The new response expires when [`RETENTION`] has passed after `until`.
pub(crate) async fn store_first(
    tx: &mut Tx,
    key: KeyRef<'_>,
    answer: &StoredAnswer,
    until: Timestamp,
) -> Result<bool, Problem> {
    delete_expired(tx).await?;
    let stored = tx
        .execute(
            "INSERT INTO http_key (tenant, key, body_hash, status, answer, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (tenant, key) DO UPDATE SET body_hash = excluded.body_hash,
               status = excluded.status, answer = excluded.answer, expires_at = excluded.expires_at
             WHERE http_key.expires_at <= $7 OR http_key.status = $8",
            &params![
                key.tenant,
                key.key,
                answer.request,
                i64::from(answer.status),
                answer.body.as_str(),
                until + RETENTION,
                tx.now(),
                i64::from(IN_PROGRESS)
            ],
        )
        .await?;
    Ok(stored > 0)
}

async fn delete_expired(tx: &mut Tx) -> Result<(), Problem> {
    let now = tx.now();
    tx.execute(
        "DELETE FROM http_key WHERE (tenant, key) IN
           (SELECT tenant, key FROM http_key WHERE expires_at <= $1
            ORDER BY expires_at LIMIT CAST($2 AS BIGINT))",
        &params![now, i64::try_from(limits::SWEEP_ROWS_MAX).unwrap_or(1)],
    )
    .await?;
    Ok(())
}
