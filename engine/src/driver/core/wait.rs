//! Ways to wait on the domain's clock: for a time span,
//! for an answer from outside, and for another process.

use std::future::Future;

use tokio::sync::watch;

use super::state::Core;
use crate::base::{Problem, Span};
use crate::store::Dialect;

/// The interval at which a waiting caller checks whether another process has applied its message.
const LOOK_ELSEWHERE: Span = Span::from_micros(100_000);

/// Waits for `span` on the domain's clock.
pub(crate) async fn pause(core: &Core, span: Span) {
    core.until(Some(core.now() + span)).await;
}

/// Waits until this process applies a message, or until it is time to check whether
/// another process has applied one.
pub(crate) async fn applied_somewhere(core: &Core, applied: &mut watch::Receiver<u64>) {
    let elsewhere = core.store.dialect() == Dialect::Postgres;
    tokio::select! {
        biased;
        _ = applied.changed() => {}
        () = core.until(elsewhere.then(|| core.now() + LOOK_ELSEWHERE)) => {}
    }
}

/// Runs `work` for at most `span`; reaching the limit is not an error. Returns at once if the clock
/// is virtual and the process does not serve, because such a clock advances only between calls.
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

/// Returns the answer from an outside system, or `None` if it takes longer than `span`.
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
