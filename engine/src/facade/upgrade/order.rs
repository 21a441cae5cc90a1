//! Orders one run, or all runs of a method, to move to another version.

use std::sync::Arc;

use super::super::methods::{current, find, rows_of};
use super::super::{Engine, Keep, KeepNothing};
use super::judge::{Judged, UpgradeView, judge_runs};
use crate::base::{Digest, Problem, RunId, TypedId as _, UpgradeId, limits};
use crate::library::Bundle;
use crate::run::{Obstacle, RenamedSteps};
use crate::store::{Tx, UpgradeRow, tx_closure};

/// The parameters of an upgrade.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpgradeWish {
    /// Number of the version to move to; `None` means the one that new runs start with.
    pub to: Option<i64>,
    /// Renamed steps: the old id or path of each, and the new one.
    pub renamed: RenamedSteps,
    /// Whether to only judge the runs, without moving them.
    pub dry_run: bool,
}

/// The version that runs are to be moved to.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) method: String,
    pub(super) version: i64,
    pub(super) bundle: Arc<Bundle>,
    /// The bundles of the other versions that have live runs, which are to be moved.
    from: Vec<Digest>,
}

impl Engine {
    /// Moves a waiting run to another version of its method. With `dry_run` the run is only judged.
    ///
    /// # Errors
    /// `unknown_run`, `unknown_version`; `wrong_state` if the run has ended or the version is for shadow
    /// runs; unless it is a dry run, `upgrade_impossible` and `upgrade_needs_mapping` with the step that
    /// prevents the move.
    pub async fn upgrade_run(
        &self,
        (tenant, run): (&str, RunId),
        wish: &UpgradeWish,
    ) -> Result<UpgradeView, Problem> {
        self.upgrade_run_once((tenant, run), wish, Arc::new(KeepNothing)).await
    }

    /// Like [`Self::upgrade_run`]; `keep` stores the answer, without its progress, in the same commit.
    ///
    /// # Errors
    /// As for [`Self::upgrade_run`], and those of `keep`.
    pub async fn upgrade_run_once(
        &self,
        (tenant, run): (&str, RunId),
        wish: &UpgradeWish,
        keep: Arc<dyn Keep<UpgradeView>>,
    ) -> Result<UpgradeView, Problem> {
        let (core, owned, wanted) = (self.core.clone(), tenant.to_owned(), wish.clone());
        let task = tx_closure(move |tx| {
            let (core, tenant, wish) = (core.clone(), owned.clone(), wanted.clone());
            Box::pin(async move {
                let row = super::super::runs::row(tx, &tenant, run).await?;
                if row.ended_at.is_some() {
                    let message = format!("the run is {} and has ended", row.status);
                    return Err(Problem::caller("wrong_state", message)
                        .with_hint("start a new run: it begins with the active version"));
                }
                let target = target(&core, tx, (&tenant, &row.method), wish.to).await?;
                let to = (&target.bundle, &wish.renamed);
                let judged = judge_runs(&core, tx, vec![row], to).await?;
                Ok((target, judged))
            })
        });
        let (target, judged) = self.core.store.read(task).await?;
        let mut view = UpgradeView::new(&target.method, Some(target.version), wish.dry_run);
        for (row, found) in &judged {
            view.count(row.id, row.version, found);
            if let (Err(obstacle), false) = (found, wish.dry_run) {
                return Err(refusal(obstacle, target.version));
            }
        }
        if !wish.dry_run {
            let order = target.order(tenant, &wish.renamed);
            let last = Some(Last { view: view.clone(), keep });
            view.id = self.give_order(order, &judged, last).await?;
            view.progress = Some(self.obeyed(view.id.as_slice()).await?);
        }
        Ok(view)
    }

    /// Moves all live runs of a method that can be moved to another version, some hundred per commit, and
    /// reports which cannot. With `dry_run` they are only judged.
    ///
    /// # Errors
    /// `unknown_method`, `unknown_version`; `wrong_state` if the version is for shadow runs.
    pub async fn upgrade_all(
        &self,
        (tenant, method): (&str, &str),
        wish: &UpgradeWish,
    ) -> Result<UpgradeView, Problem> {
        self.upgrade_all_once((tenant, method), wish, Arc::new(KeepNothing)).await
    }

    /// Like [`Self::upgrade_all`]; `keep` stores the answer, without its progress, in the last of the
    /// commits. A caller that repeats the call after a crash between two commits gets the remaining runs
    /// moved; the runs that were moved stay moved.
    ///
    /// # Errors
    /// As for [`Self::upgrade_all`], and those of `keep`.
    pub async fn upgrade_all_once(
        &self,
        (tenant, method): (&str, &str),
        wish: &UpgradeWish,
        keep: Arc<dyn Keep<UpgradeView>>,
    ) -> Result<UpgradeView, Problem> {
        let (core, owned, to) =
            (self.core.clone(), (tenant.to_owned(), method.to_owned()), wish.to);
        let task = tx_closure(move |tx| {
            let (core, (tenant, method)) = (core.clone(), owned.clone());
            Box::pin(async move { target(&core, tx, (&tenant, &method), to).await })
        });
        let target = self.core.store.read(task).await?;
        let mut view = self.walk(tenant, &target, wish, keep).await?;
        if let Some(id) = view.id {
            view.progress = Some(self.obeyed(&[id]).await?);
        }
        Ok(view)
    }

    /// Judges which live runs of a method could move to a bundle that is not published.
    pub(in crate::facade) async fn judge_draft(
        &self,
        tenant: &str,
        bundle: Bundle,
    ) -> Result<UpgradeView, Problem> {
        let (owned, method) = (tenant.to_owned(), bundle.pins.method.clone());
        let name = method.clone();
        let task = tx_closure(move |tx| {
            let (tenant, name) = (owned.clone(), name.clone());
            Box::pin(async move { Ok(tx.versions(&tenant, Some(&name)).await?) })
        });
        let rows = self.core.store.read(task).await?;
        let from = rows.iter().filter(|row| row.live > 0 && row.bundle != bundle.digest);
        let from = from.map(|row| row.bundle).collect();
        let target = Target { method, version: 0, bundle: Arc::new(bundle), from };
        let wish = UpgradeWish { dry_run: true, ..UpgradeWish::default() };
        let view = self.walk(tenant, &target, &wish, Arc::new(KeepNothing)).await?;
        Ok(UpgradeView { to_version: None, ..view })
    }

    /// Judges all live runs of the other versions. Unless this is a dry run, orders those that can be moved
    /// to move.
    async fn walk(
        &self,
        tenant: &str,
        target: &Target,
        wish: &UpgradeWish,
        keep: Arc<dyn Keep<UpgradeView>>,
    ) -> Result<UpgradeView, Problem> {
        let mut view = UpgradeView::new(&target.method, Some(target.version), wish.dry_run);
        let mut order = target.order(tenant, &wish.renamed);
        // A chunk is given its order only when the next chunk is known, so that the last commit can store the
        // answer.
        let mut held: Option<Vec<Judged>> = None;
        for from in &target.from {
            let mut after = None;
            loop {
                let chunk = (*from, after);
                let judged = self.judged(tenant, (target, &wish.renamed), chunk).await?;
                let Some((last, _)) = judged.last() else { break };
                after = Some(last.id);
                judged.iter().for_each(|(row, found)| view.count(row.id, row.version, found));
                if !wish.dry_run
                    && can_be_moved(&judged)
                    && let Some(held) = held.replace(judged)
                {
                    view.id = self.give_order(order.clone(), &held, None).await?;
                    order.id = view.id.unwrap_or(order.id);
                }
            }
        }
        if let Some(held) = held {
            let last = Some(Last { view: view.clone(), keep });
            view.id = self.give_order(order, &held, last).await?;
        }
        Ok(view)
    }

    /// Judges the next chunk of the runs that are pinned to the bundle `from`.
    async fn judged(
        &self,
        tenant: &str,
        (target, renamed): (&Target, &RenamedSteps),
        (from, after): (Digest, Option<RunId>),
    ) -> Result<Vec<Judged>, Problem> {
        let (core, owned) = (self.core.clone(), tenant.to_owned());
        let (to, renamed) = (Arc::clone(&target.bundle), renamed.clone());
        let task = tx_closure(move |tx| {
            let (core, tenant, to, renamed) =
                (core.clone(), owned.clone(), to.clone(), renamed.clone());
            Box::pin(async move {
                let limit = i64::try_from(limits::UPGRADE_RUNS_MAX).unwrap_or(1);
                let rows = tx.runs_of_bundle(&tenant, from, after, limit).await?;
                judge_runs(&core, tx, rows, (&to, &renamed)).await
            })
        });
        self.core.store.read(task).await
    }

    /// Gives an order to the runs of a chunk that can be moved, and returns the order's id. An order with
    /// the id [`unordered`] is stored first, under a new id. With the last chunk, `last` stores the answer
    /// to the caller. Returns `None`, and does nothing, if no run can be moved.
    pub(super) async fn give_order(
        &self,
        order: UpgradeRow,
        judged: &[Judged],
        last: Option<Last>,
    ) -> Result<Option<UpgradeId>, Problem> {
        let safe = judged.iter().filter(|(_, found)| found.is_ok());
        let runs: Vec<_> = safe.map(|(row, _)| (row.id, row.bundle, row.version)).collect();
        if runs.is_empty() {
            return Ok(None);
        }
        let task = tx_closure(move |tx| {
            let (mut order, runs, last) = (order.clone(), runs.clone(), last.clone());
            Box::pin(async move {
                if order.id == unordered() {
                    order.id = tx.mint();
                    tx.insert_upgrade(&order).await?;
                }
                tx.order_upgrade(order.id, &runs).await?;
                if let Some(Last { mut view, keep }) = last {
                    view.id = view.id.or(Some(order.id));
                    keep.keep(tx, &view).await?;
                }
                Ok(Some(order.id))
            })
        });
        self.core.store.write(task).await
    }
}

/// The answer to the caller, and what stores it in the last commit.
#[derive(Clone)]
pub(super) struct Last {
    pub(super) view: UpgradeView,
    pub(super) keep: Arc<dyn Keep<UpgradeView>>,
}

/// Returns the id that marks an order as not stored yet.
pub(super) fn unordered() -> UpgradeId {
    UpgradeId::from_uuid(uuid::Uuid::nil())
}

/// Whether any of these runs can be moved.
pub(super) fn can_be_moved(judged: &[Judged]) -> bool {
    judged.iter().any(|(_, found)| found.is_ok())
}

impl Target {
    /// Builds the order to move to this version, not stored yet.
    fn order(&self, tenant: &str, renamed: &RenamedSteps) -> UpgradeRow {
        UpgradeRow {
            id: unordered(),
            tenant: tenant.to_owned(),
            method: self.method.clone(),
            bundle: self.bundle.digest,
            version: self.version,
            renamed: renamed.clone(),
            undoes: None,
        }
    }
}

fn refusal(obstacle: &Obstacle, version: i64) -> Problem {
    let Obstacle { mapping, step, why } = obstacle;
    let code = if *mapping { "upgrade_needs_mapping" } else { "upgrade_impossible" };
    let message = format!("the run cannot be moved to version {version}: step `{step}`: {why}");
    let hint = match mapping {
        true => "name the corresponding step of the new version: `--map OLD=NEW`",
        false => {
            "change the new text, or wait until the run has moved on; the run keeps its version until then"
        }
    };
    Problem::caller(code, message).with_hint(hint)
}

/// Determines the version to move to, and the versions that runs would come from.
async fn target(
    core: &crate::driver::Core,
    tx: &mut Tx,
    (tenant, method): (&str, &str),
    to: Option<i64>,
) -> Result<Target, Problem> {
    let rows = rows_of(tx, (tenant, method)).await?;
    let library = core.library();
    let row = match to {
        Some(version) => find(&rows, version)?,
        None => current(&rows, &library).ok_or_else(|| {
            Problem::caller("unknown_version", format!("no version of `{method}` is active"))
                .with_hint("name one with `--to`")
        })?,
    };
    if row.shadow {
        let message = format!("version {} of `{method}` is for shadow runs only", row.version);
        return Err(Problem::caller("wrong_state", message).with_hint(format!(
            "make it active with `abide method rollback {method} --to {}`",
            row.version
        )));
    }
    let from = rows.iter().filter(|other| other.live > 0 && other.bundle != row.bundle);
    Ok(Target {
        method: method.to_owned(),
        version: row.version,
        bundle: core.bundle(tx, row.bundle).await?,
        from: from.map(|other| other.bundle).collect(),
    })
}
