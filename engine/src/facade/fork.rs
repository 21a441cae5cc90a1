//! Forks a run: starts a new run at a step of an old run.

use super::control::check_names;
use super::engine::Engine;
use super::run_view::RunView;
use super::runs::find_run;
use crate::base::{Problem, Value, extent, limits, text};
use crate::boxed;
use crate::driver::{self, ForkRun};
use crate::transaction;

impl Engine {
    /// Starts a new run at a step of an old run.
    /// The new run is pinned to the bundle of the old run, has the variables that the old run had
    /// at that step, and belongs to the campaign of the old run, so that nobody is sent
    /// the same message twice.
    ///
    /// # Errors
    /// `unknown_run`, `unknown_step`, `cannot_fork`, `goal_invalid`, `key_too_long`,
    /// and the errors of the domain, such as `already_running` while the old run is live.
    #[boxed]
    pub async fn fork(&self, tenant: &str, mut wanted: ForkRun) -> Result<RunView, Problem> {
        if let Some(goal) = &mut wanted.goal {
            check_goal(goal)?;
            text::replace_nul(goal);
        }
        check_names(wanted.key.as_deref())?;
        let task =
            transaction!([core = self.core.clone(), tenant = tenant.to_owned(), wanted], |tx| {
                let row = find_run(tx, &tenant, wanted.run).await?;
                driver::fork(&core, tx, row, &wanted).await
            });
        let started = self.core.store.try_write(task).await?;
        self.settle().await?;
        self.run(tenant, started.run).await
    }
}

fn check_goal(goal: &Value) -> Result<(), Problem> {
    match extent::excess(goal, limits::GOAL_BYTES_MAX) {
        None => Ok(()),
        Some(why) => Err(Problem::caller("goal_invalid", format!("the goal {why}"))
            .with_hint("pass the ids of long texts and lists instead of their contents")),
    }
}
