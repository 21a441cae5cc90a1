//! Defines the parts of the driver, and the loop that each part runs: the part does the due work, then
//! sleeps until its bell rings or the next due time comes.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::watch;

use super::bell::{Bell, Bells};
use super::core::{Core, Pumped};
use super::current_part::{ANSWERS, INBOX, OUTBOX, RUNS, as_part};
use super::{inbox, outbox, runs, schedules};
use crate::base::{Problem, Span, limits};
use crate::store::Dialect;

/// Time to wait after a failure of a part of the driver, for example when the database is unavailable.
const AFTER_FAILURE: Span = Span::from_secs(1);

/// A part of the driver: its name, the bell that wakes it, and the function that does its due work.
pub(super) struct Part {
    name: &'static str,
    bell: fn(&Bells) -> &Bell,
    pump: fn(Arc<Core>) -> BoxFuture<'static, Result<Pumped, Problem>>,
}

/// All parts of the driver. They run concurrently.
pub(super) static PARTS: [Part; 5] = [
    Part { name: INBOX, bell: |bells| &bells.inbox, pump: |core| Box::pin(inbox::pump(core)) },
    Part {
        name: "schedules",
        bell: |bells| &bells.schedules,
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

/// Waits until the part `inbox` has no work left. A process that is not a server
/// applies all replies before it does any other work that is due.
async fn replies_first(core: &Core) {
    let mut moved = core.claims.watch();
    while core.bells.inbox.asleep(core.now()).is_none() && moved.changed().await.is_ok() {}
}

/// Claims due runs and starts driving them. On PostgreSQL, claiming needs a transaction,
/// so this function first checks with a cheaper query whether any run is due.
async fn runs_part(core: Arc<Core>) -> Result<Pumped, Problem> {
    if !core.claims.is_any_unsettled() && !runs::has_room_for_claims(&core) {
        return Ok(Pumped { did: 0, due: None });
    }
    if core.store.dialect() == Dialect::Postgres && !core.claims.is_any_unsettled() {
        let due = core.due().await?;
        if !due.has_come(due.run) {
            return Ok(Pumped { did: 0, due: due.later_run });
        }
    }
    let pumped = runs::pump(&core).await?;
    let owed = core.claims.is_any_unsettled().then(|| core.now() + AFTER_FAILURE);
    Ok(Pumped { due: pumped.due.into_iter().chain(owed).min(), ..pumped })
}

/// How a part of the driver runs: when it must stop, and what it does after a failure.
#[derive(Clone)]
pub(super) struct PartMode {
    /// Becomes true when the part of the driver must stop.
    pub(super) shutdown: watch::Receiver<bool>,
    /// Receives the first failure of any part of the driver.
    /// `None` in a server, because a server logs failures and tries again.
    pub(super) failed: Option<Arc<OnceLock<Problem>>>,
}

impl PartMode {
    /// Whether the process is a server, whose driver keeps working until the process is stopped.
    fn is_serving(&self) -> bool {
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
    /// Does the work of this part of the driver whenever work falls due. Returns if the process must stop,
    /// if the database can no longer be used, or, in a process that is not a server, if work keeps falling
    /// due at the same instant. After any other failure, tries again after a pause.
    pub(super) async fn work(&self, core: Arc<Core>, mode: PartMode) {
        as_part(self.name, self.work_on(core, mode)).await;
    }

    async fn work_on(&self, core: Arc<Core>, mut mode: PartMode) {
        let bell = (self.bell)(&core.bells);
        let mut rounds = 0;
        while !*mode.shutdown.borrow() {
            bell.wake();
            if !mode.is_serving() && self.name != INBOX {
                replies_first(&core).await;
            }
            rounds += 1;
            if !mode.is_serving() && rounds > limits::SETTLE_ROUNDS_MAX {
                let again = Problem::bug("work keeps falling due at the same instant");
                return mode.note(again.with_hint("see `abide run list`"));
            }
            let due = match self.pump(&core, &mode).await {
                Ok(pumped) => {
                    core.count_done(pumped.did);
                    pumped.due
                }
                Err(_) if mode.is_serving() && core.store.check().is_err() => return,
                Err(problem) => {
                    mode.note(problem);
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
                _ = mode.shutdown.wait_for(|stop| *stop) => {}
                () = bell.wait() => {}
                () = core.until(wake_at) => {}
            }
        }
    }

    /// Does the work that is due now. Does nothing if this process is a server that may not take work now.
    /// The heartbeat wakes all parts of the driver when the server may take work again.
    async fn pump(&self, core: &Arc<Core>, mode: &PartMode) -> Result<Pumped, Problem> {
        if mode.is_serving() && !core.claims.may_take() {
            return Ok(Pumped { did: 0, due: None });
        }
        // In a process that is not a server, only one part of the driver and one run work at a time,
        // so that the same input always has the same result.
        let alone = match mode.is_serving() {
            true => None,
            false => Some(core.pumping.lock().await),
        };
        let pumped = AssertUnwindSafe((self.pump)(Arc::clone(core))).catch_unwind().await;
        if alone.is_some() {
            let _ = core.claims.watch().wait_for(|active| *active == 0).await;
        }
        pumped.unwrap_or_else(|panic| Err(Problem::panicked("the driver", &*panic)))
    }
}
