//! Counts how often a sender has consented to receiving messages.

use super::contact::ContactId;
use super::error::StoreError;
use super::tx::Tx;
use crate::params;

impl Tx {
    /// Counts the messages with which this sender has opted in.
    pub async fn opt_ins(&mut self, tenant: &str, sender: ContactId) -> Result<i64, StoreError> {
        let row = self
            .row(
                "SELECT COUNT(*) AS count FROM inbound WHERE tenant = $1 AND sender = $2 AND handled_as = 'opt_in'",
                &params![tenant, sender],
            )
            .await?;
        row.map_or(Ok(0), |row| row.int("count"))
    }
}
