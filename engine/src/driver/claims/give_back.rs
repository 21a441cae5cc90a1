//! Gives claims back, so that the runs can be claimed again. A run whose claim is given back is due again
//! at once or after a pause. If this program cannot continue a run, the run is left to other processes.

use super::owned::Claims;
use crate::base::{Problem, Span, Timestamp};
use crate::store::Fence;
use crate::transaction;

/// The pause before a run is claimed again after a temporary failure, such as a busy database.
const BUSY_PAUSE: Span = Span::from_secs(1);
/// The pause before a run is claimed again after a failure that is not temporary.
const STUCK_PAUSE: Span = Span::from_secs(60);

impl Claims {
    /// Gives a claim back without a commit, so that the run is due again at the instant `due`. Does
    /// nothing if another process owns the run by now.
    ///
    /// If the database is unavailable, the claim is remembered and given back later,
    /// because no other process can claim the run while this process owns it.
    pub(in crate::driver) async fn give_back(&self, claim: Fence, due: Timestamp) {
        let task = transaction!(|tx| Ok(tx.release_turn(claim, due).await?));
        if let Err(problem) = self.store.write(task).await {
            tracing::debug!(run = %claim.run, code = %problem.code, "the claim is not given back yet");
            self.owe(claim);
        }
    }

    /// Gives back the claim of a run that failed with `problem`. The run is claimed again after a pause.
    pub(in crate::driver) async fn give_back_later(&self, claim: Fence, problem: &Problem) {
        let pause = if problem.is_transient() { BUSY_PAUSE } else { STUCK_PAUSE };
        let detail = problem.detail.as_deref().unwrap_or("");
        if problem.is_injected() {
            tracing::debug!(run = %claim.run, code = %problem.code, detail, "{}", problem.message);
        } else {
            tracing::error!(run = %claim.run, code = %problem.code, detail, "{}", problem.message);
        }
        let due = self.clock.now() + pause;
        self.give_back(claim, due).await;
        self.release(claim.run);
        self.bells.runs.ring_at(due);
    }

    /// Gives back the claim of a run that this program cannot continue, and marks the run as stuck.
    /// A process that can continue the run may then claim it.
    pub(in crate::driver) async fn release_as_stuck(&self, claim: Fence, problem: &Problem) {
        let detail = problem.detail.as_deref().unwrap_or("");
        tracing::error!(run = %claim.run, code = %problem.code, detail, "{}", problem.message);
        let task = transaction!(|tx| Ok(tx.release_as_stuck(claim).await?));
        if self.store.write(task).await.is_err() {
            self.owe(claim);
        }
        self.release(claim.run);
    }

    /// Gives back the claims of runs that this process owns but does not work on: the claims that
    /// [`Self::owe`] recorded, and claims whose commit was not confirmed. Until these claims are given
    /// back, no other process can claim their runs.
    pub(in crate::driver) async fn settle(&self) -> Result<(), Problem> {
        if self.unsettled.take_doubt() {
            let node = self.status.node();
            let read = transaction!(|tx| Ok(tx.turns_of(node).await?));
            let ours = self.store.read_one(read).await.inspect_err(|_| self.doubt())?;
            ours.into_iter()
                .filter(|claim| !self.is_active(claim.run))
                .for_each(|lost| self.owe(lost));
        }
        for claim in self.unsettled.take_owed() {
            self.give_back(claim, self.clock.now()).await;
        }
        Ok(())
    }
}
