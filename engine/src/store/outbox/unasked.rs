//! Reads the times of unasked messages. A message is unasked if its recipient
//! did nothing that prompts it, and the number of such messages is limited.
//!
//! Against the limit of a tenant, a message counts at the instant for which it is planned. Against the
//! limit of a person, a message counts at the instant at which it was sent, or, if it is not sent yet, at
//! the instant for which it is planned. A message that was cancelled or suppressed does not count.

use std::collections::BTreeMap;

use crate::base::{MessageId, PersonId, Timestamp};
use crate::params;
use crate::store::error::StoreError;
use crate::store::rows::Rows;
use crate::store::tx::Tx;

impl Tx {
    /// Returns the times of a tenant's unasked messages that are planned for `from` or later,
    /// in ascending order.
    pub async fn unasked_from(
        &mut self,
        tenant: &str,
        from: Timestamp,
    ) -> Result<Vec<Timestamp>, StoreError> {
        let rows = self
            .rows(
                "SELECT not_before FROM outbox WHERE tenant = $1 AND {unasked} = 1 AND not_before >= $2
                    AND state NOT IN ('cancelled', 'suppressed') ORDER BY not_before",
                &params![tenant, from],
            )
            .await?;
        rows.iter().map(|row| row.at("not_before")).collect()
    }

    /// Returns, for each of these people, the unasked messages that are planned for `from` or later.
    /// Each message is paired with the time at which it counts against the person's limit.
    /// The messages of a person are sorted by this time, the earliest first.
    pub async fn unasked_to(
        &mut self,
        people: &[PersonId],
        from: Timestamp,
    ) -> Result<BTreeMap<PersonId, Vec<(Timestamp, MessageId)>>, StoreError> {
        let wanted = Rows::ids(people);
        let rows = self
            .bulk(
                "SELECT person, COALESCE(sent_at, not_before) AS counted_at, id FROM outbox
                 WHERE person IN (SELECT id FROM {rows}) AND unasked = 1 AND not_before >= $1
                    AND state NOT IN ('cancelled', 'suppressed')",
                &params![from],
                &wanted,
            )
            .await?;
        let mut texts: BTreeMap<PersonId, Vec<(Timestamp, MessageId)>> = BTreeMap::new();
        for row in &rows {
            texts
                .entry(row.id("person")?)
                .or_default()
                .push((row.at("counted_at")?, row.id("id")?));
        }
        texts.values_mut().for_each(|texts| texts.sort_unstable());
        Ok(texts)
    }
}
