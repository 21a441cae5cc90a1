//! Counts a request's offers and taken places. Each reply updates the counts.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::error::StoreError;
use super::tx::Tx;
use crate::base::{RequestId, TypedId};
use crate::params;

/// The counts of one cell of a request. A cell is a group of offers that are
/// counted together, such as the offers of one role, or of one wave of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Number of offers that may still be answered.
    pub open: i64,
    /// Number of places that people have taken.
    pub yes: i64,
    /// Number of declined offers.
    pub no: i64,
    /// Number of offers that ended without an answer.
    pub gone: i64,
}

impl Tx {
    /// Adds `delta` to the counts of one cell. The request must be locked. Runs whose wait ends
    /// because of the new counts are woken at the end of the transaction.
    pub async fn tally(
        &mut self,
        request: RequestId,
        cell: &str,
        delta: Tally,
    ) -> Result<(), StoreError> {
        self.note_tally_change(request)?;
        self.execute(
            "INSERT INTO tally (partition_key, cell, open, yes, no, gone) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (partition_key, cell) DO UPDATE SET open = tally.open + excluded.open,
                yes = tally.yes + excluded.yes, no = tally.no + excluded.no, gone = tally.gone + excluded.gone",
            &params![request, cell, delta.open, delta.yes, delta.no, delta.gone],
        )
        .await
        .map(drop)
    }

    /// Returns the counts of all cells of a partition.
    pub(super) async fn tallies(
        &mut self,
        partition: Uuid,
    ) -> Result<BTreeMap<String, Tally>, StoreError> {
        if let Some(known) = self.reads.as_ref().and_then(|reads| reads.tallies.get(&partition)) {
            return Ok(known.clone());
        }
        let tallies = self.stored_tallies(partition).await?;
        if let Some(reads) = &mut self.reads {
            reads.tallies.insert(partition, tallies.clone());
        }
        Ok(tallies)
    }

    async fn stored_tallies(
        &mut self,
        partition: Uuid,
    ) -> Result<BTreeMap<String, Tally>, StoreError> {
        let rows = self
            .rows(
                "SELECT cell, open, yes, no, gone FROM tally WHERE partition_key = $1 ORDER BY cell",
                &params![partition],
            )
            .await?;
        rows.iter()
            .map(|row| {
                let tally = Tally {
                    open: row.int("open")?,
                    yes: row.int("yes")?,
                    no: row.int("no")?,
                    gone: row.int("gone")?,
                };
                Ok((row.text("cell")?, tally))
            })
            .collect()
    }

    /// Returns the counts of all cells of a request.
    pub async fn request_tallies(
        &mut self,
        request: RequestId,
    ) -> Result<BTreeMap<String, Tally>, StoreError> {
        self.tallies(request.uuid()).await
    }
}
