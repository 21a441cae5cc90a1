//! Which part of the driver a task works for.

use std::future::Future;

/// The part that applies what people wrote.
pub(super) const INBOX: &str = "inbox";
/// The part that works on runs, in a task for each.
pub(super) const RUNS: &str = "runs";
/// The part that lets messages go, in a task for each slice and each call.
pub(super) const OUTBOX: &str = "outbox";
/// The part that asks what became of messages, in a task for each.
pub(super) const ANSWERS: &str = "answers";

tokio::task_local! {
    static AT_WORK: &'static str;
}

/// The part of the driver that is at work in this task: `inbox`, `chores`, `runs`, `outbox` or `answers`. None
/// for whoever asks something from outside, and for the writer of the database.
#[must_use]
pub fn part_at_work() -> Option<&'static str> {
    AT_WORK.try_with(|part| *part).ok()
}

/// Has work be that of a part.
pub(super) async fn as_part<T>(part: &'static str, work: impl Future<Output = T>) -> T {
    AT_WORK.scope(part, work).await
}
