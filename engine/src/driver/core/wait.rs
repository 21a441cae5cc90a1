//! Waiting on the domain's clock: for a span, for an answer from outside, for what another process may do.

use std::future::Future;

use tokio::sync::watch;

use super::state::Core;
use crate::base::{Problem, Span};
use crate::store::Dialect;

/// How often it is looked whether another process has applied a message that somebody waits for.
const LOOK_ELSEWHERE: Span = Span::from_micros(100_000);

/// Waits for so long.
pub(crate) async fn pause(core: &Core, span: Span) {
    core.until(Some(core.now() + span)).await;
}

/// Until something was applied here, or it is time to look whether another process did.
pub(crate) async fn applied_somewhere(core: &Core, applied: &mut watch::Receiver<u64>) {
    let elsewhere = core.store.dialect() == Dialect::Postgres;
    tokio::select! {
        biased;
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
