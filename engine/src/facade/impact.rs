//! Checks, before contracts or methods are changed, which live runs the change would affect.

use serde::Serialize;
use utoipa::ToSchema;

use super::engine::Engine;
use super::upgrade::UpgradeView;
use crate::base::Problem;
use crate::boxed;
use crate::contract::Contracts;
use crate::store::LiveBundle;
use crate::transaction;

/// Live runs of one method that a changed contract would break.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AffectedRuns {
    /// Name of the method that the affected runs execute.
    pub method: String,
    /// Number of affected runs.
    pub runs: i64,
    /// Id of the step that calls the verb.
    pub step: String,
    /// Name of the verb.
    pub verb: String,
    /// Arguments or results that the changed contract no longer allows.
    pub why: String,
}

impl Engine {
    /// Returns the live runs that could not continue if these contracts
    /// replaced the current contracts with the same names.
    #[boxed]
    pub async fn runs_affected_by(&self, changed: Contracts) -> Result<Vec<AffectedRuns>, Problem> {
        let core = self.core.clone();
        let mut contracts = (*self.library().contracts).clone();
        contracts.extend(changed);
        let read = transaction!([core, contracts], |tx| {
            let mut affected = Vec::new();
            for LiveBundle { digest, method, runs } in tx.live_bundles().await? {
                let bundle = core.bundle(tx, digest).await?;
                for unfit in bundle.incompatibilities(&|_| true, &contracts) {
                    let (step, verb, why) = (unfit.step, unfit.verb, unfit.why);
                    affected.push(AffectedRuns { method: method.clone(), runs, step, verb, why });
                }
            }
            Ok(affected)
        });
        self.core.store.read(read).await
    }

    /// Compiles a method's YAML source, which is not published, and judges which live runs of the method
    /// could move to it. Findings call the source by the name `file`.
    /// Returns `None` if the source has errors.
    #[boxed]
    pub async fn judge_text(
        &self,
        tenant: &str,
        file: &str,
        text: &str,
    ) -> Result<Option<UpgradeView>, Problem> {
        match self.compile_draft(tenant, file, text).await? {
            Ok(draft) => self.judge_draft(tenant, draft.bundle).await.map(Some),
            Err(_) => Ok(None),
        }
    }
}
