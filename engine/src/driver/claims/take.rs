//! Due runs are claimed.

use std::collections::BTreeSet;

use super::held::Claims;
use crate::base::{Digest, Problem, Span};
use crate::store::{Claim, Dialect, work};

/// The pause before a run that must not be in hand together with another one is claimed again.
const SUSPECT_PAUSE: Span = Span::from_micros(100_000);

impl Claims {
    /// Takes due runs that nobody works on, `free` of them at most, and none of a bundle in `unfit`. One process
    /// drives an embedded file: there a set in memory does it and nothing is written.
    ///
    /// A run that was woken while it parked is due before its old actor has let go of it: it is given
    /// back, and found again then.
    pub(in crate::driver) async fn claim(
        &self,
        free: usize,
        unfit: BTreeSet<Digest>,
    ) -> Result<Vec<Claim>, Problem> {
        let (now, node) = (self.clock.now(), self.standing.node());
        let limit = i64::try_from(free).unwrap_or(1);
        if self.store.dialect() == Dialect::Postgres {
            let task = work(move |tx| {
                let unfit = unfit.clone();
                Box::pin(async move { Ok(tx.claim_turns(node, (now, limit), &unfit).await?) })
            });
            let claimed = self.store.write(false, task).await;
            let claims = claimed.inspect_err(|_| self.doubt())?;
            let (mine, parking): (Vec<_>, Vec<_>) =
                claims.into_iter().partition(|claim| self.take(claim.run));
            for claim in parking {
                self.give_back((claim.run, claim.epoch), now).await;
            }
            return Ok(self.one_suspect(mine).await);
        }
        let reach = limit + i64::try_from(self.active()).unwrap_or(0);
        let task = work(move |tx| {
            let unfit = unfit.clone();
            Box::pin(async move { Ok(tx.due_turns(now, reach, &unfit).await?) })
        });
        let due = self.store.glance(task).await?;
        Ok(due.into_iter().filter(|claim| self.take(claim.run)).take(free).collect())
    }

    /// Of the runs that were claimed before and came to nothing, keeps one at a time: whichever of them
    /// ends its process does so alone, and the others get their own chance.
    async fn one_suspect(&self, claims: Vec<Claim>) -> Vec<Claim> {
        let (kept, later): (Vec<_>, Vec<_>) =
            claims.into_iter().partition(|claim| claim.claims < 2 || self.take_suspect(claim.run));
        let due = self.clock.now() + SUSPECT_PAUSE;
        for claim in later {
            self.give_back((claim.run, claim.epoch), due).await;
            self.let_go(claim.run);
            self.bells.runs.ring_at(due);
        }
        kept
    }
}
