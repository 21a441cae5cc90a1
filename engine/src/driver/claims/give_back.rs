//! Gives claims back: at once, after a pause, to another process, or once the database answers again.

use super::held::Claims;
use crate::base::{Problem, RunId, Span, Timestamp};
use crate::store::work;

/// The pause before a run is tried again after a failure that may pass, such as a busy database.
const BUSY_PAUSE: Span = Span::from_secs(1);
/// The pause before a run is tried again after a failure that this build cannot get past.
const STUCK_PAUSE: Span = Span::from_secs(60);

impl Claims {
    /// Gives a run back without a commit; it is due again at `due`. Nothing happens if another owner has
    /// it by now. If the database is away the claim is remembered and given back later: no other process
    /// could take the run.
    pub(in crate::driver) async fn give_back(&self, (run, epoch): (RunId, i64), due: Timestamp) {
        let task =
            work(move |tx| Box::pin(async move { Ok(tx.release_turn(run, epoch, due).await?) }));
        if let Err(problem) = self.store.write(false, task).await {
            tracing::debug!(%run, code = %problem.code, "the claim is not given back yet");
            self.owe((run, epoch));
        }
    }

    /// Gives back a run that cannot be continued now, and tries it again after a pause.
    pub(in crate::driver) async fn set_aside(&self, (id, epoch): (RunId, i64), problem: &Problem) {
        let pause = if problem.is_transient() { BUSY_PAUSE } else { STUCK_PAUSE };
        let detail = problem.detail.as_deref().unwrap_or("");
        if problem.is_injected() {
            tracing::debug!(run = %id, code = %problem.code, detail, "{}", problem.message);
        } else {
            tracing::error!(run = %id, code = %problem.code, detail, "{}", problem.message);
        }
        let due = self.clock.now() + pause;
        self.give_back((id, epoch), due).await;
        self.let_go(id);
        self.bells.runs.ring_at(due);
    }

    /// Leaves a claimed run to a process that can continue it.
    pub(in crate::driver) async fn leave_to_others(
        &self,
        (run, epoch): (RunId, i64),
        problem: &Problem,
    ) {
        let detail = problem.detail.as_deref().unwrap_or("");
        tracing::error!(%run, code = %problem.code, detail, "{}", problem.message);
        let task =
            work(move |tx| Box::pin(async move { Ok(tx.leave_to_others(run, epoch).await?) }));
        if self.store.write(false, task).await.is_err() {
            self.owe((run, epoch));
        }
        self.let_go(run);
    }

    /// Gives back the claims that this process owns but does not work on: those that could not be given
    /// back before, and those taken by a claim whose commit was not confirmed. While this process lives,
    /// no other could take these runs.
    pub(in crate::driver) async fn settle(&self) -> Result<(), Problem> {
        if self.unsettled.take_doubt() {
            let node = self.standing.node();
            let read = work(move |tx| Box::pin(async move { Ok(tx.turns_of(node).await?) }));
            let ours = self.store.glance(read).await.inspect_err(|_| self.doubt())?;
            ours.into_iter().filter(|(run, _)| !self.has(*run)).for_each(|lost| self.owe(lost));
        }
        for (run, epoch) in self.unsettled.take_owed() {
            self.give_back((run, epoch), self.clock.now()).await;
        }
        Ok(())
    }
}
