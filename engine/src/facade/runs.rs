//! Starts runs and shows them.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::engine::Engine;
use super::run_view::{self, RunView};
use crate::base::{Digest, Problem, RunId, Value, limits, text};
use crate::boxed;
use crate::domain::StartRun;
use crate::driver::{self, DriveMode, Started};
use crate::method::Graph;
use crate::run::{RunState, RunStatus};
use crate::store::{Branch, MethodRef, RunFilter, RunRow, Tx};
use crate::transaction;

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Page<T> {
    /// Items of this page.
    pub items: Vec<T>,
    /// Cursor that requests the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    /// Builds a page from up to `limit + 1` items. The item beyond `limit` only shows
    /// that another page follows. The function `cursor` gives the cursor of the page after an item.
    #[must_use]
    pub fn cut(mut items: Vec<T>, limit: usize, cursor: impl Fn(&T) -> String) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next_cursor = if more { items.last().map(cursor) } else { None };
        Self { items, next_cursor }
    }
}

/// Returns the page length to use: `limit`, but at most [`limits::PAGE_MAX`]; the default if `limit` is 0.
#[must_use]
pub(super) fn page_length(limit: usize) -> usize {
    if limit == 0 { limits::PAGE_DEFAULT } else { limit.min(limits::PAGE_MAX) }
}

impl Engine {
    /// Starts a run. If a run was started with the same idempotency key before, returns that run.
    ///
    /// # Errors
    /// `unknown_method`, `goal_invalid`, `vars_invalid`, `key_too_long`,
    /// and the errors of the domain, such as `already_running`.
    #[boxed]
    pub async fn start_run(&self, tenant: &str, wanted: StartRun) -> Result<RunView, Problem> {
        let started = self.start(tenant, wanted).await?;
        self.run(tenant, started.run).await
    }

    /// Like [`Engine::start_run`], but does not read the run afterwards.
    ///
    /// # Errors
    /// The same errors as [`Engine::start_run`].
    #[boxed]
    pub async fn start(&self, tenant: &str, mut wanted: StartRun) -> Result<Started, Problem> {
        driver::check_limits(&wanted)?;
        replace_nul(&mut wanted);
        let is_named = !wanted.method.is_empty();
        if is_named
            && let Some(started) = driver::start_in_lane_a(&self.core, tenant, &wanted).await?
        {
            self.settle().await?;
            return Ok(started);
        }
        let (core, method) = (self.core.clone(), wanted.method.clone());
        let task = transaction!([core, tenant = tenant.to_owned(), wanted], |tx| {
            driver::start(&core, tx, &tenant, &wanted).await
        });
        let started = self.core.store.try_write(task).await?;
        if is_named {
            driver::remember_start(&self.core, MethodRef { tenant, method: &method }, &started);
        }
        self.settle().await?;
        Ok(started)
    }

    /// Returns the status of a run that [`Engine::start`] created or found. A run that it has created is pending,
    /// unless this process drives runs in line: then the run has already worked.
    ///
    /// # Errors
    /// `unknown_run`.
    #[boxed]
    pub async fn status_of(&self, tenant: &str, started: Started) -> Result<RunStatus, Problem> {
        if started.new && self.core.drive_mode != DriveMode::InLine {
            return Ok(RunStatus::Pending);
        }
        let read = transaction!([tenant = tenant.to_owned()], |tx| {
            Ok(find_run(tx, &tenant, started.run).await?.status)
        });
        self.core.store.read_one(read).await
    }

    /// Checks that a run with this method and goal could be started. Starts no run. Returns the digest of the
    /// version that it would start with.
    pub(super) async fn check_start(
        &self,
        tenant: &str,
        wanted: &StartRun,
    ) -> Result<Digest, Problem> {
        let task = transaction!(
            [core = self.core.clone(), tenant = tenant.to_owned(), wanted = wanted.clone()],
            |tx| driver::check_start(&core, tx, &tenant, &wanted).await
        );
        self.core.store.read(task).await
    }

    /// Waits until a run has ended. Also works if another process drives the run.
    ///
    /// # Errors
    /// `unknown_run`.
    #[boxed]
    pub async fn wait_until_ended(&self, tenant: &str, run: RunId) -> Result<(), Problem> {
        self.wait_until(tenant, run, |row| Ok(row.ended_at.is_some())).await
    }

    /// Waits until `is_over` holds for a run, which this process may drive, or another one.
    pub(super) async fn wait_until(
        &self,
        tenant: &str,
        run: RunId,
        is_over: fn(&RunRow) -> Result<bool, Problem>,
    ) -> Result<(), Problem> {
        loop {
            let mut end = self.core.run_ends.of(run);
            let over = transaction!([tenant = tenant.to_owned()], |tx| {
                is_over(&find_run(tx, &tenant, run).await?)
            });
            if !self.core.claims.is_active(run) && self.core.store.read(over).await? {
                return Ok(());
            }
            let mut notified = false;
            let notification = async {
                end.told().await;
                notified = true;
                Ok(())
            };
            driver::within(&self.core, self.core.poll_interval(), notification).await?;
            if notified {
                return Ok(());
            }
        }
    }

    /// Returns one run, as the API shows it.
    ///
    /// # Errors
    /// `unknown_run`.
    #[boxed]
    pub async fn run(&self, tenant: &str, run: RunId) -> Result<RunView, Problem> {
        let task = transaction!([core = self.core.clone(), tenant = tenant.to_owned()], |tx| {
            let row = find_run(tx, &tenant, run).await?;
            run_view::full(&core, tx, row).await
        });
        self.core.store.read(task).await
    }

    /// Returns the graph that a run executes: the compiled form of the method that the run is pinned to.
    ///
    /// # Errors
    /// `unknown_run`.
    #[boxed]
    pub async fn graph(&self, tenant: &str, run: RunId) -> Result<Graph, Problem> {
        let task = transaction!([core = self.core.clone(), tenant = tenant.to_owned()], |tx| {
            let row = find_run(tx, &tenant, run).await?;
            Ok(core.bundle(tx, row.bundle).await?.graph.clone())
        });
        self.core.store.read(task).await
    }

    /// Lists a tenant's runs, newest first.
    #[boxed]
    pub async fn runs(&self, tenant: &str, filter: &RunFilter) -> Result<Page<RunView>, Problem> {
        let limit = page_length(filter.limit);
        let task = transaction!(
            [core = self.core.clone(), tenant = tenant.to_owned(), filter = filter.clone()],
            |tx| {
                let most = i64::try_from(limit + 1).unwrap_or(1);
                let rows = tx.runs(&tenant, &filter, most).await?;
                run_view::briefs(&core, tx, rows).await
            }
        );
        let views = self.core.store.read(task).await?;
        Ok(Page::cut(views, limit, |view| view.id.to_string()))
    }

    /// Returns the receipts of a run and of its branches, sorted by their calls. The receipts of a branch
    /// come after the receipts of all calls that its parent had made before the parent started the branch.
    ///
    /// # Errors
    /// `unknown_run`.
    #[boxed]
    pub async fn receipts(&self, tenant: &str, run: RunId) -> Result<Vec<Value>, Problem> {
        let task = transaction!([tenant = tenant.to_owned()], |tx| {
            find_run(tx, &tenant, run).await?;
            let positions = family_positions(&tx.with_branches(run).await?)?;
            let runs: Vec<RunId> = positions.keys().copied().collect();
            let mut receipts = tx.receipts(&runs).await?;
            receipts.sort_by_cached_key(|receipt| {
                let of_run = receipt.run.and_then(|run| positions.get(&run).cloned());
                let mut position = of_run.unwrap_or_default();
                position.push(receipt.seq);
                position
            });
            Ok(receipts.into_iter().map(|receipt| receipt.body).collect())
        });
        self.core.store.read(task).await
    }
}

/// Replaces U+0000 in all strings of the goal and of the variables,
/// because PostgreSQL cannot store this character.
fn replace_nul(wanted: &mut StartRun) {
    text::replace_nul(&mut wanted.goal);
    let mut vars = Value::Object(std::mem::take(&mut wanted.vars));
    text::replace_nul(&mut vars);
    if let Value::Object(vars) = vars {
        wanted.vars = vars;
    }
}

/// Reads a run of this tenant.
///
/// # Errors
/// `unknown_run`, also if the run belongs to another tenant.
pub(super) async fn find_run(tx: &mut Tx, tenant: &str, run: RunId) -> Result<RunRow, Problem> {
    tx.run(run).await?.filter(|row| row.tenant == tenant).ok_or_else(|| unknown_run(run))
}

/// Builds the error for a run that the tenant does not have.
pub(super) fn unknown_run(run: RunId) -> Problem {
    Problem::caller("unknown_run", format!("there is no run `{run}`"))
        .with_hint("see `abide run list`")
}

/// Returns a sort key for each run of a family: a run, which comes first, and its branches at any depth.
/// To sort events of these runs, append the event's sequence number to the key of the event's run.
fn family_positions(family: &[Branch]) -> Result<BTreeMap<RunId, Vec<i64>>, Problem> {
    let mut positions: BTreeMap<RunId, Vec<i64>> = BTreeMap::new();
    for (ix, branch) in family.iter().enumerate() {
        let state: RunState = serde_json::from_value(branch.state.clone())
            .map_err(|e| Problem::bug(e.to_string()))?;
        let mut position = Vec::new();
        if let Some(lineage) = state.lineage.filter(|_| ix > 0) {
            position.extend(positions.get(&lineage.parent).into_iter().flatten());
            position.extend([lineage.after, branch.ordinal]);
        }
        positions.insert(branch.run, position);
    }
    Ok(positions)
}
