//! The parts of the driver, and the loop that each of them runs: do what is due, then sleep until the
//! bell rings or the next due time comes.

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

/// The pause after a part failed (for example because the database is away) before it tries again.
const AFTER_FAILURE: Span = Span::from_secs(1);

/// A part: its name, its bell, and the function that does what is due.
pub(super) struct Part {
    name: &'static str,
    bell: fn(&Bells) -> &Bell,
    pump: fn(Arc<Core>) -> BoxFuture<'static, Result<Pumped, Problem>>,
}

/// All parts. They run concurrently.
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

/// In a process that does not serve, waits until the inbox rests, so that replies are applied before the
/// work that this call makes due.
async fn replies_first(core: &Core) {
    let mut moved = core.claims.watch();
    while core.bells.inbox.asleep(core.now()).is_none() && moved.changed().await.is_ok() {}
}

/// Takes due runs. On PostgreSQL claiming is a transaction, so a cheaper query first checks whether any
/// run is due.
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

/// How a part is run.
#[derive(Clone)]
pub(super) struct PartMode {
    /// Turns true when the part is to stop.
    pub(super) shutdown: watch::Receiver<bool>,
    /// Receives the first failure of any part. `None` in a process that serves: it logs failures and
    /// tries again.
    pub(super) failed: Option<Arc<OnceLock<Problem>>>,
}

impl PartMode {
    /// Whether the process serves, that is, works for as long as it lives.
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
    /// Does what falls due until the process is to stop, or the part cannot continue. In a process that
    /// serves, a failed round is tried again after a pause.
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

    /// Pumps once, unless this process serves and may take no work: the bell rings when it may again.
    async fn pump(&self, core: &Arc<Core>, mode: &PartMode) -> Result<Pumped, Problem> {
        if mode.is_serving() && !core.claims.may_take() {
            return Ok(Pumped { did: 0, due: None });
        }
        // In a process that does not serve, one part and one run work at a time, so that a call has the
        // same result each time.
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
