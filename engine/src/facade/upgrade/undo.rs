//! Undoes an upgrade. The runs that the upgrade has moved, and no other runs, return
//! to their previous versions. A run does not return if its current step makes the move unsafe.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::answer_store::{AnswerStore, NoAnswerStore};
use super::super::engine::Engine;
use super::super::runs::find_run;
use super::judge::{JudgedRun, UpgradeView, judge_runs};
use super::order::{FinalAnswer, can_be_moved, unstored_id};
use super::progress::find_order;
use crate::base::{Digest, Problem, RunId, UpgradeId, limits};
use crate::boxed;
use crate::run::{Obstacle, RenamedSteps};
use crate::store::{RunRow, UpgradeRow, UpgradeState, UpgradedRun};
use crate::transaction;

/// The parameters of undoing an upgrade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UndoOptions {
    /// The moves to undo: all moves of an upgrade order, or the latest move of one run.
    pub target: UndoTarget,
    /// Whether to only judge the runs, without moving them.
    pub dry_run: bool,
}

/// The moves to undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoTarget {
    /// A whole upgrade order.
    Order(UpgradeId),
    /// The latest move of one run.
    Run(RunId),
}

/// An upgrade that is to be undone.
#[derive(Debug, Clone)]
struct UndoneUpgrade {
    /// The stored order by which the runs were upgraded.
    order: UpgradeRow,
    /// The only run to move back; `None` to move back all runs of the order.
    only: Option<RunId>,
}

/// The version that runs had before the upgrade, and to which they return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SourceVersion {
    bundle: Digest,
    version: i64,
}

/// Judged runs that had the same version before the upgrade.
struct ReturningRuns {
    source: SourceVersion,
    runs: Vec<JudgedRun>,
}

/// A chunk of the runs that an order moved.
struct MovedChunk {
    /// The last run of the chunk; `None` if the chunk is empty. The next chunk begins after this run.
    last: Option<RunId>,
    /// The runs of the chunk that are to return, grouped by their version before the upgrade.
    groups: Vec<ReturningRuns>,
}

impl Engine {
    /// Moves runs back to the versions that they had before an upgrade,
    /// and reports which runs cannot return. With `dry_run` the runs are only judged.
    ///
    /// # Errors
    /// `unknown_upgrade`, `unknown_run`; `wrong_state` if no upgrade has moved the run.
    #[boxed]
    pub async fn undo_upgrade(
        &self,
        tenant: &str,
        options: UndoOptions,
    ) -> Result<UpgradeView, Problem> {
        self.undo_upgrade_once(tenant, options, Arc::new(NoAnswerStore)).await
    }

    /// Like [`Self::undo_upgrade`], but the last commit also stores the answer in `answers`.
    /// The stored answer lacks the progress of the runs.
    ///
    /// # Errors
    /// The errors of [`Self::undo_upgrade`] and of `answers`.
    #[boxed]
    pub async fn undo_upgrade_once(
        &self,
        tenant: &str,
        UndoOptions { target, dry_run }: UndoOptions,
        answers: Arc<dyn AnswerStore<UpgradeView>>,
    ) -> Result<UpgradeView, Problem> {
        let undone = self.undone_upgrade(tenant, target).await?;
        let mut view = UpgradeView::new(&undone.order.method, None, dry_run);
        let mut orders: BTreeMap<SourceVersion, UpgradeId> = BTreeMap::new();
        let mut after = None;
        // The commit that gives the last order must also store the answer. So a group with runs that can
        // move gets its order only when the next such group is found, or when no group is left.
        let mut held: Option<ReturningRuns> = None;
        loop {
            let MovedChunk { last, groups } = self.judge_moved_runs(&undone, after).await?;
            groups.iter().flat_map(|group| &group.runs).for_each(|judged| view.count(judged));
            for group in groups {
                if !dry_run
                    && can_be_moved(&group.runs)
                    && let Some(held) = held.replace(group)
                {
                    self.order_return(&undone.order, held, &mut orders, None).await?;
                }
            }
            let Some(last) = last else { break };
            after = Some(last);
        }
        if let Some(held) = held {
            view.id = orders.values().next().copied();
            let answer = Some(FinalAnswer { view: view.clone(), answers });
            self.order_return(&undone.order, held, &mut orders, answer).await?;
        }
        let given: Vec<UpgradeId> = orders.into_values().collect();
        view.id = given.first().copied();
        if !given.is_empty() {
            view.progress = Some(self.wait_until_obeyed(&given).await?);
        }
        Ok(view)
    }

    /// Orders runs to return to the version that they had before the upgrade. All runs that return
    /// to the same version share one upgrade order. The map `orders` contains the orders
    /// that are stored so far.
    async fn order_return(
        &self,
        undone: &UpgradeRow,
        ReturningRuns { source, runs }: ReturningRuns,
        orders: &mut BTreeMap<SourceVersion, UpgradeId>,
        answer: Option<FinalAnswer>,
    ) -> Result<(), Problem> {
        let order = UpgradeRow {
            id: orders.get(&source).copied().unwrap_or_else(unstored_id),
            tenant: undone.tenant.clone(),
            method: undone.method.clone(),
            bundle: source.bundle,
            version: source.version,
            renamed: inverse(&undone.renamed),
            undoes: Some(undone.id),
        };
        if let Some(id) = self.give_order(order, &runs, answer).await? {
            orders.insert(source, id);
        }
        Ok(())
    }

    /// Finds the upgrade order to undo. For a run, this is the order of the run's latest move.
    async fn undone_upgrade(
        &self,
        tenant: &str,
        target: UndoTarget,
    ) -> Result<UndoneUpgrade, Problem> {
        let task = transaction!([tenant = tenant.to_owned()], |tx| {
            let (id, only) = match target {
                UndoTarget::Order(id) => (id, None),
                UndoTarget::Run(run) => {
                    find_run(tx, &tenant, run).await?;
                    let last = tx.last_move(run).await?.ok_or_else(|| {
                        Problem::caller("wrong_state", "no upgrade has moved this run")
                            .with_hint("see the version of the run with `abide run show`")
                    })?;
                    (last, Some(run))
                }
            };
            Ok(UndoneUpgrade { order: find_order(tx, &tenant, id).await?, only })
        });
        self.core.store.read(task).await
    }

    /// Judges the next chunk of the runs that the order moved. If the last run of the previous chunk
    /// is given as `after`, the chunk begins after that run, otherwise at the first run.
    async fn judge_moved_runs(
        &self,
        undone: &UndoneUpgrade,
        after: Option<RunId>,
    ) -> Result<MovedChunk, Problem> {
        let task = transaction!([core = self.core.clone(), undone = undone.clone()], |tx| {
            let UndoneUpgrade { order, only } = undone;
            let limit = i64::try_from(limits::UPGRADE_RUNS_MAX).unwrap_or(1);
            let moved = tx.upgrade_runs(order.id, UpgradeState::Moved, after, limit).await?;
            let last = moved.last().map(|moved| moved.run);
            let returning =
                moved.into_iter().filter(|moved| only.is_none_or(|run| run == moved.run));
            let mut groups = Vec::new();
            for (source, ids) in by_source(returning) {
                let rows = tx.runs_by_id(&ids).await?.into_values().collect::<Result<_, _>>()?;
                let to = core.bundle(tx, source.bundle).await?;
                let back = inverse(&order.renamed);
                let mut runs = judge_runs(&core, tx, rows, &to, &back).await?;
                for judged in &mut runs {
                    let moved_again = moved_again(&judged.row, order.bundle);
                    judged.obstacle = judged.obstacle.take().or(moved_again);
                }
                groups.push(ReturningRuns { source, runs });
            }
            Ok(MovedChunk { last, groups })
        });
        self.core.store.read(task).await
    }
}

/// Groups runs by the version that they had before the upgrade.
fn by_source(moved: impl Iterator<Item = UpgradedRun>) -> BTreeMap<SourceVersion, Vec<RunId>> {
    let mut runs: BTreeMap<SourceVersion, Vec<RunId>> = BTreeMap::new();
    for UpgradedRun { run, from, from_version, .. } in moved {
        runs.entry(SourceVersion { bundle: from, version: from_version }).or_default().push(run);
    }
    runs
}

/// Returns the renamed steps in the opposite direction: from the new name of each step to the old one.
fn inverse(renamed: &RenamedSteps) -> RenamedSteps {
    renamed.iter().map(|(old, new)| (new.clone(), old.clone())).collect()
}

/// Returns an obstacle if a later upgrade has moved the run: such a run must not be moved back.
/// `moved_to` is the bundle to which the undone upgrade moved the run.
fn moved_again(row: &RunRow, moved_to: Digest) -> Option<Obstacle> {
    (row.bundle != moved_to).then(|| Obstacle {
        mapping: false,
        step: "run".to_owned(),
        why: format!("the run is now pinned to version {}", row.version),
    })
}
