//! Waits by the engine's clock: for a span of time, for the answer of an outside system, or for another
//! process.

use std::future::Future;

use super::awaited::AwaitedMessage;
use super::state::Core;
use crate::base::{Problem, Span};
use crate::store::Dialect;

/// A caller that waits until its message is applied checks after this time whether another process has applied the message,
/// and then each time after twice as long.
pub(crate) const LOOK_ELSEWHERE: Span = Span::from_micros(100_000);

/// Waits until `span` has passed on the engine's clock.
pub(crate) async fn pause(core: &Core, span: Span) {
    core.until(Some(core.now() + span)).await;
}

/// Waits until this process has applied the message, or until it is time to check whether another process has, after
/// `span`; then returns false. Only on PostgreSQL can another process apply messages.
pub(crate) async fn applied_somewhere(
    core: &Core,
    message: &AwaitedMessage<'_>,
    span: Span,
) -> bool {
    let elsewhere = core.store.dialect() == Dialect::Postgres;
    tokio::select! {
        biased;
        () = message.applied() => true,
        () = core.until(elsewhere.then(|| core.now() + span)) => false,
    }
}

/// Runs `work` for at most `span`, then returns without an error even if `work` is not done.
/// Does nothing if the clock is virtual and the process is not a server,
/// because the clock of such a process does not advance while `work` runs.
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

/// Waits for the answer of an outside system. Returns `None` if the answer takes longer than `span`.
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
