//! Claims due runs.

use std::collections::BTreeSet;

use super::owned::Claims;
use crate::base::{Digest, Problem, Span};
use crate::store::{Claim, Dialect};
use crate::transaction;

/// The pause before a suspect (a run whose earlier claim ended without a commit)
/// is claimed again while another suspect is in progress.
const SUSPECT_PAUSE: Span = Span::from_micros(100_000);

impl Claims {
    /// Claims due runs that no process works on. The parameter `free` is the maximum number of runs to
    /// claim. Leaves out stuck runs that are pinned to a bundle in `unfit`. On SQLite only one process
    /// drives runs, so runs are claimed in memory and nothing is written.
    ///
    /// A run may be due although a task of this process still works on it: the run was woken during the
    /// commit that makes it wait, and the task has not ended yet. Such a run is not claimed now, but after
    /// the task has ended.
    pub(in crate::driver) async fn claim(
        &self,
        free: usize,
        unfit: BTreeSet<Digest>,
    ) -> Result<Vec<Claim>, Problem> {
        let (now, node) = (self.clock.now(), self.status.node());
        let limit = i64::try_from(free).unwrap_or(1);
        if self.store.dialect() == Dialect::Postgres {
            let task =
                transaction!([unfit], |tx| Ok(tx.claim_turns(node, now, limit, &unfit).await?));
            let claimed = self.store.write(task).await;
            let claims = claimed.inspect_err(|_| self.doubt())?;
            let (mine, parking): (Vec<_>, Vec<_>) =
                claims.into_iter().partition(|claim| self.mark_active(claim.run));
            for claim in parking {
                self.give_back(claim.fence(), now).await;
            }
            return Ok(self.one_suspect(mine).await);
        }
        let reach = limit + i64::try_from(self.active()).unwrap_or(0);
        let task = transaction!([unfit], |tx| Ok(tx.due_turns(now, reach, &unfit).await?));
        let due = self.store.read_one(task).await?;
        Ok(due.into_iter().filter(|claim| self.mark_active(claim.run)).take(free).collect())
    }

    /// Keeps at most one suspect, that is, a run whose earlier claim ended without a commit, and gives
    /// back the claims of all other suspects. So if the kept suspect crashes the process, no other
    /// suspect is interrupted. Returns the claims that are not given back.
    async fn one_suspect(&self, claims: Vec<Claim>) -> Vec<Claim> {
        let (kept, later): (Vec<_>, Vec<_>) =
            claims.into_iter().partition(|claim| claim.claims < 2 || self.take_suspect(claim.run));
        let due = self.clock.now() + SUSPECT_PAUSE;
        for claim in later {
            self.give_back(claim.fence(), due).await;
            self.release(claim.run);
            self.bells.runs.ring_at(due);
        }
        kept
    }
}
