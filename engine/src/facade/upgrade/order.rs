//! Orders one run, or all runs of a method, to move to another version.

use std::sync::Arc;

use super::super::answer_store::{AnswerStore, NoAnswerStore};
use super::super::engine::Engine;
use super::super::methods::{current_version, find_version, versions_of};
use super::super::runs::find_run;
use super::judge::{JudgedRun, UpgradeView, judge_runs};
use crate::base::{Digest, Problem, RunId, TypedId as _, UpgradeId, limits};
use crate::boxed;
use crate::driver::Core;
use crate::library::Bundle;
use crate::run::{Obstacle, RenamedSteps};
use crate::store::{MethodRef, Tx, UpgradeRow};
use crate::transaction;

/// The parameters of an upgrade.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpgradeOptions {
    /// Number of the version to move to; `None` means the version that new runs start with.
    pub to: Option<i64>,
    /// Renamed steps: the old id or path of each step, and the new id or path.
    pub renamed: RenamedSteps,
    /// Whether to only judge the runs, without moving them.
    pub dry_run: bool,
}

/// A planned upgrade of the runs of one method to one version.
#[derive(Clone)]
struct Upgrade {
    /// The order that runs get. It is not stored yet, so its id is [`unstored_id`].
    order: UpgradeRow,
    /// The bundle of the new version.
    bundle: Arc<Bundle>,
    /// The bundles of all other versions that have live runs. Those runs are to move.
    from: Vec<Digest>,
    /// Whether the runs are only judged.
    dry_run: bool,
}

impl Engine {
    /// Moves a waiting run to another version of its method. With `dry_run` the run is only judged.
    ///
    /// # Errors
    /// `unknown_run`, `unknown_version`; `wrong_state` if the run has ended or the version is for shadow
    /// runs. Without `dry_run`, also `upgrade_impossible` and `upgrade_needs_mapping`,
    /// with the step that prevents the move.
    #[boxed]
    pub async fn upgrade_run(
        &self,
        tenant: &str,
        run: RunId,
        options: &UpgradeOptions,
    ) -> Result<UpgradeView, Problem> {
        self.upgrade_run_once(tenant, run, options, Arc::new(NoAnswerStore)).await
    }

    /// Like [`Self::upgrade_run`], but also stores the answer with the store `answers`,
    /// in the commit that gives the order. The stored answer lacks the progress of the upgrade.
    ///
    /// # Errors
    /// The errors of [`Self::upgrade_run`] and of `answers`.
    #[boxed]
    pub async fn upgrade_run_once(
        &self,
        tenant: &str,
        run: RunId,
        options: &UpgradeOptions,
        answers: Arc<dyn AnswerStore<UpgradeView>>,
    ) -> Result<UpgradeView, Problem> {
        let task = transaction!(
            [core = self.core.clone(), tenant = tenant.to_owned(), options = options.clone()],
            |tx| {
                let row = find_run(tx, &tenant, run).await?;
                if row.ended_at.is_some() {
                    let message = format!("the run is {} and has ended", row.status.as_str());
                    return Err(Problem::caller("wrong_state", message)
                        .with_hint("start a new run: it begins with the active version"));
                }
                let method = MethodRef { tenant: &tenant, method: &row.method };
                let upgrade = plan(&core, tx, method, &options).await?;
                let (to, renamed) = (&upgrade.bundle, &options.renamed);
                let judged = judge_runs(&core, tx, vec![row], to, renamed).await?;
                Ok((upgrade, judged))
            }
        );
        let (upgrade, judged) = self.core.store.read(task).await?;
        let mut view = upgrade.view();
        for run in &judged {
            view.count(run);
            if let (Some(obstacle), false) = (&run.obstacle, options.dry_run) {
                return Err(refusal(obstacle, upgrade.order.version));
            }
        }
        if !options.dry_run {
            let answer = Some(FinalAnswer { view: view.clone(), answers });
            view.id = self.give_order(upgrade.order, &judged, answer).await?;
            view.progress = Some(self.wait_until_obeyed(view.id.as_slice()).await?);
        }
        Ok(view)
    }

    /// Moves all live runs of a method to another version, many runs per commit. Reports which runs
    /// cannot be moved. With `dry_run` the runs are only judged.
    ///
    /// # Errors
    /// `unknown_method`, `unknown_version`; `wrong_state` if the version is for shadow runs.
    #[boxed]
    pub async fn upgrade_all(
        &self,
        tenant: &str,
        method: &str,
        options: &UpgradeOptions,
    ) -> Result<UpgradeView, Problem> {
        self.upgrade_all_once(tenant, method, options, Arc::new(NoAnswerStore)).await
    }

    /// Like [`Self::upgrade_all`], but also stores the answer with the store `answers`,
    /// in the last commit. The stored answer lacks the progress of the upgrade. If the process crashes
    /// between two commits, the caller can order the upgrade again: only the remaining runs
    /// are then moved.
    ///
    /// # Errors
    /// The errors of [`Self::upgrade_all`] and of `answers`.
    #[boxed]
    pub async fn upgrade_all_once(
        &self,
        tenant: &str,
        method: &str,
        options: &UpgradeOptions,
        answers: Arc<dyn AnswerStore<UpgradeView>>,
    ) -> Result<UpgradeView, Problem> {
        let task = transaction!(
            [
                core = self.core.clone(),
                tenant = tenant.to_owned(),
                method = method.to_owned(),
                options = options.clone()
            ],
            |tx| {
                let method = MethodRef { tenant: &tenant, method: &method };
                plan(&core, tx, method, &options).await
            }
        );
        let upgrade = self.core.store.read(task).await?;
        let mut view = self.judge_and_order(&upgrade, answers).await?;
        if let Some(id) = view.id {
            view.progress = Some(self.wait_until_obeyed(&[id]).await?);
        }
        Ok(view)
    }

    /// Judges which live runs of a method could move to this bundle of the method.
    /// The bundle is not published.
    pub(in crate::facade) async fn judge_draft(
        &self,
        tenant: &str,
        bundle: Bundle,
    ) -> Result<UpgradeView, Problem> {
        let method = bundle.pins.method.clone();
        let task = transaction!([tenant = tenant.to_owned(), name = method.clone()], |tx| {
            Ok(tx.versions(&tenant, Some(&name)).await?)
        });
        let rows = self.core.store.read(task).await?;
        let from = rows.iter().filter(|row| row.live > 0 && row.bundle != bundle.digest);
        let from = from.map(|row| row.bundle).collect();
        let order = UpgradeRow {
            id: unstored_id(),
            tenant: tenant.to_owned(),
            method,
            bundle: bundle.digest,
            version: 0,
            renamed: RenamedSteps::default(),
            undoes: None,
        };
        let upgrade = Upgrade { order, bundle: Arc::new(bundle), from, dry_run: true };
        let view = self.judge_and_order(&upgrade, Arc::new(NoAnswerStore)).await?;
        Ok(UpgradeView { to_version: None, ..view })
    }

    /// Judges all live runs of the versions `upgrade.from`.
    /// Unless the upgrade is a dry run, gives the order to the runs that can move.
    async fn judge_and_order(
        &self,
        upgrade: &Upgrade,
        answers: Arc<dyn AnswerStore<UpgradeView>>,
    ) -> Result<UpgradeView, Problem> {
        let mut view = upgrade.view();
        let mut order = upgrade.order.clone();
        // The commit that gives the last order must also store the answer. So each chunk with runs that
        // can move is kept back until the next such chunk is found, or no chunk is left.
        let mut held: Option<Vec<JudgedRun>> = None;
        for from in &upgrade.from {
            let mut after = None;
            loop {
                let judged = self.judge_chunk(upgrade, *from, after).await?;
                let Some(last) = judged.last() else { break };
                after = Some(last.row.id);
                judged.iter().for_each(|run| view.count(run));
                if !upgrade.dry_run
                    && can_be_moved(&judged)
                    && let Some(held) = held.replace(judged)
                {
                    view.id = self.give_order(order.clone(), &held, None).await?;
                    order.id = view.id.unwrap_or(order.id);
                }
            }
        }
        if let Some(held) = held {
            let answer = Some(FinalAnswer { view: view.clone(), answers });
            view.id = self.give_order(order, &held, answer).await?;
        }
        Ok(view)
    }

    /// Judges the next chunk of the runs that are pinned to one bundle. If the last run
    /// of the previous chunk is given as `after`, the chunk begins after that run,
    /// otherwise at the first run.
    async fn judge_chunk(
        &self,
        upgrade: &Upgrade,
        from: Digest,
        after: Option<RunId>,
    ) -> Result<Vec<JudgedRun>, Problem> {
        let task = transaction!([core = self.core.clone(), upgrade = upgrade.clone()], |tx| {
            let Upgrade { order, bundle, .. } = upgrade;
            let limit = i64::try_from(limits::UPGRADE_RUNS_MAX).unwrap_or(1);
            let rows = tx.runs_of_bundle(&order.tenant, from, after, limit).await?;
            judge_runs(&core, tx, rows, &bundle, &order.renamed).await
        });
        self.core.store.read(task).await
    }

    /// Gives an order to those of the judged runs that can move, and returns the order's id.
    /// Stores the order under a new id if its id is [`unstored_id`]. Also stores `answer` if it is given.
    /// Returns `None`, and does nothing, if none of the runs can move.
    pub(super) async fn give_order(
        &self,
        order: UpgradeRow,
        judged: &[JudgedRun],
        answer: Option<FinalAnswer>,
    ) -> Result<Option<UpgradeId>, Problem> {
        let safe = judged.iter().filter(|run| run.obstacle.is_none()).map(|run| &run.row);
        let runs: Vec<_> = safe.map(|row| (row.id, row.bundle, row.version)).collect();
        if runs.is_empty() {
            return Ok(None);
        }
        let task = transaction!([order, runs, answer], |tx| {
            let mut order = order;
            if order.id == unstored_id() {
                order.id = tx.mint();
                tx.insert_upgrade(&order).await?;
            }
            tx.order_upgrade(order.id, &runs).await?;
            if let Some(FinalAnswer { mut view, answers }) = answer {
                view.id = view.id.or(Some(order.id));
                answers.store(tx, &view).await?;
            }
            Ok(Some(order.id))
        });
        self.core.store.write(task).await
    }
}

/// The answer to the caller, together with the answer store that stores it in the last commit.
#[derive(Clone)]
pub(super) struct FinalAnswer {
    pub(super) view: UpgradeView,
    pub(super) answers: Arc<dyn AnswerStore<UpgradeView>>,
}

/// Returns the nil id, which an order has until it is stored.
pub(super) fn unstored_id() -> UpgradeId {
    UpgradeId::from_uuid(uuid::Uuid::nil())
}

/// Whether any of these runs can be moved.
pub(super) fn can_be_moved(judged: &[JudgedRun]) -> bool {
    judged.iter().any(|run| run.obstacle.is_none())
}

impl Upgrade {
    /// Builds the answer to the caller. The answer does not count any runs yet.
    fn view(&self) -> UpgradeView {
        UpgradeView::new(&self.order.method, Some(self.order.version), self.dry_run)
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

/// Plans an upgrade: determines the version to move to, and the versions with runs to move.
async fn plan(
    core: &Core,
    tx: &mut Tx,
    method: MethodRef<'_>,
    options: &UpgradeOptions,
) -> Result<Upgrade, Problem> {
    let (rows, name) = (versions_of(tx, method).await?, method.method);
    let library = core.library();
    let row = match options.to {
        Some(version) => find_version(&rows, version)?,
        None => current_version(&rows, &library).ok_or_else(|| {
            Problem::caller("unknown_version", format!("no version of `{name}` is active"))
                .with_hint("name one with `--to`")
        })?,
    };
    if row.shadow {
        let message = format!("version {} of `{name}` is for shadow runs only", row.version);
        return Err(Problem::caller("wrong_state", message).with_hint(format!(
            "make it active with `abide method rollback {name} --to {}`",
            row.version
        )));
    }
    let from = rows.iter().filter(|other| other.live > 0 && other.bundle != row.bundle);
    Ok(Upgrade {
        order: UpgradeRow {
            id: unstored_id(),
            tenant: method.tenant.to_owned(),
            method: name.to_owned(),
            bundle: row.bundle,
            version: row.version,
            renamed: options.renamed.clone(),
            undoes: None,
        },
        bundle: core.bundle(tx, row.bundle).await?,
        from: from.map(|other| other.bundle).collect(),
        dry_run: options.dry_run,
    })
}
