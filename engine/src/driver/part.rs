//! The parts of the driver, and the one loop that each of them works in: do what is due, then sleep until
//! its bell or its next due time.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::watch;

use super::at_work::{ANSWERS, INBOX, OUTBOX, RUNS, as_part};
use super::bell::{Bell, Bells};
use super::core::{Core, Pumped};
use super::{inbox, outbox, runs, schedules};
use crate::base::{Problem, Span, limits};
use crate::store::Dialect;

/// The pause after a part failed (the database is away), before it tries again.
const AFTER_FAILURE: Span = Span::from_secs(1);

/// A part: its name, its bell, and how it does what is due.
pub(super) struct Part {
    name: &'static str,
    bell: fn(&Bells) -> &Bell,
    pump: fn(Arc<Core>) -> BoxFuture<'static, Result<Pumped, Problem>>,
}

/// All of them. They work side by side.
pub(super) static PARTS: [Part; 5] = [
    Part { name: INBOX, bell: |bells| &bells.inbox, pump: |core| Box::pin(inbox::pump(core)) },
    Part {
        name: "chores",
        bell: |bells| &bells.chores,
        pump: |core| Box::pin(schedules::pump(core)),
    },
    Part { name: RUNS, bell: |bells| &bells.runs, pump: |core| Box::pin(runs_part(core)) },
    Part { name: OUTBOX, bell: |bells| &bells.outbox, pump: |core| Box::pin(outbox::pump(core)) },
    Part {
        name: ANSWERS,
        bell: |bells| &bells.answers,
        pump: |core| Box::pin(outbox::reconcile(core)),
    },
];

/// Where nobody stays, what people wrote comes before what this call makes due.
async fn replies_first(core: &Core) {
    let mut moved = core.claims.watch();
    while core.bells.inbox.asleep(core.now()).is_none() && moved.changed().await.is_ok() {}
}

/// On a server taking runs is a transaction: there it is looked first whether there is any to take.
async fn runs_part(core: Arc<Core>) -> Result<Pumped, Problem> {
    if core.store.dialect() == Dialect::Postgres && !core.claims.is_any_unsettled() {
        let due = core.due().await?;
        if !due.has_come(due.run) {
            return Ok(Pumped { did: 0, due: due.later_run });
        }
    }
    let did = runs::pump(&core).await?;
    let owed = core.claims.is_any_unsettled().then(|| core.now() + AFTER_FAILURE);
    let due = runs::next_due(&core).await?.into_iter().chain(owed).min();
    Ok(Pumped { did, due })
}

/// On which terms a part works.
#[derive(Clone)]
pub(super) struct Terms {
    /// It works until this turns true.
    pub(super) shutdown: watch::Receiver<bool>,
    /// The first failure, where whoever has the parts work is told; else it is logged.
    pub(super) failed: Option<Arc<OnceLock<Problem>>>,
}

impl Terms {
    /// The process stays, and works for as long as it lives.
    fn stays(&self) -> bool {
        self.failed.is_none()
    }

    fn note(&self, problem: Problem) {
        match &self.failed {
            Some(failed) => drop(failed.set(problem)),
            None => {
                let detail = problem.detail.as_deref().unwrap_or("");
                tracing::warn!(code = %problem.code, detail, "{problem}");
            }
        }
    }
}

impl Part {
    /// Does whatever falls due until the process is to stop, or cannot go on. What failed is tried again
    /// a moment later.
    pub(super) async fn work(&self, core: Arc<Core>, terms: Terms) {
        as_part(self.name, self.work_on(core, terms)).await;
    }

    async fn work_on(&self, core: Arc<Core>, mut terms: Terms) {
        let bell = (self.bell)(&core.bells);
        let mut rounds = 0;
        while !*terms.shutdown.borrow() {
            bell.wake();
            if !terms.stays() && self.name != INBOX {
                replies_first(&core).await;
            }
            rounds += 1;
            if !terms.stays() && rounds > limits::SETTLE_ROUNDS_MAX {
                let again = Problem::bug("something is due again and again");
                return terms.note(again.with_hint("see `abide run list`"));
            }
            let due = match self.pump(&core, &terms).await {
                Ok(pumped) => {
                    core.count_done(pumped.did);
                    pumped.due
                }
                Err(_) if terms.stays() && core.store.check().is_err() => return,
                Err(problem) => {
                    terms.note(problem);
                    if core.store.check().is_err() {
                        return;
                    }
                    Some(core.now() + AFTER_FAILURE)
                }
            };
            let wake_at = due.into_iter().chain(bell.take_due()).min();
            core.sleeps(bell, wake_at);
            tokio::select! {
                biased;
                _ = terms.shutdown.wait_for(|stop| *stop) => {}
                () = bell.wait() => {}
                () = core.until(wake_at) => {}
            }
        }
    }

    /// Who stays and may take no work is told by its bell when it may.
    async fn pump(&self, core: &Arc<Core>, terms: &Terms) -> Result<Pumped, Problem> {
        if terms.stays() && !core.claims.may_take() {
            return Ok(Pumped { did: 0, due: None });
        }
        // Where nobody stays, one part works at a time, and one run: what a call came to is alike each time.
        let alone = match terms.stays() {
            true => None,
            false => Some(core.at_work.lock().await),
        };
        let pumped = AssertUnwindSafe((self.pump)(Arc::clone(core))).catch_unwind().await;
        if alone.is_some() {
            let _ = core.claims.watch().wait_for(|active| *active == 0).await;
        }
        pumped.unwrap_or_else(|panic| Err(Problem::panicked("the driver", &*panic)))
    }
}
