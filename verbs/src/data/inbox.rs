//! Texts that nothing of ours waited for, until a person has read them.

use abide_engine::base::{MessageId, PersonId, Timestamp};
use abide_engine::params;
use abide_engine::store::{StoreError, Tx};

/// Puts a text before the staff; the same text again is the same row.
pub async fn put(
    tx: &mut Tx,
    tenant: &str,
    (message, received_at): (MessageId, Timestamp),
    person: Option<PersonId>,
    reason: &str,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO inbox (message, tenant, person, reason, state, received_at)
         VALUES ($1, $2, $3, $4, 'open', $5) ON CONFLICT (message) DO NOTHING",
        &params![message, tenant, person, reason, received_at],
    )
    .await
    .map(drop)
}

/// How many texts of this reason came since `since`.
pub async fn count_since(
    tx: &mut Tx,
    tenant: &str,
    reason: &str,
    since: Timestamp,
) -> Result<i64, StoreError> {
    let row = tx
        .row(
            "SELECT COUNT(*) FROM inbox WHERE tenant = $1 AND state = 'open' AND reason = $2 AND received_at > $3",
            &params![tenant, reason, since],
        )
        .await?;
    row.map_or(Ok(0), |row| row.int(0))
}
