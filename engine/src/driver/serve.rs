//! The outer loops of a process that lives: all parts, and on a server its life among others.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::watch;

use super::core::Core;
use super::node;
use super::part::{PARTS, Terms};
use crate::base::{Problem, Span};
use crate::store::Dialect;

/// How often it is looked whether another process has applied a message that somebody waits for.
const LOOK_ELSEWHERE: Span = Span::from_micros(100_000);

/// Works until `shutdown` turns true, then finishes the commits in hand.
pub async fn serve(core: Arc<Core>, mut shutdown: watch::Receiver<bool>) {
    let mut parts = tokio::task::JoinSet::new();
    core.bells.wake_all();
    core.served.store(true, Ordering::SeqCst);
    for part in &PARTS {
        let terms = Terms { shutdown: shutdown.clone(), failed: None };
        parts.spawn(part.work(Arc::clone(&core), terms));
    }
    let (leave, leaving) = watch::channel(false);
    let mut beating = tokio::task::JoinSet::new();
    if core.store.dialect() == Dialect::Postgres {
        beating.spawn(node::heartbeat(Arc::clone(&core), leaving));
        parts.spawn(node::listen(Arc::clone(&core), shutdown.clone()));
        parts.spawn(node::poll(Arc::clone(&core), shutdown.clone()));
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
    core.served.store(false, Ordering::SeqCst);
}

/// Waits for so long.
pub(crate) async fn pause(core: &Core, span: Span) {
    core.until(Some(core.now() + span)).await;
}

/// Until something was applied here, or it is time to look whether another process did.
pub(crate) async fn applied_somewhere(core: &Core, applied: &mut watch::Receiver<u64>) {
    let elsewhere = core.store.dialect() == Dialect::Postgres;
    tokio::select! {
        _ = applied.changed() => {}
        () = core.until(elsewhere.then(|| core.now() + LOOK_ELSEWHERE)) => {}
    }
}

/// Runs `work` for at most `span`; running out of it is no error. A virtual clock in a process that does not
/// work by itself moves only between two calls: there nobody waits for it.
pub(crate) async fn within<F>(core: &Core, span: Span, work: F) -> Result<(), Problem>
where
    F: Future<Output = Result<(), Problem>>,
{
    if core.virtual_time && !core.is_served() {
        return Ok(());
    }
    tokio::select! {
        biased;
        done = work => done,
        () = pause(core, span) => Ok(()),
    }
}

/// The answer of something outside; none where it takes longer than `span`.
pub(crate) async fn answer_within<T>(
    core: &Core,
    span: Span,
    answer: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        answer = answer => Some(answer),
        () = pause(core, span) => None,
    }
}
