//! The atomic commit of one step of a run, and the statements that write many commits at once.
//!
//! A single statement guards a commit by `(epoch, seq)`: the head
//! moves from `seq` to `seq + 1` only if the run's `turn` row has the epoch of the committing owner.
//! An owner that was declared dead finds a different epoch. An owner with a stale copy of the run finds
//! a different seq. The same statement compares the version of the tenant's settings that the step used,
//! so that no step has to read it. A step that changes the turn locks it first, so no node can claim
//! the run between the check of the epoch and the change.

use super::faults::CommitPart;
use std::collections::BTreeMap;

use super::error::StoreError;
use super::ledger::LedgerRow;
use super::param::{ColumnType, Param};
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{Digest, RunId, SignalId, Timestamp, TypedId};
use crate::planted::PlantedFault;

/// The head of a run after the commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// The status: `pending`, `running`, `waiting`, `paused`, `completed`, `failed` or `cancelled`.
    pub status: &'static str,
    /// The outcome, `succeeded` or `fell_short`, once the run is completed.
    pub outcome: Option<&'static str>,
    /// The state of the state machine, as JSON.
    pub state: String,
    /// The last hash of the run's chain.
    pub last_hash: Digest,
    /// The time of the run's latest event.
    pub last_at: Timestamp,
    /// When the run ended; `None` while it is live.
    pub ended_at: Option<Timestamp>,
}

/// The change to the run's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnChange {
    /// The turn stays unchanged, because the owner continues at once.
    Keep,
    /// The owner continues at once, and its progress resets the count
    /// of claims that ended without a commit.
    Progress,
    /// The owner releases the run until `due_at` or a wake-up. If the run was woken after the owner read
    /// `seen_wake`, it is due at once instead.
    Park {
        /// When to check the run again; `None` if only a wake-up can end its wait.
        due_at: Option<Timestamp>,
        /// The wake counter that the owner read before it checked whether the wait is over.
        seen_wake: i64,
        /// The time after which the run counts as stuck.
        expected_by: Option<Timestamp>,
    },
    /// The run has ended; its turn is deleted.
    End,
}

/// A variable assigned by a step.
#[derive(Debug, Clone, PartialEq)]
pub struct VarRow {
    /// The variable's name.
    pub name: String,
    /// The value as a JSON string, if it is small.
    pub value: Option<String>,
    /// The digest of the value, if it is large and stored separately.
    pub blob: Option<Digest>,
}

/// A wait that a step begins: a row of the `wait` table.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitRow {
    /// The key of the node that waits.
    pub frame: String,
    /// The request whose replies are awaited.
    pub partition: uuid::Uuid,
    /// The tally cell whose `yes` count is compared with `need`.
    pub yes_cell: String,
    /// The tally cells whose `open` counts tell whether more replies can come.
    pub open_cells: Vec<String>,
    /// The number of acceptances that ends the wait.
    pub need: i64,
}

/// Everything that one step of a run writes, atomically.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The run whose step is committed.
    pub run: RunId,
    /// The epoch of the owner's claim.
    pub epoch: i64,
    /// The sequence number of the head as the owner read it.
    pub seq: i64,
    /// The version of the tenant's settings that the step used; `None` skips the comparison.
    pub settings_version: Option<i64>,
    /// The run's new head.
    pub head: Head,
    /// The events and receipts of the run's stream.
    pub events: Vec<LedgerRow>,
    /// The variables that the step assigned.
    pub vars: Vec<VarRow>,
    /// The large values that the step stores, with their digests.
    pub blobs: Vec<(Digest, String)>,
    /// The signals that the step consumed.
    pub consumed: Vec<SignalId>,
    /// The wait that begins with this step.
    pub armed: Option<WaitRow>,
    /// The node key of the wait that ends with this step.
    pub disarmed: Option<String>,
    /// The bundle and version that the run is pinned to from now on; `None` if they stay the same.
    pub repinned: Option<(Digest, i64)>,
    /// The change to the run's turn.
    pub turn: TurnChange,
}

/// The result of one commit of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// The commit was written.
    Done {
        /// The run's wake counter at the commit. If it differs from the value that the owner read
        /// earlier, new signals may have arrived.
        wake: i64,
    },
    /// The commit was left out: the run's epoch, its seq or the version
    /// of its tenant's settings has changed.
    Stale,
}

const HEADS: &[(&str, ColumnType)] = &[
    ("id", ColumnType::Id),
    ("epoch", ColumnType::Int),
    ("seq", ColumnType::Int),
    ("status", ColumnType::Text),
    ("outcome", ColumnType::Text),
    ("state", ColumnType::Text),
    ("hash", ColumnType::Bytes),
    ("at", ColumnType::Int),
    ("ended", ColumnType::Int),
    ("settings", ColumnType::Int),
];

/// Writes the commits of different runs with a few set-based statements.
/// Returns the results in the order of `commits`.
///
/// A stale commit is left out with all its rows. Any error fails the whole batch.
pub(super) async fn apply(tx: &mut Tx, commits: &[&Commit]) -> Result<Vec<Committed>, StoreError> {
    tx.record_part(CommitPart::Step);
    let mut wakes = move_heads(tx, commits).await?;
    let live: Vec<&Commit> =
        commits.iter().copied().filter(|c| wakes.contains_key(&c.run)).collect();
    super::upgrade::repin(tx, &live).await?;
    super::ledger::insert(tx, live.iter().flat_map(|c| &c.events)).await?;
    super::blob::insert(tx, live.iter().flat_map(|c| &c.blobs)).await?;
    super::var::upsert(tx, &live).await?;
    super::signal::consume(tx, &live).await?;
    super::wait::change(tx, &live).await?;
    wakes.extend(super::turn::change(tx, &live).await?);
    Ok(commits
        .iter()
        .map(|c| wakes.get(&c.run).map_or(Committed::Stale, |wake| Committed::Done { wake: *wake }))
        .collect())
}

/// Builds the statement that advances the heads of runs. `$from` selects the rows whose turns
/// still have the epoch of the committing owner. `$before` is a `WITH` clause that `$from` may read from.
/// `$seen` compares the run's sequence number with the one that the commit expects.
macro_rules! move_heads {
    ($before:literal, $from:literal) => {
        move_heads!($before, $from, "run.seq = v.seq")
    };
    ($before:literal, $from:literal, $seen:literal) => {
        concat!(
            $before,
            "UPDATE run SET seq = run.seq + 1, status = v.status, outcome = v.outcome, \
             state = v.state, last_hash = v.hash, last_at = v.at, ended_at = v.ended FROM ",
            $from,
            " WHERE run.id = v.id AND ",
            $seen,
            " AND (v.settings IS NULL OR v.settings = \
             coalesce((SELECT n.version FROM tenant n WHERE n.id = run.tenant), 0)) \
             RETURNING run.id, (SELECT w.wake FROM turn w WHERE w.run_id = run.id) AS wake"
        )
    };
}

const MOVE: &str = move_heads!("", "{rows} JOIN turn t ON t.run_id = v.id AND t.epoch = v.epoch");

/// A planted fault: the statement does not compare the owner's epoch,
/// and it accepts an outdated sequence number.
const MOVE_STALE: &str =
    move_heads!("", "{rows} JOIN turn t ON t.run_id = v.id", "run.seq >= v.seq");

/// Like `MOVE`, but locks the turns first. All batches lock in the same order, so they cannot deadlock.
const LOCK_AND_MOVE: &str = move_heads!(
    "WITH mine AS MATERIALIZED (SELECT v.* FROM {rows} \
     JOIN turn t ON t.run_id = v.id AND t.epoch = v.epoch ORDER BY t.run_id {for_update}) ",
    "mine v"
);

async fn move_heads(tx: &mut Tx, commits: &[&Commit]) -> Result<BTreeMap<RunId, i64>, StoreError> {
    let mut rows = Rows::new(HEADS);
    for commit in commits {
        let head = &commit.head;
        rows.push([
            commit.run.into(),
            commit.epoch.into(),
            commit.seq.into(),
            head.status.into(),
            head.outcome.into(),
            Param::from(&head.state),
            head.last_hash.into(),
            head.last_at.into(),
            head.ended_at.into(),
            commit.settings_version.into(),
        ]);
    }
    let changes_turn = commits.iter().any(|commit| commit.turn != TurnChange::Keep);
    let sql = match changes_turn {
        _ if PlantedFault::StaleOwnerAccepted.is_active() => MOVE_STALE,
        true => LOCK_AND_MOVE,
        false => MOVE,
    };
    let moved = tx.bulk(sql, &[], &rows).await?;
    moved.iter().map(|row| Ok((row.id("id")?, row.int("wake")?))).collect()
}

/// Builds the sorted rows that pass a list of runs to a statement.
pub(super) fn run_rows(runs: impl IntoIterator<Item = RunId>) -> Rows {
    let mut rows = Rows::new(&[("id", ColumnType::Id)]);
    let mut sorted: Vec<RunId> = runs.into_iter().collect();
    sorted.sort_unstable();
    for run in sorted {
        rows.push([Param::Id(Some(run.uuid()))]);
    }
    rows
}
