//! The outer loops of a process that lives: each part sleeps until its bell or its next due time.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::FutureExt as _;
use tokio::sync::watch;

use super::bell::Bell;
use super::core::Core;
use super::{chores, inbox, node, outbox, runs};
use crate::base::{Problem, Span, Timestamp};
use crate::store::Dialect;

/// The pause after a part failed (the database is away), before it tries again.
const AFTER_FAILURE: Span = Span::from_secs(1);

/// How often it is looked whether another process has applied a message that somebody waits for.
const LOOK_ELSEWHERE: Span = Span::from_micros(100_000);

/// Works until `shutdown` turns true, then finishes the commits in hand.
pub async fn serve(core: Arc<Core>, mut shutdown: watch::Receiver<bool>) {
    let mut parts = tokio::task::JoinSet::new();
    let stop = || shutdown.clone();
    parts.spawn(part(Arc::clone(&core), stop(), |c| &c.bells.runs, run_part));
    parts.spawn(part(Arc::clone(&core), stop(), |c| &c.bells.inbox, inbox_part));
    parts.spawn(part(Arc::clone(&core), stop(), |c| &c.bells.outbox, outbox_part));
    parts.spawn(part(Arc::clone(&core), stop(), |c| &c.bells.answers, answers_part));
    parts.spawn(part(Arc::clone(&core), stop(), |c| &c.bells.chores, chores_part));
    let (leave, leaving) = watch::channel(false);
    let mut beating = tokio::task::JoinSet::new();
    if core.store.dialect() == Dialect::Postgres {
        beating.spawn(node::heartbeat(Arc::clone(&core), leaving));
        parts.spawn(node::listen(Arc::clone(&core), stop()));
        parts.spawn(node::poll(Arc::clone(&core), stop()));
    }
    let _ = shutdown.wait_for(|stop| *stop).await;
    core.stopping.store(true, Ordering::SeqCst);
    core.bells.ring_all();
    while parts.join_next().await.is_some() {}
    let mut idle = core.idle.subscribe();
    let _ = idle.wait_for(|active| *active == 0).await;
    // Others free what a node has in hand as soon as its lease ends, and count it against the runs.
    leave.send_replace(true);
    while beating.join_next().await.is_some() {}
}

type Pumped = Result<Option<Timestamp>, Problem>;

async fn run_part(core: Arc<Core>) -> Pumped {
    runs::pump(&core).await?;
    runs::next_due(&core).await
}

async fn inbox_part(core: Arc<Core>) -> Pumped {
    inbox::pump(&core).await.map(|pumped| pumped.again)
}

async fn outbox_part(core: Arc<Core>) -> Pumped {
    outbox::pump(&core).await.map(|pumped| pumped.next)
}

async fn answers_part(core: Arc<Core>) -> Pumped {
    outbox::reconcile(&core).await.map(|pumped| pumped.next)
}

async fn chores_part(core: Arc<Core>) -> Pumped {
    loop {
        let (due, domain) = core.due_with_domain().await?;
        if chores::pass(&core, &due, domain).await? == 0 {
            return Ok(due.schedule.into_iter().chain(domain).min());
        }
    }
}

async fn part<F>(
    core: Arc<Core>,
    mut shutdown: watch::Receiver<bool>,
    bell: fn(&Core) -> &Bell,
    pump: fn(Arc<Core>) -> F,
) where
    F: Future<Output = Pumped>,
{
    while !*shutdown.borrow() {
        // Who may not take work is told by its bell when it may.
        let pumped = match core.may_take() {
            true => AssertUnwindSafe(pump(Arc::clone(&core))).catch_unwind().await,
            false => Ok(Ok(None)),
        };
        let pumped = pumped.unwrap_or_else(|panic| Err(Problem::panicked("the driver", &*panic)));
        let due = match pumped {
            Ok(due) => due,
            Err(problem) => {
                if core.store.check().is_err() {
                    return;
                }
                let detail = problem.detail.as_deref().unwrap_or("");
                tracing::warn!(code = %problem.code, detail, "{problem}");
                Some(core.now() + AFTER_FAILURE)
            }
        };
        let told = bell(&core).take_due();
        let wake_at = due.into_iter().chain(told).min();
        until(&core, (bell(&core), wake_at), &mut shutdown).await;
    }
}

/// Until the bell rings, the instant comes, or the process is to stop.
async fn until(
    core: &Core,
    (bell, at): (&Bell, Option<Timestamp>),
    shutdown: &mut watch::Receiver<bool>,
) {
    let pause = at.map(|at| (at - core.now()).to_std());
    tokio::select! {
        () = bell.wait() => {}
        () = after(pause) => {}
        _ = shutdown.wait_for(|stop| *stop) => {}
    }
}

#[expect(clippy::disallowed_methods, reason = "the outer loop is the one place that waits")]
async fn after(pause: Option<std::time::Duration>) {
    match pause {
        Some(pause) => tokio::time::sleep(pause).await,
        None => std::future::pending().await,
    }
}

/// Waits on the machine's clock, for the parts that keep a lease.
pub(crate) async fn pause(span: Span) {
    after(Some(span.to_std())).await;
}

/// Until something was applied here, or it is time to look whether another process did.
pub(crate) async fn applied_somewhere(core: &Core, applied: &mut watch::Receiver<u64>) {
    let elsewhere = core.store.dialect() == Dialect::Postgres;
    tokio::select! {
        _ = applied.changed() => {}
        () = after(elsewhere.then(|| LOOK_ELSEWHERE.to_std())) => {}
    }
}

/// Runs `work` for at most `span` of the machine's time; running out of it is no error.
pub(crate) async fn within<F>(span: Span, work: F) -> Result<(), Problem>
where
    F: Future<Output = Result<(), Problem>>,
{
    tokio::time::timeout(span.to_std(), work).await.unwrap_or(Ok(()))
}

/// The answer of something outside; none where it takes longer than `span`.
pub(super) async fn answer_within<T>(
    _core: &Core,
    span: Span,
    answer: impl Future<Output = T>,
) -> Option<T> {
    tokio::time::timeout(span.to_std(), answer).await.ok()
}
