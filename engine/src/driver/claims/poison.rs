//! Pauses a run whose step crashes the process, so that the run does not crash more processes.

use super::owned::Claims;
use crate::base::{Problem, limits};
use crate::store::{Claim, SignalKind};
use crate::transaction;

impl Claims {
    /// Pauses a run that was claimed `POISON_CLAIMS` times without a commit, because its step probably
    /// crashes the process. The pause is an order, and a run obeys its orders before it takes a step. So
    /// the run is paused before it takes the step again.
    pub(in crate::driver) async fn pause_poison(&self, claim: Claim) -> Result<(), Problem> {
        let in_vain = claim.claims - 1;
        if in_vain < limits::POISON_CLAIMS {
            return Ok(());
        }
        tracing::error!(run = %claim.run, "the run was claimed {in_vain} times without a commit; it is paused");
        let why = serde_json::json!({ "why": "poison", "claims": in_vain });
        let task = transaction!([why], |tx| {
            let key = format!("poison {}", claim.epoch);
            Ok(tx.signal(claim.run, SignalKind::Order("pause"), Some(&key), &why).await?)
        });
        self.store.write(task).await.map(drop)
    }
}
