//! What live runs rely on: held against contracts and texts that are not in use yet.

use serde::Serialize;

use super::Engine;
use super::upgrade::UpgradeView;
use crate::base::Problem;
use crate::contract::Contracts;
use crate::store::work;

/// Live runs that rely on a verb as it is, and would break.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrokenRuns {
    /// Their method.
    pub method: String,
    /// How many.
    pub runs: i64,
    /// The step that calls the verb.
    pub step: String,
    /// The verb.
    pub verb: String,
    /// What it would not take or give any more.
    pub why: String,
}

impl Engine {
    /// The live runs that would break if these contracts stood in the place of those of their names.
    pub async fn broken_by(&self, changed: Contracts) -> Result<Vec<BrokenRuns>, Problem> {
        let core = self.core.clone();
        let mut contracts = (*self.library().contracts).clone();
        contracts.extend(changed);
        let read = work(move |tx| {
            let (core, contracts) = (core.clone(), contracts.clone());
            Box::pin(async move {
                let mut broken = Vec::new();
                for (digest, method, runs) in tx.live_bundles().await? {
                    let bundle = core.bundle(tx, digest).await?;
                    for unfit in bundle.unfit(&|_| true, &contracts) {
                        let (step, verb, why) = (unfit.step, unfit.verb, unfit.why);
                        broken.push(BrokenRuns { method: method.clone(), runs, step, verb, why });
                    }
                }
                Ok(broken)
            })
        });
        self.core.store.read(read).await
    }

    /// What moving the live runs of a method to a text that is not published would come to; none for a
    /// text with errors.
    pub async fn judge_text(
        &self,
        tenant: &str,
        source: (&str, &str),
    ) -> Result<Option<UpgradeView>, Problem> {
        match self.drafted(tenant, source).await? {
            Ok(draft) => self.judge_draft(tenant, draft.bundle).await.map(Some),
            Err(_) => Ok(None),
        }
    }
}
