//! Waiting on the domain's clock: for a span, for an answer from outside, and for work that another
//! process may do.

use std::future::Future;

use tokio::sync::watch;

use super::state::Core;
use crate::base::{Problem, Span};
use crate::store::Dialect;

/// How often a waiting caller checks whether another process has applied its message.
const LOOK_ELSEWHERE: Span = Span::from_micros(100_000);

/// Waits for `span`.
pub(crate) async fn pause(core: &Core, span: Span) {
    core.until(Some(core.now() + span)).await;
}

/// Waits until a message is applied in this process, or it is time to check whether another process has
/// applied one.
pub(crate) async fn applied_somewhere(core: &Core, applied: &mut watch::Receiver<u64>) {
    let elsewhere = core.store.dialect() == Dialect::Postgres;
    tokio::select! {
        biased;
        _ = applied.changed() => {}
        () = core.until(elsewhere.then(|| core.now() + LOOK_ELSEWHERE)) => {}
    }
}

/// Runs `work` for at most `span`; reaching the limit is no error. In a process that does not serve, a
/// virtual clock moves only between two calls: there this returns at once.
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

/// Returns the answer from something outside, or `None` if it takes longer than `span`.
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
