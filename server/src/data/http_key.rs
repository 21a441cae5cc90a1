//! Stored answers by idempotency key.

use abide_engine::base::{Digest, Problem, Span, Timestamp, limits};
use abide_engine::params;
use abide_engine::store::Tx;

/// How long an answer is kept: longer than clients retry.
const KEPT_FOR: Span = Span::from_secs(24 * 3600);

/// Status stored for work that takes several commits and is not finished; HTTP 102 means "processing". Its
/// answer says what was begun.
pub(crate) const BEGUN: u16 = 102;

/// A stored answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    /// Digest of the request's route and body.
    pub(crate) asked: Digest,
    /// Status of the answer.
    pub(crate) status: u16,
    /// Body of the answer.
    pub(crate) answer: String,
}

/// Returns the answer stored under a key, unless it has expired.
pub(crate) async fn find(tx: &mut Tx, tenant: &str, key: &str) -> Result<Option<Kept>, Problem> {
    let row = tx
        .row(
            "SELECT body_hash, status, answer FROM http_key
             WHERE tenant = $1 AND key = $2 AND expires_at > $3",
            &params![tenant, key, tx.now()],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    let status = u16::try_from(row.int(1)?).unwrap_or(500);
    Ok(Some(Kept { asked: row.digest(0)?, status, answer: row.text(2)? }))
}

/// Stores an answer under its key, replacing an earlier one, and deletes some expired answers.
pub(crate) async fn keep(tx: &mut Tx, tenant: &str, key: &str, kept: &Kept) -> Result<(), Problem> {
    forget_old(tx).await?;
    tx.execute(
        "INSERT INTO http_key (tenant, key, body_hash, status, answer, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (tenant, key) DO UPDATE SET body_hash = excluded.body_hash,
           status = excluded.status, answer = excluded.answer, expires_at = excluded.expires_at",
        &params![
            tenant,
            key,
            kept.asked,
            i64::from(kept.status),
            kept.answer.as_str(),
            tx.now() + KEPT_FOR
        ],
    )
    .await?;
    Ok(())
}

/// Stores an answer under a key that has none, and deletes some expired answers. An expired answer and the
/// mark of unfinished work ([`BEGUN`]) are replaced. Returns false, and stores nothing, if another request
/// has stored an answer that has not expired.
pub(crate) async fn keep_first(
    tx: &mut Tx,
    (tenant, key): (&str, &str),
    kept: &Kept,
    until: Timestamp,
) -> Result<bool, Problem> {
    forget_old(tx).await?;
    let kept = tx
        .execute(
            "INSERT INTO http_key (tenant, key, body_hash, status, answer, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (tenant, key) DO UPDATE SET body_hash = excluded.body_hash,
               status = excluded.status, answer = excluded.answer, expires_at = excluded.expires_at
             WHERE http_key.expires_at <= $7 OR http_key.status = $8",
            &params![
                tenant,
                key,
                kept.asked,
                i64::from(kept.status),
                kept.answer.as_str(),
                until + KEPT_FOR,
                tx.now(),
                i64::from(BEGUN)
            ],
        )
        .await?;
    Ok(kept > 0)
}

async fn forget_old(tx: &mut Tx) -> Result<(), Problem> {
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
