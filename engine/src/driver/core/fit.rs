//! Finds runs that this program cannot continue: it lacks one of their verbs, or does not know the form
//! of their texts. They are left to other processes, and shown to people if there is no process that can
//! continue them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::state::Core;
use crate::base::{Digest, Problem};
use crate::library::Bundle;
use crate::store::{LiveBundle, Tx};
use crate::transaction;

/// The code of the problem that this program cannot continue a run.
pub(in crate::driver) const NO_CAPABLE_NODE: &str = "no_capable_node";

/// Live runs of one bundle that this program cannot continue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stranded {
    /// Their method.
    pub(crate) method: String,
    /// Number of runs.
    pub(crate) runs: i64,
    /// The step, its verb and what is wrong with it; or why the texts cannot be read.
    pub(crate) why: String,
}

impl Core {
    /// Returns a run's bundle if the run can be continued here.
    ///
    /// # Errors
    /// `no_capable_node` if it cannot.
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

    /// Returns why the runs of a bundle cannot be continued here, or `None` if they can. Remembers the
    /// answer.
    async fn misfit(&self, tx: &mut Tx, digest: Digest) -> Result<Option<String>, Problem> {
        let why = match self.bundles.load(tx, digest).await {
            Ok(bundle) => {
                let library = self.library();
                let has_verb = |verb: &str| self.verbs.get(verb).is_some();
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

    /// Returns the bundles whose runs cannot be continued here.
    pub(in crate::driver) fn unfit(&self) -> BTreeSet<Digest> {
        self.bundles.unfit()
    }

    /// Checks every bundle that live runs are pinned to. Returns those that cannot be continued here.
    pub(crate) async fn stranded(&self, tx: &mut Tx) -> Result<Vec<Stranded>, Problem> {
        let mut stranded = Vec::new();
        for LiveBundle { digest, method, runs } in tx.live_bundles().await? {
            if let Some(why) = self.misfit(tx, digest).await? {
                stranded.push(Stranded { method, runs, why });
            }
        }
        Ok(stranded)
    }

    /// Marks the runs that cannot be continued here, so that people see them, and removes the mark from
    /// those that can.
    pub(crate) async fn park_stranded(&self) -> Result<(), Problem> {
        let task = transaction!([unfit = self.unfit()], |tx| Ok(tx.mark_stuck(&unfit).await?));
        self.store.write(task).await
    }
}
