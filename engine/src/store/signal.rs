//! Stores signals: messages from outside to a run, which wait until the run consumes them.

use super::faults::CommitPart;
use std::collections::BTreeMap;

use super::commit::Commit;
use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::row::Row;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{RunId, SignalId, Timestamp, Value};
use crate::params;
use crate::planted::PlantedFault;

/// A stored signal.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalRow {
    /// The id of the signal.
    pub id: SignalId,
    /// `named`, or the kind of an order, such as `cancel`, `pause`, `resume` or `retry`.
    pub kind: String,
    /// The name of a `named` signal.
    pub name: Option<String>,
    /// The data of the signal.
    pub payload: Value,
    /// When the signal was stored.
    pub at: Timestamp,
}

/// The signals that a run has not consumed, each list with the oldest signal first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpenSignals {
    /// The orders.
    pub orders: Vec<SignalRow>,
    /// The oldest named signals.
    pub named: Vec<SignalRow>,
    /// Whether the run has more named signals than those in `named`.
    pub more_named: bool,
}

/// Maximum number of named signals of a run that are read ahead, so that a batch of runs with large signals takes
/// little memory: 128 runs with 16 signals of a kilobyte take two megabytes.
const NAMED_IN_MEMORY_MAX: i64 = 16;

/// The word that is stored as the kind of a named signal.
pub(super) const NAMED: &str = "named";

/// The kind of a signal to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalKind<'a> {
    /// A signal with this name, for which the run may wait.
    Named(&'a str),
    /// An order, such as `cancel`, `pause`, `resume` or `retry`.
    Order(&'a str),
}

/// Marks the signals that a batch of steps has consumed.
pub(super) async fn consume(tx: &mut Tx, commits: &[&Commit]) -> Result<(), StoreError> {
    let mut rows =
        Rows::new(&[("run_id", ColumnType::Id), ("id", ColumnType::Id), ("seq", ColumnType::Int)]);
    for commit in commits.iter().filter(|_| !PlantedFault::SignalNeverConsumed.is_active()) {
        for id in &commit.consumed {
            rows.push([commit.run.into(), (*id).into(), (commit.seq + 1).into()]);
        }
    }
    tx.bulk_unless_empty(
        "UPDATE signal SET consumed_seq = v.seq FROM {rows}
         WHERE signal.run_id = v.run_id AND signal.id = v.id",
        &rows,
    )
    .await
}

impl Tx {
    /// Stores a signal and wakes its run. A named signal also wakes the live branches of the run. Returns
    /// `false`, and stores nothing, if the run already has a signal of this kind with the key `dedupe`.
    /// Named signals are of one kind, whatever their names.
    pub async fn signal(
        &mut self,
        run: RunId,
        kind: SignalKind<'_>,
        dedupe: Option<&str>,
        payload: &Value,
    ) -> Result<bool, StoreError> {
        self.record_part(CommitPart::Signal);
        let (kind, name) = match kind {
            SignalKind::Named(name) => (NAMED, Some(name)),
            SignalKind::Order(order) => (order, None),
        };
        let id: SignalId = self.mint();
        let stored = self
            .rows(
                "INSERT INTO signal (run_id, id, kind, name, dedupe, payload, at, consumed_seq)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, NULL) ON CONFLICT DO NOTHING RETURNING id",
                &params![run, id, kind, name, dedupe, payload.to_string(), self.now()],
            )
            .await?;
        if stored.is_empty() {
            return Ok(false);
        }
        if PlantedFault::SignalWakesNobody.is_active() {
            return Ok(true);
        }
        self.wake(run);
        if name.is_some() {
            for branch in self.live_branches(run).await? {
                self.wake(branch);
            }
        }
        Ok(true)
    }

    /// Whether the run has a signal with the key `dedupe`, consumed or not. If `kind` is an order, only
    /// orders of the same kind count. If `kind` is a named signal, named signals of any name count.
    pub async fn has_signal(
        &mut self,
        run: RunId,
        kind: SignalKind<'_>,
        dedupe: &str,
    ) -> Result<bool, StoreError> {
        let kind = match kind {
            SignalKind::Named(_) => NAMED,
            SignalKind::Order(order) => order,
        };
        let row = self
            .row(
                "SELECT id FROM signal WHERE run_id = $1 AND kind = $2 AND dedupe = $3",
                &params![run, kind, dedupe],
            )
            .await?;
        Ok(row.is_some())
    }

    /// Returns the run's oldest unconsumed signal whose name is one of `names`.
    pub async fn first_named(
        &mut self,
        run: RunId,
        names: &[&str],
    ) -> Result<Option<SignalRow>, StoreError> {
        let mut wanted = Rows::new(&[("name", ColumnType::Text)]);
        for name in names {
            wanted.push([Param::from(*name)]);
        }
        if wanted.is_empty() {
            return Ok(None);
        }
        let rows = self
            .bulk(
                "SELECT s.id, s.kind, s.name, s.payload, s.at FROM {rows}
                 JOIN signal s ON s.run_id = $1 AND s.name = v.name
                 WHERE s.consumed_seq IS NULL ORDER BY s.at, s.id LIMIT 1",
                &params![run],
                &wanted,
            )
            .await?;
        rows.first().map(read).transpose()
    }

    /// Marks a named signal as consumed by the commit with the sequence number `seq`. Returns `false` if
    /// another branch has already consumed the signal.
    pub async fn consume_named(
        &mut self,
        run: RunId,
        signal: SignalId,
        seq: i64,
    ) -> Result<bool, StoreError> {
        if PlantedFault::SignalNeverConsumed.is_active() {
            return Ok(true);
        }
        let taken = self
            .execute(
                "UPDATE signal SET consumed_seq = $3
                 WHERE run_id = $1 AND id = $2 AND consumed_seq IS NULL",
                &params![run, signal, seq],
            )
            .await?;
        Ok(taken == 1)
    }

    /// Returns the kinds of the orders that a run has not obeyed yet, oldest first.
    pub async fn open_orders(&mut self, run: RunId) -> Result<Vec<String>, StoreError> {
        let rows = self
            .rows(
                "SELECT kind FROM signal
                 WHERE run_id = $1 AND name IS NULL AND consumed_seq IS NULL ORDER BY at, id",
                &params![run],
            )
            .await?;
        rows.iter().map(|row| row.text("kind")).collect()
    }

    /// Returns the signals that a run has not consumed, as [`Self::open_signals_of`] does.
    pub async fn open_signals(&mut self, run: RunId) -> Result<OpenSignals, StoreError> {
        Ok(self.open_signals_of(&[run]).await?.remove(&run).unwrap_or_default())
    }

    /// Returns, by run, the signals that the given runs have not consumed. Of the named signals of a run, returns
    /// the oldest ones only, because each may be large.
    pub async fn open_signals_of(
        &mut self,
        runs: &[RunId],
    ) -> Result<BTreeMap<RunId, OpenSignals>, StoreError> {
        let rows = self
            .bulk(
                "SELECT s.run_id, s.id, s.kind, s.name, s.payload, s.at FROM {rows}
                 {each signal s} s.run_id = v.id AND s.consumed_seq IS NULL AND (s.name IS NULL OR s.id IN (
                    SELECT o.id FROM signal o WHERE o.run_id = v.id AND o.consumed_seq IS NULL AND o.name IS NOT NULL
                    ORDER BY o.at, o.id LIMIT $1)) {end each}
                 ORDER BY s.at, s.id",
                &params![NAMED_IN_MEMORY_MAX + 1],
                &Rows::ids(runs),
            )
            .await?;
        let mut open: BTreeMap<RunId, OpenSignals> = BTreeMap::new();
        for row in &rows {
            let of_run = open.entry(row.id("run_id")?).or_default();
            let signal = read(row)?;
            match &signal.name {
                None => of_run.orders.push(signal),
                Some(_) if of_run.named.len() as i64 == NAMED_IN_MEMORY_MAX => {
                    of_run.more_named = true
                }
                Some(_) => of_run.named.push(signal),
            }
        }
        Ok(open)
    }
}

fn read(row: &Row) -> Result<SignalRow, StoreError> {
    Ok(SignalRow {
        id: row.id("id")?,
        kind: row.text("kind")?,
        name: row.opt_text("name")?,
        payload: row.json("payload")?,
        at: row.at("at")?,
    })
}
