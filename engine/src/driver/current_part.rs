//! Records for each task which part of the driver the task works for.

use std::future::Future;

/// The name of the part of the driver that applies inbound messages.
pub(super) const INBOX: &str = "inbox";
/// The name of the part of the driver that works on runs, in one task per run.
pub(super) const RUNS: &str = "runs";
/// The name of the part of the driver that sends messages. This part uses one task for each slice (a few
/// messages of one tenant) and one task for each message.
pub(super) const OUTBOX: &str = "outbox";
/// The name of the part of the driver that handles messages without an answer: if the provider did not
/// answer when a message was sent, this part asks the provider about the message, in one task per
/// message.
pub(super) const ANSWERS: &str = "answers";

tokio::task_local! {
    static CURRENT_PART: &'static str;
}

/// Returns the name of the part of the driver that the current task works for: `inbox`, `schedules`,
/// `runs`, `outbox` or `answers`. Returns `None` in any other task, such as the task that writes to the
/// database.
#[must_use]
pub fn current_part() -> Option<&'static str> {
    CURRENT_PART.try_with(|part| *part).ok()
}

/// Runs `work` on behalf of a part of the driver: within `work`, [`current_part`] returns `part`.
pub(super) async fn as_part<T>(part: &'static str, work: impl Future<Output = T>) -> T {
    CURRENT_PART.scope(part, work).await
}
