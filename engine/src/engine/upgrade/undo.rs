//! Taking a move back: exactly the runs that were moved go back, each to where it came from, if they
//! still stand where that is safe.

use std::collections::BTreeMap;

use super::super::Engine;
use super::judge::{Judged, UpgradeView, judge_runs};
use super::progress::order;
use crate::base::{Digest, Problem, RunId, TypedId as _, UpgradeId, limits};
use crate::run::{Obstacle, Renamed};
use crate::store::{RunRow, UpgradeRow, UpgradedRun, work};

/// The texts that runs came from, and their version.
type Source = (Digest, i64);

/// What is to be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// A whole order.
    Order(UpgradeId),
    /// The latest move of one run.
    Run(RunId),
}

impl Engine {
    /// Moves runs back to the versions that an order took them from, and says which stay.
    ///
    /// # Errors
    /// `unknown_upgrade`, `unknown_run`; `wrong_state` for a run that no order has moved.
    pub async fn undo_upgrade(
        &self,
        tenant: &str,
        undo: Undo,
        dry_run: bool,
    ) -> Result<UpgradeView, Problem> {
        let (order, only) = self.undone(tenant, undo).await?;
        let mut view = UpgradeView::new(&order.method, None, dry_run);
        let mut orders: BTreeMap<Source, UpgradeId> = BTreeMap::new();
        let mut after = None;
        loop {
            let (last, judged) = self.judged_back((&order, only), after).await?;
            for (_, (row, found)) in &judged {
                view.count(row.id, row.version, found);
            }
            if !dry_run {
                self.give_back((tenant, &order), judged, &mut orders).await?;
            }
            let Some(last) = last else { break };
            after = Some(last);
        }
        let given: Vec<UpgradeId> = orders.into_values().collect();
        view.id = given.first().copied();
        if !given.is_empty() {
            view.progress = Some(self.obeyed(&given).await?);
        }
        Ok(view)
    }

    /// Gives the runs of a chunk the order to go back, one order for each version that they came from.
    async fn give_back(
        &self,
        (tenant, undone): (&str, &UpgradeRow),
        judged: Vec<(Source, Judged)>,
        orders: &mut BTreeMap<Source, UpgradeId>,
    ) -> Result<(), Problem> {
        let mut by_source: BTreeMap<Source, Vec<Judged>> = BTreeMap::new();
        for (source, one) in judged {
            by_source.entry(source).or_default().push(one);
        }
        for ((bundle, version), runs) in by_source {
            let known = orders.get(&(bundle, version)).copied();
            let order = UpgradeRow {
                id: known.unwrap_or(UpgradeId::from_uuid(uuid::Uuid::nil())),
                tenant: tenant.to_owned(),
                method: undone.method.clone(),
                bundle,
                version,
                renamed: inverse(&undone.renamed),
                undoes: Some(undone.id),
            };
            if let Some(id) = self.give_order(order, known.is_none(), &runs).await? {
                orders.insert((bundle, version), id);
            }
        }
        Ok(())
    }

    /// The order that is meant, and the one run of it if only that is.
    async fn undone(
        &self,
        tenant: &str,
        undo: Undo,
    ) -> Result<(UpgradeRow, Option<RunId>), Problem> {
        let owned = tenant.to_owned();
        let task = work(move |tx| {
            let tenant = owned.clone();
            Box::pin(async move {
                match undo {
                    Undo::Order(id) => Ok((order(tx, &tenant, id).await?, None)),
                    Undo::Run(run) => {
                        super::super::runs::row(tx, &tenant, run).await?;
                        let last = tx.last_move(run).await?.ok_or_else(|| {
                            Problem::caller("wrong_state", "no order has moved this run")
                                .with_hint("`abide run show` tells the version that it goes by")
                        })?;
                        Ok((order(tx, &tenant, last).await?, Some(run)))
                    }
                }
            })
        });
        self.core.store.read(task).await
    }

    /// Judges the next chunk of the runs that the order moved; the last of them, if there may be more.
    async fn judged_back(
        &self,
        (order, only): (&UpgradeRow, Option<RunId>),
        after: Option<RunId>,
    ) -> Result<(Option<RunId>, Vec<(Source, Judged)>), Problem> {
        let (core, order) = (self.core.clone(), order.clone());
        let task = work(move |tx| {
            let (core, order) = (core.clone(), order.clone());
            Box::pin(async move {
                let limit = i64::try_from(limits::UPGRADE_RUNS_MAX).unwrap_or(1);
                let moved = tx.upgrade_runs((order.id, "moved"), after, limit).await?;
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

fn inverse(renamed: &Renamed) -> Renamed {
    renamed.iter().map(|(old, new)| (new.clone(), old.clone())).collect()
}

/// A run that was moved on since is left alone.
fn still_there(row: &RunRow, moved_to: Digest) -> Result<(), Obstacle> {
    if row.bundle == moved_to {
        return Ok(());
    }
    let why = format!("it goes by version {} by now", row.version);
    Err(Obstacle { mapping: false, step: "run".to_owned(), why })
}
