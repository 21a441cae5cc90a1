//! The part of the driver that a task works for.

use std::future::Future;

/// The part that applies inbound messages.
pub(super) const INBOX: &str = "inbox";
/// The part that works on runs, in one task per run.
pub(super) const RUNS: &str = "runs";
/// The part that sends messages, in one task per slice and one per call of the gateway.
pub(super) const OUTBOX: &str = "outbox";
/// The part that asks the provider about messages whose answer is missing, in one task per message.
pub(super) const ANSWERS: &str = "answers";

tokio::task_local! {
    static CURRENT_PART: &'static str;
}

/// Returns the part of the driver that the current task works for: `inbox`, `schedules`, `runs`,
/// `outbox` or `answers`. Returns `None` in a task of an outside caller, and in the writer of the database.
#[must_use]
pub fn current_part() -> Option<&'static str> {
    CURRENT_PART.try_with(|part| *part).ok()
}

/// Runs `work` as a task of the part `part`.
pub(super) async fn as_part<T>(part: &'static str, work: impl Future<Output = T>) -> T {
    CURRENT_PART.scope(part, work).await
}
