//! Reads and changes turns. The turn of a run is the small row that says who may work on the run, and when.
//! Any transaction may wake a run. Only the run's owner may park the run again after the wake-up.
//!
//! A transaction that changes several turns first locks all of them, in ascending order of the ids of the
//! runs. All transactions lock in the same order and so cannot deadlock.
//! A run comes before its children, because ids are ordered by time.

use super::faults::CommitPart;
use std::collections::BTreeSet;

use super::commit::{Commit, TurnChange};
use super::dialect::Dialect;
use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::refs::Fence;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{Digest, NodeId, RunId, Timestamp};
use crate::params;
use crate::planted::PlantedFault;

/// The value of `stuck_on` for a run that no running process can continue.
pub const NO_CAPABLE_NODE: &str = "no capable node";

/// A claim: the right to work on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// The run that is claimed.
    pub run: RunId,
    /// The epoch that guards every commit of this owner.
    pub epoch: i64,
    /// The wake counter at the time of the claim.
    pub wake: i64,
    /// Number of claims since the run last made progress. The number grows if the run crashes its owners.
    pub claims: i64,
}

impl Claim {
    /// Returns the run's id and epoch, which prove the ownership.
    #[must_use]
    pub const fn fence(&self) -> Fence {
        Fence { run: self.run, epoch: self.epoch }
    }
}

/// Changes the turns of a batch of steps. The turns must be locked already. Returns the wake counter of
/// each run that is parked. Because the turns are locked, no other transaction can increment these
/// counters before this commit.
pub(super) async fn change(
    tx: &mut Tx,
    commits: &[&Commit],
) -> Result<Vec<(RunId, i64)>, StoreError> {
    let mut parked = Rows::new(&[
        ("id", ColumnType::Id),
        ("due", ColumnType::Int),
        ("seen", ColumnType::Int),
        ("expected", ColumnType::Int),
    ]);
    let (mut further, mut ended) = (Vec::new(), Vec::new());
    for commit in commits {
        match commit.turn {
            TurnChange::Keep => {}
            TurnChange::Progress => further.push(commit.run),
            TurnChange::Park { due_at, seen_wake, expected_by } => {
                let seen = Some(seen_wake).filter(|_| !PlantedFault::WakeUpLost.is_active());
                parked.push([commit.run.into(), due_at.into(), seen.into(), expected_by.into()]);
            }
            TurnChange::End if PlantedFault::EndedRunContinues.is_active() => {
                parked.push([
                    commit.run.into(),
                    Param::Int(None),
                    Param::Int(None),
                    Param::Int(None),
                ]);
            }
            TurnChange::End => ended.push(commit.run),
        }
    }
    tx.bulk_unless_empty(
        "UPDATE turn SET claims = 0 WHERE run_id IN (SELECT id FROM {rows})",
        &Rows::ids(&further),
    )
    .await?;
    tx.bulk_unless_empty(
        "DELETE FROM turn WHERE run_id IN (SELECT id FROM {rows})",
        &Rows::ids(&ended),
    )
    .await?;
    if parked.is_empty() {
        return Ok(Vec::new());
    }
    let now = tx.now();
    let rows = tx
        .bulk(
            "UPDATE turn SET owner = NULL, claims = 0, stuck_on = NULL, expected_by = v.expected,
                due_at = CASE WHEN turn.wake <> v.seen THEN $1 ELSE v.due END
             FROM {rows} WHERE turn.run_id = v.id RETURNING turn.run_id, turn.wake",
            &params![now],
            &parked,
        )
        .await?;
    rows.iter().map(|row| Ok((row.id("run_id")?, row.int("wake")?))).collect()
}

/// Makes runs due now and increments their wake counters, even if the runs are due already.
/// Must be the last change of its transaction.
pub(super) async fn wake(tx: &mut Tx, runs: Vec<RunId>) -> Result<(), StoreError> {
    let fresh: BTreeSet<RunId> = runs.iter().copied().filter(|r| !tx.turns.contains(r)).collect();
    if fresh.len() > 1 {
        lock(tx, fresh).await?;
    }
    let rows = Rows::ids(&runs);
    let now = tx.now();
    if rows.is_empty() {
        return Ok(());
    }
    tx.bulk(
        "UPDATE turn SET wake = turn.wake + 1,
            due_at = CASE WHEN turn.due_at IS NULL OR turn.due_at > $1 THEN $1 ELSE turn.due_at END
         FROM {rows} WHERE turn.run_id = v.id",
        &params![now],
        &rows,
    )
    .await
    .map(drop)
}

/// Locks the turn of a run whose step is about to be committed, together with
/// the turns of all runs that the step wakes. If the step wakes no run, locks
/// nothing, because the commit itself then locks the turn of the step's run.
pub(super) async fn lock_with_woken(tx: &mut Tx, commit: &Commit) -> Result<(), StoreError> {
    if tx.dialect() == Dialect::Sqlite {
        return Ok(());
    }
    let mut runs = woken(tx).await?;
    let own = Some(commit.run).filter(|_| commit.turn != TurnChange::Keep);
    if runs.is_empty() {
        tx.turns.extend(own);
        return Ok(());
    }
    runs.extend(own);
    lock(tx, runs).await
}

/// Returns the runs that the transaction wakes when it ends, as far as they are known so far.
async fn woken(tx: &mut Tx) -> Result<BTreeSet<RunId>, StoreError> {
    let mut runs = tx.wakes.clone();
    for partition in tx.tallied.clone() {
        runs.extend(super::wait::satisfied(tx, partition).await?);
    }
    Ok(runs)
}

/// Locks turns in ascending order of their ids, as all transactions do.
/// Turns that this transaction locks later must have higher ids.
async fn lock(tx: &mut Tx, mut runs: BTreeSet<RunId>) -> Result<(), StoreError> {
    runs.retain(|run| !tx.turns.contains(run));
    if tx.dialect() == Dialect::Sqlite || runs.is_empty() {
        return Ok(());
    }
    debug_assert!(tx.turns.last() < runs.first(), "turns locked out of order");
    tx.bulk(
        "SELECT turn.run_id FROM turn WHERE run_id IN (SELECT id FROM {rows}) ORDER BY run_id {for_update}",
        &[],
        &Rows::ids(&runs),
    )
    .await?;
    tx.turns.append(&mut runs);
    Ok(())
}

fn bundle_rows(bundles: &BTreeSet<Digest>) -> Rows {
    let mut rows = Rows::new(&[("digest", ColumnType::Bytes)]);
    for bundle in bundles {
        rows.push([(*bundle).into()]);
    }
    rows
}

fn claim(row: &super::row::Row) -> Result<Claim, StoreError> {
    Ok(Claim {
        run: row.id("run_id")?,
        epoch: row.int("epoch")?,
        wake: row.int("wake")?,
        claims: row.int("claims")?,
    })
}

impl Tx {
    /// Locks the turns of a run, of its parent, and of all runs that this transaction will wake. After
    /// that, the transaction may wake another run only if the id of that run is higher than all locked ids.
    pub(super) async fn lock_related_turns(&mut self, run: RunId) -> Result<(), StoreError> {
        if self.dialect() == Dialect::Sqlite {
            return Ok(());
        }
        let parent = self.row("SELECT parent FROM run WHERE id = $1", &params![run]).await?;
        let parent = parent.map(|row| row.opt_id("parent")).transpose()?.flatten();
        let mut runs = woken(self).await?;
        runs.extend(parent.into_iter().chain([run]));
        lock(self, runs).await
    }

    /// Returns due runs without claiming them, sorted by due time, for a database
    /// that only one process drives (SQLite). Leaves out the runs of a paused tenant,
    /// even if they are not marked as held yet. Also leaves out stuck runs that are
    /// pinned to a bundle in `unfit`, because this process cannot continue them.
    pub async fn due_turns(
        &mut self,
        now: Timestamp,
        limit: i64,
        unfit: &BTreeSet<Digest>,
    ) -> Result<Vec<Claim>, StoreError> {
        let rows = self
            .bulk(
                "SELECT run_id, epoch, wake, claims FROM turn
                 WHERE owner IS NULL AND held = 0 AND due_at IS NOT NULL AND due_at <= $1
                    AND NOT EXISTS (SELECT 1 FROM tenant t WHERE t.id = turn.tenant AND t.paused = 1)
                    AND (stuck_on IS NULL OR NOT EXISTS (SELECT 1 FROM {rows}
                        JOIN run r ON r.id = turn.run_id AND r.bundle = v.digest))
                 ORDER BY due_at, run_id LIMIT $2",
                &params![now, limit],
                &bundle_rows(unfit),
            )
            .await?;
        rows.iter().map(claim).collect()
    }

    /// Claims due runs for `node`, sorted by due time, on a database that several processes drive
    /// (PostgreSQL). Leaves out the runs of a paused tenant, even if they are not marked as held
    /// yet because they were started while the tenant was being paused. Also leaves out stuck
    /// runs that are pinned to a bundle in `unfit`, because this process cannot continue them.
    pub async fn claim_turns(
        &mut self,
        node: NodeId,
        now: Timestamp,
        limit: i64,
        unfit: &BTreeSet<Digest>,
    ) -> Result<Vec<Claim>, StoreError> {
        self.record_part(CommitPart::Claim);
        let rows = self
            .bulk(
                "WITH c AS MATERIALIZED (SELECT run_id FROM turn
                    WHERE owner IS NULL AND held = 0 AND due_at IS NOT NULL AND due_at <= $2
                        AND NOT EXISTS (SELECT 1 FROM tenant t WHERE t.id = turn.tenant AND t.paused = 1)
                        AND (stuck_on IS NULL OR NOT EXISTS (SELECT 1 FROM {rows}
                            JOIN run r ON r.id = turn.run_id AND r.bundle = v.digest))
                    ORDER BY due_at, run_id LIMIT $3 {for_update} {skip_locked})
                 UPDATE turn SET owner = $1, epoch = turn.epoch + 1, claims = turn.claims + 1
                 FROM c WHERE turn.run_id = c.run_id
                 RETURNING turn.run_id, turn.epoch, turn.wake, turn.claims, turn.due_at",
                &params![node, now, limit],
                &bundle_rows(unfit),
            )
            .await?;
        // The claims are sorted, because PostgreSQL returns the changed rows in no particular order.
        let claimed = rows.iter().map(|row| Ok((row.at("due_at")?, claim(row)?)));
        let mut claimed: Vec<(Timestamp, Claim)> = claimed.collect::<Result<_, StoreError>>()?;
        claimed.sort_unstable_by_key(|(due, claim)| (*due, claim.run));
        Ok(claimed.into_iter().map(|(_, claim)| claim).collect())
    }

    /// Returns the run and epoch of each claim of `node`.
    pub async fn turns_of(&mut self, node: NodeId) -> Result<Vec<Fence>, StoreError> {
        let sql = "SELECT run_id, epoch FROM turn WHERE owner = $1 ORDER BY run_id";
        let rows = self.rows(sql, &params![node]).await?;
        rows.iter()
            .map(|row| Ok(Fence { run: row.id("run_id")?, epoch: row.int("epoch")? }))
            .collect()
    }

    /// Releases a claimed run without a commit, so that it is due again at `due_at`.
    /// The claim does not count against the run, because an owner that releases a run has not crashed.
    pub async fn release_turn(
        &mut self,
        claim: Fence,
        due_at: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE turn SET owner = NULL, due_at = $3, claims = CASE WHEN claims > 0 THEN claims - 1 ELSE 0 END
             WHERE run_id = $1 AND epoch = $2",
            &params![claim.run, claim.epoch, due_at],
        )
        .await
        .map(drop)
    }

    /// Releases a claimed run that this process cannot continue, and marks the run as stuck,
    /// so that only a process that can continue the run claims it.
    pub async fn release_as_stuck(&mut self, claim: Fence) -> Result<(), StoreError> {
        self.execute(
            "UPDATE turn SET owner = NULL, stuck_on = $3,
                claims = CASE WHEN claims > 0 THEN claims - 1 ELSE 0 END
             WHERE run_id = $1 AND epoch = $2",
            &params![claim.run, claim.epoch, NO_CAPABLE_NODE],
        )
        .await
        .map(drop)
    }

    /// Marks the live runs that are pinned to the bundles `unfit` as stuck, because
    /// no running process can continue these runs. Clears the mark of all other runs.
    pub async fn mark_stuck(&mut self, unfit: &BTreeSet<Digest>) -> Result<(), StoreError> {
        let rows = bundle_rows(unfit);
        self.bulk(
            "WITH c AS MATERIALIZED (SELECT t.run_id, EXISTS (SELECT 1 FROM {rows}
                    JOIN run r ON r.id = t.run_id AND r.bundle = v.digest) AS stuck FROM turn t
                WHERE t.run_id IN (SELECT s.run_id FROM turn s WHERE s.stuck_on IS NOT NULL
                    UNION SELECT r.id FROM {rows} JOIN run r ON r.bundle = v.digest
                        AND substr(r.bundle, 1, 8) = substr(v.digest, 1, 8) AND COALESCE(r.ended_at, r.ended_at) IS NULL)
                ORDER BY t.run_id {for_update})
             UPDATE turn SET stuck_on = CASE WHEN c.stuck THEN $1 END
             FROM c WHERE turn.run_id = c.run_id AND (turn.stuck_on IS NOT NULL) <> c.stuck",
            &params![NO_CAPABLE_NODE],
            &rows,
        )
        .await
        .map(drop)
    }
}
