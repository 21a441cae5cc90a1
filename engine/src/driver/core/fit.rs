//! Finds runs that this program cannot continue, because the program lacks one of their verbs or cannot
//! read their bundle. Such runs are left to other processes. If no process can continue a run, people see
//! the run as stuck.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::state::Core;
use crate::base::{Digest, Problem};
use crate::library::Bundle;
use crate::store::{LiveBundle, Tx};
use crate::transaction;

/// The code of the problem "this program cannot continue the run".
pub(in crate::driver) const NO_CAPABLE_NODE: &str = "no_capable_node";

/// The live runs that are pinned to one bundle and that this program cannot continue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stranded {
    /// The method of the runs.
    pub(crate) method: String,
    /// The number of live runs pinned to the bundle.
    pub(crate) runs: i64,
    /// Why the runs cannot be continued: a step, its verb and what is wrong with the verb,
    /// or the reason why the bundle cannot be read.
    pub(crate) why: String,
}

impl Core {
    /// Loads the bundle of a run, after checking that this program can continue the run.
    ///
    /// # Errors
    /// `no_capable_node` if this program cannot continue the run; the detail of the error says why.
    pub(in crate::driver) async fn fitting(
        &self,
        tx: &mut Tx,
        digest: Digest,
    ) -> Result<Arc<Bundle>, Problem> {
        let why = match self.bundles.is_fit(digest) {
            Some(true) => None,
            Some(false) => Some("found earlier by this process".to_owned()),
            None => self.misfit(tx, digest).await?,
        };
        match why {
            None => self.bundles.load(tx, digest).await,
            Some(why) => {
                let message = "this program cannot continue the run";
                Err(Problem::operator(NO_CAPABLE_NODE, message)
                    .with_detail(why)
                    .with_hint("start the version of abide that the run began with"))
            }
        }
    }

    /// Returns why this program cannot continue the runs of a bundle, or `None` if this program can
    /// continue them. Caches the answer.
    async fn misfit(&self, tx: &mut Tx, digest: Digest) -> Result<Option<String>, Problem> {
        let why = match self.bundles.load(tx, digest).await {
            Ok(bundle) => {
                let library = self.library();
                // A call of a tool that is not configured needs no code: it ends at once.
                let needs_no_code = |verb: &str| {
                    library.contracts.get(verb).is_some_and(|contract| !contract.is_implemented())
                };
                let can_call = |verb: &str| match bundle.contracts.get(verb) {
                    Some(pinned) => self.verbs.can_call(pinned),
                    None => self.verbs.get(verb).is_some(),
                };
                let has_verb = |verb: &str| can_call(verb) || needs_no_code(verb);
                let found =
                    bundle.incompatibilities(&has_verb, &library.contracts).into_iter().next();
                found.map(|unfit| {
                    format!("step `{}`, verb `{}`: {}", unfit.step, unfit.verb, unfit.why)
                })
            }
            Err(problem) if problem.code == "bundle_unreadable" => {
                Some(problem.detail.unwrap_or(problem.message))
            }
            Err(problem) => return Err(problem),
        };
        self.bundles.note_fit(digest, why.is_none());
        Ok(why)
    }

    /// Among the bundles that have been checked, returns those whose runs this program cannot continue.
    pub(in crate::driver) fn unfit(&self) -> BTreeSet<Digest> {
        self.bundles.unfit()
    }

    /// Checks every bundle that live runs are pinned to.
    /// Returns the bundles whose runs this program cannot continue.
    pub(crate) async fn stranded(&self, tx: &mut Tx) -> Result<Vec<Stranded>, Problem> {
        let mut stranded = Vec::new();
        for LiveBundle { digest, method, runs } in tx.live_bundles().await? {
            if let Some(why) = self.misfit(tx, digest).await? {
                stranded.push(Stranded { method, runs, why });
            }
        }
        Ok(stranded)
    }

    /// Marks as stuck every run that this program cannot continue, so that people see that the run needs
    /// help. Removes the mark from all other runs.
    pub(crate) async fn park_stranded(&self) -> Result<(), Problem> {
        let task = transaction!([unfit = self.unfit()], |tx| Ok(tx.mark_stuck(&unfit).await?));
        self.store.write(task).await
    }
}
