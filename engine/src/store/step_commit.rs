//! Writes the commit of a run's step atomically, or the commits of many runs with the same statements.
//!
//! One statement moves the head from `seq` to `seq + 1`, but only if the run's `turn` row still
//! has the epoch of the committing owner. An owner that was declared dead finds a different epoch.
//! An owner with an outdated copy of the run finds a different `seq`.
//! The statement also checks that the tenant's settings have not changed since the step used them,
//! so that no step needs a query of its own to check this.
//! If the step decided by rows that others may have changed, the statement checks that nothing has woken the run since,
//! and that no message came before the deadline that passes.
//! A step that changes the turn locks the turn first, so that no node can claim the run between the check
//! of the epoch and the change.

use std::collections::BTreeMap;

use super::commit::{Commit, Committed, TurnChange, Unwoken};
use super::dialect::Dialect;
use super::error::StoreError;
use super::faults::CommitPart;
use super::param::{ColumnType, Param};
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{RunId, Timestamp};
use crate::planted::PlantedFault;

impl Tx {
    /// Writes the commit of a run's step inside this transaction.
    /// First locks the turns of the run and of all runs that the transaction wakes,
    /// so the caller must have registered all these wake-ups before.
    pub async fn commit_step(&mut self, commit: Commit) -> Result<Committed, StoreError> {
        super::turn::lock_with_woken(self, &commit).await?;
        let outcome = apply(self, &[&commit]).await?;
        Ok(outcome.into_iter().next().unwrap_or(Committed::Stale))
    }

    /// Writes the commits of different runs with a few statements.
    /// Returns the results in the order of `commits`.
    pub(super) async fn apply(
        &mut self,
        commits: &[&Commit],
    ) -> Result<Vec<Committed>, StoreError> {
        apply(self, commits).await
    }
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
    ("deadline", ColumnType::Int),
    ("seen_wake", ColumnType::Int),
];

/// Writes the commits of different runs with a few set-based statements.
/// Returns the results in the order of `commits`.
///
/// Skips each stale commit with all its rows. Any error fails the whole batch.
async fn apply(tx: &mut Tx, commits: &[&Commit]) -> Result<Vec<Committed>, StoreError> {
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

/// Assigns the status of a run, its outcome and its end.
macro_rules! status {
    () => {
        "status = v.status, outcome = v.outcome, ended_at = v.ended, "
    };
}

/// Builds the statement that advances the heads of runs. `$from` selects the rows whose turns
/// still have the epoch of the committing owner. `$before` is a `WITH` clause that `$from` may read from.
/// `$seen` compares the run's sequence number with the one that the commit expects. `$status` assigns the status and what comes
/// with it.
macro_rules! move_heads {
    ($before:expr, $from:expr) => {
        move_heads!($before, $from, "run.seq = v.seq", status!())
    };
    ($before:expr, $from:expr, $seen:literal, $status:expr) => {
        concat!(
            $before,
            "UPDATE run SET seq = run.seq + 1, ",
            $status,
            "state = v.state, last_hash = v.hash, last_at = v.at FROM ",
            $from,
            " WHERE run.id = v.id AND ",
            $seen,
            " AND (v.settings IS NULL OR v.settings = \
             coalesce((SELECT n.version FROM tenant n WHERE n.id = run.tenant), 0)) \
             RETURNING run.id, (SELECT w.wake FROM turn w WHERE w.run_id = run.id) AS wake"
        )
    };
}

/// Joins the turns that still have the epoch of the committing owner. If the commit says so, the run must not have been woken
/// since, and no message that was received by the deadline may be unapplied.
macro_rules! owned_turns {
    () => {
        "{rows} JOIN turn t ON t.run_id = v.id AND t.epoch = v.epoch AND (v.seen_wake IS NULL
            OR (t.wake = v.seen_wake AND (v.deadline IS NULL OR NOT EXISTS (SELECT 1 FROM inbound i
                WHERE i.tenant = t.tenant AND i.applied_at IS NULL AND i.received_at <= v.deadline))))"
    };
}

const MOVE: &str = move_heads!("", owned_turns!());

/// Like `MOVE`, for runs that keep their status. SQLite writes an index again whenever a statement assigns one of its columns,
/// even the same value.
const MOVE_ALONG: &str = move_heads!("", owned_turns!(), "run.seq = v.seq", "");

/// Replaces `MOVE` and `LOCK_AND_MOVE` if a test has planted [`PlantedFault::StaleOwnerAccepted`]:
/// the statement does not compare the owner's epoch, and it accepts an outdated sequence number.
const MOVE_STALE: &str =
    move_heads!("", "{rows} JOIN turn t ON t.run_id = v.id", "run.seq >= v.seq", status!());

/// Like `MOVE`, but locks the turns first. All batches lock turns sorted by id, so they cannot deadlock.
const LOCK_AND_MOVE: &str = move_heads!(
    concat!(
        "WITH mine AS MATERIALIZED (SELECT v.* FROM ",
        owned_turns!(),
        " ORDER BY t.run_id {for_update}) "
    ),
    "mine v"
);

/// Advances the heads. A server locks the turns of all runs in ascending order, so all are advanced by one statement there.
async fn move_heads(tx: &mut Tx, commits: &[&Commit]) -> Result<BTreeMap<RunId, i64>, StoreError> {
    let splits = tx.dialect() == Dialect::Sqlite && !PlantedFault::StaleOwnerAccepted.is_active();
    let (along, others): (Vec<&Commit>, Vec<&Commit>) =
        commits.iter().copied().partition(|commit| splits && commit.keeps_status);
    let changes_turn = others.iter().any(|commit| commit.turn != TurnChange::Keep);
    let sql = match changes_turn {
        _ if PlantedFault::StaleOwnerAccepted.is_active() => MOVE_STALE,
        true => LOCK_AND_MOVE,
        false => MOVE,
    };
    let mut wakes = advance(tx, MOVE_ALONG, &along).await?;
    wakes.extend(advance(tx, sql, &others).await?);
    Ok(wakes)
}

async fn advance(
    tx: &mut Tx,
    sql: &'static str,
    commits: &[&Commit],
) -> Result<BTreeMap<RunId, i64>, StoreError> {
    if commits.is_empty() {
        return Ok(BTreeMap::new());
    }
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
            commit.unless.and_then(barrier).into(),
            commit.unless.map(|unless| unless.seen_wake).into(),
        ]);
    }
    let moved = tx.bulk(sql, &[], &rows).await?;
    moved.iter().map(|row| Ok((row.id("id")?, row.int("wake")?))).collect()
}

/// Returns the instant by which all messages must be applied for a deadline to pass.
fn barrier(unless: Unwoken) -> Option<i64> {
    unless
        .deadline
        .filter(|_| !PlantedFault::DeadlineBeforeReply.is_active())
        .map(Timestamp::micros)
}
