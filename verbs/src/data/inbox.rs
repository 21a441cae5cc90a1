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
