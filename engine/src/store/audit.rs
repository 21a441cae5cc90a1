//! Queries the database for the audit:
//! finds rows that break a rule of the store, and reads the streams with the ends of their hash chains.

use uuid::Uuid;

use super::error::StoreError;
use super::ledger::{self, LedgerRow, select_event};
use super::row::Row;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{Digest, EventId, RunId, Span, StreamId};
use crate::params;
use crate::run::{RunOutcome, RunStatus};

/// Maximum number of findings listed for one rule.
pub(super) const FINDINGS_MAX: i64 = 20;
/// A run that will be due within this time does not count as asleep. A node may fail to work on a run,
/// for example because the database is unavailable. It then makes the run due again a little later, and
/// such a run has missed no wake-up.
const CLAIM_GRACE: Span = Span::from_secs(300);

/// A position among the events of all streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamPosition {
    /// The stream.
    pub stream: StreamId,
    /// The position of the event in the stream.
    pub seq: i64,
}

/// An event, and the stream that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedStream {
    /// The event.
    pub event: EventId,
    /// The stream.
    pub stream: StreamId,
}

/// A range of ids, with both ends. The audit checks the rules about rows range by range, so that no transaction lasts long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRange {
    /// The first id.
    pub first: Uuid,
    /// The last id.
    pub last: Uuid,
}

impl KeyRange {
    /// All ids.
    pub const ALL: Self = Self { first: Uuid::nil(), last: Uuid::max() };

    /// Returns the range of one id.
    #[must_use]
    pub const fn one(id: Uuid) -> Self {
        Self { first: id, last: id }
    }

    /// Returns the id after the range; `None` if there is none.
    #[must_use]
    pub fn next(self) -> Option<Uuid> {
        self.last.as_u128().checked_add(1).map(Uuid::from_u128)
    }
}

/// The end of a stream's chain and the state of its run, as the rows of the run or of the partition record them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamHead {
    /// The stream.
    pub stream: StreamId,
    /// The hash of the last event.
    pub last_hash: Digest,
    /// The status of the run; `None` if the stream is not that of a run.
    pub status: Option<RunStatus>,
    /// The outcome of the run, if it has one.
    pub outcome: Option<RunOutcome>,
}

impl Tx {
    /// Returns the heads of some streams.
    pub async fn stream_heads(
        &mut self,
        streams: &[StreamId],
    ) -> Result<Vec<StreamHead>, StoreError> {
        let rows = Rows::ids(streams);
        let sql = "SELECT id AS stream, last_hash, status, outcome FROM run WHERE id IN (SELECT id FROM {rows})";
        let mut found = self.bulk(sql, &[], &rows).await?;
        let sql = "SELECT key AS stream, last_hash, CAST(NULL AS TEXT) AS status, CAST(NULL AS TEXT) AS outcome
            FROM partition_head WHERE key IN (SELECT id FROM {rows})";
        found.extend(self.bulk(sql, &[], &rows).await?);
        let read = |row: &Row| {
            Ok(StreamHead {
                stream: row.id("stream")?,
                last_hash: row.digest("last_hash")?,
                status: row.opt_word("status")?,
                outcome: row.opt_word("outcome")?,
            })
        };
        found.iter().map(read).collect()
    }

    /// Returns the last of at most `limit` ids of runs that follow `first`, as the end of a range of ids; the highest id
    /// if there are fewer.
    pub async fn run_range(&mut self, first: Uuid, limit: i64) -> Result<KeyRange, StoreError> {
        let sql = "SELECT id FROM run WHERE id >= $1 ORDER BY id LIMIT 1 OFFSET $2";
        let last = self.row(sql, &params![first, limit - 1]).await?;
        let last = last.map(|row| row.opt_uuid("id")).transpose()?.flatten();
        Ok(KeyRange { first, last: last.unwrap_or(Uuid::max()) })
    }

    /// Returns at most `limit` events of all streams that follow the event `after`, by stream and position.
    pub async fn events_by_stream(
        &mut self,
        after: StreamPosition,
        limit: i64,
    ) -> Result<Vec<LedgerRow>, StoreError> {
        let sql =
            select_event!("WHERE (l.stream, l.seq) > ($1, $2) ORDER BY l.stream, l.seq LIMIT $3");
        let rows = self.rows(sql, &params![after.stream, after.seq, limit]).await?;
        rows.iter().map(ledger::read).collect()
    }

    /// Returns the streams of at most `limit` events of a tenant that follow the event `after`, with the last of these
    /// events; an event that the tenant lacks may be given.
    pub async fn changed_streams(
        &mut self,
        tenant: &str,
        after: EventId,
        limit: i64,
    ) -> Result<Vec<ChangedStream>, StoreError> {
        let sql =
            "SELECT id, stream FROM ledger WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3";
        let rows = self.rows(sql, &params![tenant, after, limit]).await?;
        let read =
            |row: &Row| Ok(ChangedStream { event: row.id("id")?, stream: row.id("stream")? });
        rows.iter().map(read).collect()
    }

    /// Finds inconsistent runs in a range of ids. Returns for each run the name of the broken rule and the run's id.
    ///
    /// The rules find: live runs without a turn; runs that nothing will wake; runs that sleep
    /// although they have an unread order or enough replies; runs held although their tenant is not paused;
    /// turns and waits without a live run; runs that have begun and have no events.
    pub async fn broken_heads(
        &mut self,
        range: KeyRange,
    ) -> Result<Vec<(&'static str, String)>, StoreError> {
        let rules: [(&'static str, &'static str); 6] = [
            (
                "run_without_turn",
                "SELECT r.id AS run_id FROM run r LEFT JOIN turn t ON t.run_id = r.id
                 WHERE r.id BETWEEN $2 AND $3 AND r.ended_at IS NULL AND t.run_id IS NULL ORDER BY r.id LIMIT $1",
            ),
            (
                "nothing_wakes_run",
                "SELECT r.id AS run_id FROM run r JOIN turn t ON t.run_id = r.id
                 WHERE r.id BETWEEN $2 AND $3 AND r.ended_at IS NULL AND r.status <> 'paused' AND t.held = 0
                    AND t.owner IS NULL AND t.due_at IS NULL
                    AND NOT EXISTS (SELECT 1 FROM run c WHERE c.parent = r.id AND c.ended_at IS NULL)
                 ORDER BY r.id LIMIT $1",
            ),
            (
                "held_without_pause",
                "SELECT t.run_id FROM turn t WHERE t.run_id BETWEEN $2 AND $3 AND +t.held = 1
                    AND NOT EXISTS (SELECT 1 FROM tenant n WHERE n.id = t.tenant AND n.paused = 1)
                    AND NOT EXISTS (SELECT 1 FROM tenant_job j WHERE j.tenant = t.tenant)
                 ORDER BY t.run_id LIMIT $1",
            ),
            (
                "turn_without_live_run",
                "SELECT t.run_id FROM turn t LEFT JOIN run r ON r.id = t.run_id AND r.ended_at IS NULL
                 WHERE t.run_id BETWEEN $2 AND $3 AND r.id IS NULL ORDER BY t.run_id LIMIT $1",
            ),
            (
                "head_without_events",
                "SELECT r.id AS run_id FROM run r WHERE r.id BETWEEN $2 AND $3 AND r.seq > 0 AND r.status <> 'pending'
                    AND NOT EXISTS (SELECT 1 FROM ledger l WHERE l.stream = r.id AND l.seq = 1)
                 ORDER BY r.id LIMIT $1",
            ),
            (
                "orphan_wait",
                "SELECT w.run_id FROM wait w LEFT JOIN run r ON r.id = w.run_id AND r.ended_at IS NULL
                 WHERE w.run_id BETWEEN $2 AND $3 AND r.id IS NULL ORDER BY w.run_id LIMIT $1",
            ),
        ];
        let mut found = Vec::new();
        for (rule, sql) in rules {
            for row in self.rows(sql, &params![FINDINGS_MAX, range.first, range.last]).await? {
                found.push((rule, row.id::<RunId>("run_id")?.to_string()));
            }
        }
        for row in self.orders_unread(range).await? {
            found.push(("order_unread", row.to_string()));
        }
        for row in self.replies_unread(range).await? {
            found.push(("replies_unread", row.to_string()));
        }
        Ok(found)
    }

    /// Finds runs that sleep although enough people have accepted: the last acceptance should have made the
    /// run due. Leaves out runs whose deadline has come but must wait until earlier replies are applied, and runs of
    /// a request on which another run works: while that run decides who keeps a place, enough is not yet enough.
    async fn replies_unread(&mut self, range: KeyRange) -> Result<Vec<RunId>, StoreError> {
        let latest = self.now() + CLAIM_GRACE;
        let rows = self
            .rows(
                "SELECT DISTINCT w.run_id FROM wait w
                 JOIN tally y ON y.partition_key = w.partition_key AND y.cell = w.yes_cell
                 JOIN turn t ON t.run_id = w.run_id JOIN run r ON r.id = w.run_id
                 WHERE w.run_id BETWEEN $3 AND $4 AND y.yes >= w.need AND r.status <> 'paused' AND t.owner IS NULL AND t.held = 0
                    AND t.stuck_on IS NULL AND (t.due_at IS NULL OR t.due_at > $2)
                    AND NOT EXISTS (SELECT 1 FROM barred b WHERE b.run_id = w.run_id)
                    AND NOT EXISTS (SELECT 1 FROM run o WHERE o.partition_key = w.partition_key
                        AND o.id <> w.run_id AND o.ended_at IS NULL)
                 ORDER BY w.run_id LIMIT $1",
                &params![FINDINGS_MAX, latest, range.first, range.last],
            )
            .await?;
        rows.iter().map(|row| row.id("run_id")).collect()
    }

    /// Finds runs that sleep although they have an unread order: the order should have made the run due.
    async fn orders_unread(&mut self, range: KeyRange) -> Result<Vec<RunId>, StoreError> {
        let (now, grace) = (self.now(), CLAIM_GRACE);
        let rows = self
            .rows(
                "SELECT DISTINCT t.run_id FROM signal s JOIN turn t ON t.run_id = s.run_id
                 WHERE s.run_id BETWEEN $4 AND $5 AND s.consumed_seq IS NULL AND s.name IS NULL AND t.owner IS NULL AND t.held = 0
                    AND t.stuck_on IS NULL AND (t.due_at IS NULL
                        OR (t.due_at > s.at + $2 AND t.due_at > $3 + $2))
                 ORDER BY t.run_id LIMIT $1",
                &params![FINDINGS_MAX, grace.micros(), now, range.first, range.last],
            )
            .await?;
        rows.iter().map(|row| row.id("run_id")).collect()
    }
}
