//! The one atomic commit of a run's step, and the statements that write many of them at once.
//!
//! A commit is guarded by `(epoch, seq)` in a single statement: the head moves from `seq` to
//! `seq + 1` only while the run's `turn` row carries the epoch of the committing owner. An owner
//! that was taken for dead finds another epoch; a stale memory of an owner finds another seq. The same
//! statement compares the version of the settings that the step went by, so that no step reads it. A step
//! that changes the turn locks it first: between this look at the epoch and the change nobody claims.

use super::faults::Part;
use std::collections::BTreeMap;

use super::error::StoreError;
use super::ledger::LedgerRow;
use super::param::{Kind, Param};
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{Digest, RunId, SignalId, Timestamp, TypedId};
use crate::planted::Planted;

/// What a run's head says after the commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// `pending running waiting paused completed failed cancelled`.
    pub status: &'static str,
    /// `succeeded` or `fell_short`, once completed.
    pub outcome: Option<&'static str>,
    /// The state machine's state as JSON.
    pub state: String,
    /// The last link of the run's chain.
    pub last_hash: Digest,
    /// The time of the run's latest event.
    pub last_at: Timestamp,
    /// When the run ended.
    pub ended_at: Option<Timestamp>,
}

/// What becomes of the run's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnChange {
    /// The owner goes on at once.
    Keep,
    /// The owner goes on at once, and that it came further speaks for the run: earlier claims that
    /// came to nothing count no more.
    Progress,
    /// The owner lets go until `due_at` or a wake-up. If the run was woken since the owner last
    /// looked (`seen_wake`), it is due at once instead.
    Park {
        /// When to look again; none if only a wake-up can end the wait.
        due_at: Option<Timestamp>,
        /// The wake counter that the owner had seen before it looked.
        seen_wake: i64,
        /// When an operator may call the run stuck.
        expected_by: Option<Timestamp>,
    },
    /// The run has ended; its turn is deleted.
    End,
}

/// A variable that a step assigned.
#[derive(Debug, Clone, PartialEq)]
pub struct VarRow {
    /// The variable's name.
    pub name: String,
    /// The value's JSON text, if it is small.
    pub value: Option<String>,
    /// The digest under which a large value is kept.
    pub blob: Option<Digest>,
}

/// A wait that a step armed: see the `wait` table.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitRow {
    /// The node's key.
    pub frame: String,
    /// The request whose replies are awaited.
    pub partition: uuid::Uuid,
    /// The tally cell whose `yes` counts.
    pub yes_cell: String,
    /// The tally cells whose `open` tells whether hope is left.
    pub open_cells: Vec<String>,
    /// How many are needed.
    pub need: i64,
}

/// Everything that one step of a run writes, all of it or nothing.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The run.
    pub run: RunId,
    /// The owner's epoch.
    pub epoch: i64,
    /// The head's sequence number that the owner saw.
    pub seq: i64,
    /// The version of the tenant whose settings the step went by; none compares nothing.
    pub settings_version: Option<i64>,
    /// The new head.
    pub head: Head,
    /// Events and receipts of the run's stream.
    pub events: Vec<LedgerRow>,
    /// Assigned variables.
    pub vars: Vec<VarRow>,
    /// Large values by digest.
    pub blobs: Vec<(Digest, String)>,
    /// Signals that this step consumed.
    pub consumed: Vec<SignalId>,
    /// A wait that begins.
    pub armed: Option<WaitRow>,
    /// The node key of a wait that ends.
    pub disarmed: Option<String>,
    /// The texts, and their version, that the run goes by from now on, if they are others.
    pub repinned: Option<(Digest, i64)>,
    /// What becomes of the turn.
    pub turn: TurnChange,
}

/// How the database answered one commit of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// Written; the run's wake counter as it stands.
    Done {
        /// The run's wake counter at the commit; another value than before means: look at signals.
        wake: i64,
    },
    /// Another epoch, another seq, or another version of the tenant's settings: nothing of this run was
    /// written.
    Stale,
}

const HEADS: &[(&str, Kind)] = &[
    ("id", Kind::Id),
    ("epoch", Kind::Int),
    ("seq", Kind::Int),
    ("status", Kind::Text),
    ("outcome", Kind::Text),
    ("state", Kind::Text),
    ("hash", Kind::Bytes),
    ("at", Kind::Int),
    ("ended", Kind::Int),
    ("settings", Kind::Int),
];

/// Writes a batch of commits of different runs, set-based; answers in their order.
///
/// A stale member is left out with all its rows; any error is the whole batch's.
pub(super) async fn apply(tx: &mut Tx, commits: &[&Commit]) -> Result<Vec<Committed>, StoreError> {
    tx.holds(Part::Step);
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

/// Moves the heads of the runs that stand where the commit takes them to stand. `$from` gives the rows whose
/// turns still name their owner, `$before` what it reads from, `$seen` compares where the run stands.
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
             RETURNING run.id, (SELECT wake FROM turn w WHERE w.run_id = run.id)"
        )
    };
}

const MOVE: &str = move_heads!("", "{rows} JOIN turn t ON t.run_id = v.id AND t.epoch = v.epoch");

/// The planted fault: it compares neither the owner nor how far the run has come.
const MOVE_STALE: &str =
    move_heads!("", "{rows} JOIN turn t ON t.run_id = v.id", "run.seq >= v.seq");

/// The same behind locks on the turns, taken in one order whatever batches they come in.
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
        _ if Planted::StaleOwnerAccepted.is_in() => MOVE_STALE,
        true => LOCK_AND_MOVE,
        false => MOVE,
    };
    let moved = tx.bulk(sql, &[], &rows).await?;
    moved.iter().map(|row| Ok((row.id(0)?, row.int(1)?))).collect()
}

/// Used by statements that take a list of runs.
pub(super) fn run_rows(runs: impl IntoIterator<Item = RunId>) -> Rows {
    let mut rows = Rows::new(&[("id", Kind::Id)]);
    let mut sorted: Vec<RunId> = runs.into_iter().collect();
    sorted.sort_unstable();
    for run in sorted {
        rows.push([Param::Id(Some(run.uuid()))]);
    }
    rows
}
