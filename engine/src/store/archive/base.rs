//! Stores where the chains of streams begin of which the first events have been archived.

use uuid::Uuid;

use crate::base::{ArchiveId, Digest, StreamId, TypedId as _};
use crate::params;
use crate::store::error::StoreError;
use crate::store::row::Row;
use crate::store::rows::Rows;
use crate::store::tx::Tx;

/// The last event of a stream that has been archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainBase {
    /// The stream.
    pub stream: StreamId,
    /// The position of the event in the stream.
    pub seq: i64,
    /// The hash of the event, which the next event continues.
    pub hash: Digest,
    /// The archive that contains the event.
    pub archive: ArchiveId,
}

impl Tx {
    /// Returns the bases of those of some streams of which the first events have been archived.
    pub async fn chain_bases(
        &mut self,
        streams: &[StreamId],
    ) -> Result<Vec<ChainBase>, StoreError> {
        let sql = "SELECT stream, seq, hash, archive FROM chain_base WHERE stream IN (SELECT id FROM {rows})";
        self.bulk(sql, &[], &Rows::ids(streams)).await?.iter().map(read).collect()
    }

    /// Returns at most `limit` bases whose streams follow `after`, in ascending order.
    pub async fn all_chain_bases(
        &mut self,
        after: Option<StreamId>,
        limit: i64,
    ) -> Result<Vec<ChainBase>, StoreError> {
        let sql = "SELECT stream, seq, hash, archive FROM chain_base WHERE stream > $1 ORDER BY stream LIMIT $2";
        self.rows(sql, &params![after.unwrap_or(StreamId::from_uuid(Uuid::nil())), limit])
            .await?
            .iter()
            .map(read)
            .collect()
    }

    /// Records which events of a stream have been archived.
    pub async fn put_chain_base(&mut self, base: ChainBase) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO chain_base (stream, seq, hash, archive) VALUES ($1, $2, $3, $4)
             ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, archive = excluded.archive",
            &params![base.stream, base.seq, base.hash, base.archive],
        )
        .await
        .map(drop)
    }

    /// Forgets the bases of streams that have left the database as a whole.
    pub async fn end_chain_bases(&mut self, streams: &[StreamId]) -> Result<(), StoreError> {
        let sql = "DELETE FROM chain_base WHERE stream IN (SELECT id FROM {rows})";
        self.bulk_unless_empty(sql, &Rows::ids(streams)).await
    }
}

fn read(row: &Row) -> Result<ChainBase, StoreError> {
    Ok(ChainBase {
        stream: row.id("stream")?,
        seq: row.int("seq")?,
        hash: row.digest("hash")?,
        archive: row.id("archive")?,
    })
}
