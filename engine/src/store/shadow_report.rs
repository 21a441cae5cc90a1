//! Reads what a report about shadow runs compares: the runs of a period, and what they sent.

use super::archive::first_id_at;
use super::error::StoreError;
use super::ledger::{LedgerRow, select_event};
use super::rows::Rows;
use super::run::{RunRow, read_run, select_run};
use super::tx::Tx;
use crate::base::{PersonId, RunId, Span, Timestamp};
use crate::ledger::EventKind;
use crate::params;

/// Builds a query of the next `$3` runs `p` for which a condition holds, newest first.
macro_rules! newest {
    ($which:literal) => {
        select_run!(
            concat!(
                "(SELECT {p.id} AS id FROM run p WHERE p.tenant = $1 AND p.created_at >= $2 AND p.parent IS NULL AND ",
                $which,
                " ORDER BY {p.id} DESC LIMIT $3) page CROSS JOIN run r"
            ),
            "WHERE r.id = page.id ORDER BY r.id DESC"
        )
    };
}

/// The shadow runs of the tenant `$1` that were started at `$2` or later. None of them has an id below `$4`.
const SHADOW_RUNS: &str = newest!("p.shadow = 1 AND {p.id} > $4");
/// The same, of the real runs.
const REAL_RUNS: &str = newest!("p.shadow = 0 AND {p.id} > $4");
/// How long before its start a run can have got its id.
const ID_BEFORE_START: Span = Span::from_secs(3600);

/// A message that a real run or one of its children sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentByRun {
    /// The run that was started from outside.
    pub run: RunId,
    /// The person that the message was for.
    pub person: Option<PersonId>,
    /// The name of the template, with its occasion if it has one.
    pub kind: String,
    /// Number of segments that the carrier bills.
    pub segments: i64,
}

impl Tx {
    /// Returns at most `limit` runs of a tenant that were started from outside at `since` or later, newest
    /// first: shadow runs or real ones.
    pub async fn runs_since(
        &mut self,
        tenant: &str,
        shadow: bool,
        since: Timestamp,
        limit: i64,
    ) -> Result<Vec<RunRow>, StoreError> {
        let rows = self
            .rows(
                if shadow { SHADOW_RUNS } else { REAL_RUNS },
                &params![tenant, since, limit, first_id_at(since - ID_BEFORE_START)],
            )
            .await?;
        rows.iter().map(read_run).collect()
    }

    /// Returns the messages that some real runs and their children have sent or are about to send, at most
    /// `limit`.
    pub async fn sent_by_runs(
        &mut self,
        runs: &[RunId],
        limit: i64,
    ) -> Result<Vec<SentByRun>, StoreError> {
        let rows = self
            .bulk(
                "WITH RECURSIVE d(root, id) AS (SELECT id, id FROM {rows} UNION ALL
                    SELECT d.root, r.id FROM d {each run r} r.parent = d.id {end each})
                 SELECT d.root, o.person, o.kind, o.segments FROM d {each outbox o} o.run_id = d.id {end each}
                 WHERE o.call_id IS NOT NULL AND o.state NOT IN ('cancelled', 'suppressed', 'failed')
                 ORDER BY o.id LIMIT $1",
                &params![limit],
                &Rows::ids(runs),
            )
            .await?;
        rows.iter()
            .map(|row| {
                Ok(SentByRun {
                    run: row.id("root")?,
                    person: row.opt_id("person")?,
                    kind: row.text("kind")?,
                    segments: row.int("segments")?,
                })
            })
            .collect()
    }

    /// Returns the events of one kind of some runs, in the order of each run, at most `limit`.
    pub async fn events_of_runs(
        &mut self,
        runs: &[RunId],
        kind: EventKind,
        limit: i64,
    ) -> Result<Vec<LedgerRow>, StoreError> {
        let rows = self
            .bulk(
                select_event!(
                    "{rows} JOIN ledger l ON l.stream = v.id",
                    "WHERE l.kind = $1
                 ORDER BY {l.stream}, l.seq LIMIT $2"
                ),
                &params![kind.as_str(), limit],
                &Rows::ids(runs),
            )
            .await?;
        rows.iter().map(super::ledger::read).collect()
    }
}
