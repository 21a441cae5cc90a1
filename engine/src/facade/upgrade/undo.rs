//! Undoes an upgrade: exactly the runs that it moved return, each to the version that it came from,
//! provided that this is still safe at their current step.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::{Engine, Keep, KeepNothing};
use super::judge::{Judged, UpgradeView, judge_runs};
use super::order::{Last, can_be_moved, unordered};
use super::progress::order;
use crate::base::{Digest, Problem, RunId, UpgradeId, limits};
use crate::run::{Obstacle, RenamedSteps};
use crate::store::{RunRow, UpgradeRow, UpgradeState, UpgradedRun, tx_closure};

/// The bundle that runs came from, and its version.
type Source = (Digest, i64);
/// Runs that came from the same bundle.
type Runs = (Source, Vec<Judged>);

/// What to undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// A whole upgrade order.
    Order(UpgradeId),
    /// The latest move of one run.
    Run(RunId),
}

impl Engine {
    /// Moves runs back to the versions that an upgrade moved them from, and reports which cannot return. With
    /// `dry_run` they are only judged.
    ///
    /// # Errors
    /// `unknown_upgrade`, `unknown_run`; `wrong_state` if no upgrade has moved the run.
    pub async fn undo_upgrade(
        &self,
        tenant: &str,
        undo: Undo,
        dry_run: bool,
    ) -> Result<UpgradeView, Problem> {
        self.undo_upgrade_once(tenant, undo, dry_run, Arc::new(KeepNothing)).await
    }

    /// Like [`Self::undo_upgrade`]; `keep` stores the answer, without its progress, in the last of the
    /// commits.
    ///
    /// # Errors
    /// As for [`Self::undo_upgrade`], and those of `keep`.
    pub async fn undo_upgrade_once(
        &self,
        tenant: &str,
        undo: Undo,
        dry_run: bool,
        keep: Arc<dyn Keep<UpgradeView>>,
    ) -> Result<UpgradeView, Problem> {
        let (order, only) = self.undone(tenant, undo).await?;
        let mut view = UpgradeView::new(&order.method, None, dry_run);
        let mut orders: BTreeMap<Source, UpgradeId> = BTreeMap::new();
        let mut after = None;
        // A group of runs is given its order only when the next group is known, so that the last commit can
        // store the answer.
        let mut held: Option<Runs> = None;
        loop {
            let (last, judged) = self.judged_back((&order, only), after).await?;
            for (_, (row, found)) in &judged {
                view.count(row.id, row.version, found);
            }
            let movable =
                by_source(judged).into_iter().filter(|runs| !dry_run && can_be_moved(&runs.1));
            for runs in movable {
                if let Some(held) = held.replace(runs) {
                    self.give_back((tenant, &order), held, &mut orders, None).await?;
                }
            }
            let Some(last) = last else { break };
            after = Some(last);
        }
        if let Some(held) = held {
            view.id = orders.values().next().copied();
            let last = Some(Last { view: view.clone(), keep });
            self.give_back((tenant, &order), held, &mut orders, last).await?;
        }
        let given: Vec<UpgradeId> = orders.into_values().collect();
        view.id = given.first().copied();
        if !given.is_empty() {
            view.progress = Some(self.obeyed(&given).await?);
        }
        Ok(view)
    }

    /// Orders runs to return, with one upgrade order for each version that they came from.
    async fn give_back(
        &self,
        (tenant, undone): (&str, &UpgradeRow),
        ((bundle, version), runs): Runs,
        orders: &mut BTreeMap<Source, UpgradeId>,
        last: Option<Last>,
    ) -> Result<(), Problem> {
        let known = orders.get(&(bundle, version)).copied();
        let order = UpgradeRow {
            id: known.unwrap_or_else(unordered),
            tenant: tenant.to_owned(),
            method: undone.method.clone(),
            bundle,
            version,
            renamed: inverse(&undone.renamed),
            undoes: Some(undone.id),
        };
        if let Some(id) = self.give_order(order, &runs, last).await? {
            orders.insert((bundle, version), id);
        }
        Ok(())
    }

    /// Returns the order to undo, and the run if only one run of it is to return.
    async fn undone(
        &self,
        tenant: &str,
        undo: Undo,
    ) -> Result<(UpgradeRow, Option<RunId>), Problem> {
        let owned = tenant.to_owned();
        let task = tx_closure(move |tx| {
            let tenant = owned.clone();
            Box::pin(async move {
                match undo {
                    Undo::Order(id) => Ok((order(tx, &tenant, id).await?, None)),
                    Undo::Run(run) => {
                        super::super::runs::row(tx, &tenant, run).await?;
                        let last = tx.last_move(run).await?.ok_or_else(|| {
                            Problem::caller("wrong_state", "no upgrade has moved this run")
                                .with_hint("see the version of the run with `abide run show`")
                        })?;
                        Ok((order(tx, &tenant, last).await?, Some(run)))
                    }
                }
            })
        });
        self.core.store.read(task).await
    }

    /// Judges the next chunk of the runs that the order moved. Also returns the last run of the chunk,
    /// after which the next chunk begins; `None` if the chunk is empty.
    async fn judged_back(
        &self,
        (order, only): (&UpgradeRow, Option<RunId>),
        after: Option<RunId>,
    ) -> Result<(Option<RunId>, Vec<(Source, Judged)>), Problem> {
        let (core, order) = (self.core.clone(), order.clone());
        let task = tx_closure(move |tx| {
            let (core, order) = (core.clone(), order.clone());
            Box::pin(async move {
                let limit = i64::try_from(limits::UPGRADE_RUNS_MAX).unwrap_or(1);
                let moved = tx.upgrade_runs(order.id, UpgradeState::Moved, after, limit).await?;
                let last = moved.last().map(|moved| moved.run);
                let moved =
                    moved.into_iter().filter(|moved| only.is_none_or(|run| run == moved.run));
                let mut by_source: BTreeMap<Source, Vec<UpgradedRun>> = BTreeMap::new();
                for run in moved {
                    by_source.entry((run.from, run.from_version)).or_default().push(run);
                }
                let mut judged = Vec::new();
                for (source, runs) in by_source {
                    let ids: Vec<RunId> = runs.iter().map(|run| run.run).collect();
                    let rows = tx.runs_by_id(&ids).await?.into_values().collect();
                    let to = core.bundle(tx, source.0).await?;
                    let back = inverse(&order.renamed);
                    let found = judge_runs(&core, tx, rows, (&to, &back)).await?;
                    judged.extend(found.into_iter().map(|(row, found)| {
                        let found = found.and_then(|()| still_there(&row, order.bundle));
                        (source, (row, found))
                    }));
                }
                Ok((last, judged))
            })
        });
        self.core.store.read(task).await
    }
}

/// Groups judged runs by the bundle that they came from.
fn by_source(judged: Vec<(Source, Judged)>) -> BTreeMap<Source, Vec<Judged>> {
    let mut runs: BTreeMap<Source, Vec<Judged>> = BTreeMap::new();
    for (source, one) in judged {
        runs.entry(source).or_default().push(one);
    }
    runs
}

/// Swaps the old and the new names of steps.
fn inverse(renamed: &RenamedSteps) -> RenamedSteps {
    renamed.iter().map(|(old, new)| (new.clone(), old.clone())).collect()
}

/// Checks that a run is still pinned to the bundle that it was moved to. A run that was moved again since is
/// left alone.
fn still_there(row: &RunRow, moved_to: Digest) -> Result<(), Obstacle> {
    if row.bundle == moved_to {
        return Ok(());
    }
    let why = format!("the run is now pinned to version {}", row.version);
    Err(Obstacle { mapping: false, step: "run".to_owned(), why })
}
