//! Concurrent child runs: which children to start, which have ended, and what that means for the step.
//!
//! Branches of a `parallel`, rounds of a `foreach` and the call of a method use the same mechanism.
//! The parent keeps a cursor and counts.
//! The parent looks only at a window of its children, even if there are thousands.

use serde::{Deserialize, Serialize};

use crate::base::{Timestamp, limits};

/// Maximum size of the window, which reaches from the first child
/// that has not ended to the last child started.
const WINDOW_MAX: usize = 256;

/// The child runs of a step, and their progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FanOut {
    /// Total number of children.
    pub total: usize,
    /// Number of children that must complete.
    pub need: usize,
    /// Maximum number of children that run at the same time.
    #[serde(rename = "abreast")]
    pub concurrency: usize,
    /// Number of children started. A child is started if its index is lower than this number.
    pub started: usize,
    /// Start of the window: all children with a lower index have ended and are counted.
    #[serde(rename = "low")]
    pub window_start: usize,
    /// Number of counted children that completed.
    #[serde(rename = "ok")]
    pub completed: usize,
    /// Index of the first counted child that failed or was cancelled.
    #[serde(rename = "first_bad", default, skip_serializing_if = "Option::is_none")]
    pub first_failed: Option<usize>,
    /// Deadline of the step, if the step has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Whether the children that are still running were ordered to stop.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stopping: bool,
}

/// Whether a child run has ended, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildStatus {
    /// The child has not ended.
    Open,
    /// The child completed.
    Completed,
    /// The child failed or was cancelled.
    Failed,
}

/// The action of the parent after it has checked its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FanOutAction {
    /// Start this many more children, then check again.
    Start(usize),
    /// Order the running children to stop.
    Stop,
    /// Wait for the running children.
    Wait,
    /// End the step: all children have ended, and enough of them completed.
    Succeed,
    /// Fail the step: all started children have ended, and too few of them completed.
    Fail,
}

impl FanOut {
    /// Creates the state of `total` children, none of which is started.
    /// All of them must complete, and all may run at the same time.
    #[must_use]
    pub const fn of(total: usize) -> Self {
        Self {
            total,
            need: total,
            concurrency: total,
            started: 0,
            window_start: 0,
            completed: 0,
            first_failed: None,
            until: None,
            stopping: false,
        }
    }

    /// Decides what to do.
    /// `window` has the status of the children from `window_start` to `started`, in order.
    #[must_use]
    pub fn decide(&self, window: &[ChildStatus], now: Timestamp) -> FanOutAction {
        let count = |status| window.iter().filter(|child| **child == status).count();
        let open = count(ChildStatus::Open);
        let completed = self.completed + count(ChildStatus::Completed);
        let failed = self.started - completed - open;
        let enough = completed >= self.need;
        let hopeless = failed > self.total - self.need;
        let late = self.until.is_some_and(|until| now >= until);
        if enough || hopeless || late || self.stopping {
            return match (open, self.stopping) {
                (0, _) if enough => FanOutAction::Succeed,
                (0, _) => FanOutAction::Fail,
                (_, true) => FanOutAction::Wait,
                (_, false) => FanOutAction::Stop,
            };
        }
        let room =
            self.concurrency.saturating_sub(open).min(WINDOW_MAX.saturating_sub(window.len()));
        let more = (self.total - self.started).min(room).min(limits::CHILDREN_CHUNK_MAX);
        if more > 0 { FanOutAction::Start(more) } else { FanOutAction::Wait }
    }

    /// Counts the children that have ended and moves the window forward,
    /// up to the first child that has not ended.
    pub fn count_ended(&mut self, window: &[ChildStatus]) {
        for status in window.iter().take_while(|status| **status != ChildStatus::Open) {
            match status {
                ChildStatus::Completed => self.completed += 1,
                _ => self.first_failed = self.first_failed.or(Some(self.window_start)),
            }
            self.window_start += 1;
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

#[cfg(test)]
mod tests {
    use super::ChildStatus::{Completed, Failed, Open};
    use super::*;

    fn decide(fan: &FanOut, window: &[ChildStatus]) -> FanOutAction {
        fan.decide(window, Timestamp::EPOCH)
    }

    fn started(total: usize, need: usize, started: usize) -> FanOut {
        FanOut { need, started, ..FanOut::of(total) }
    }

    #[test]
    fn all_are_started_and_awaited() {
        assert_eq!(decide(&FanOut::of(3), &[]), FanOutAction::Start(3));
        assert_eq!(decide(&started(3, 3, 3), &[Completed, Open, Completed]), FanOutAction::Wait);
        assert_eq!(
            decide(&started(3, 3, 3), &[Completed, Completed, Completed]),
            FanOutAction::Succeed
        );
        assert_eq!(decide(&FanOut::of(0), &[]), FanOutAction::Succeed);
    }

    #[test]
    fn the_first_to_complete_stops_the_others_and_the_step_waits_for_them() {
        let mut any = started(3, 1, 3);
        assert_eq!(decide(&any, &[Failed, Completed, Open]), FanOutAction::Stop);
        any.stopping = true;
        assert_eq!(decide(&any, &[Failed, Completed, Open]), FanOutAction::Wait);
        assert_eq!(decide(&any, &[Failed, Completed, Failed]), FanOutAction::Succeed);
    }

    #[test]
    fn when_too_few_can_complete_the_rest_is_stopped() {
        assert_eq!(decide(&started(3, 3, 3), &[Open, Failed, Open]), FanOutAction::Stop);
        assert_eq!(decide(&started(3, 3, 3), &[Completed, Failed, Completed]), FanOutAction::Fail);
        assert_eq!(decide(&started(3, 2, 3), &[Open, Failed, Open]), FanOutAction::Wait);
    }

    #[test]
    fn a_few_run_at_a_time_and_only_counts_are_kept() {
        let mut fan = FanOut { concurrency: 4, started: 4, ..FanOut::of(1_000) };
        let window = [Completed, Open, Completed, Open];
        assert_eq!(decide(&fan, &window), FanOutAction::Start(2));
        fan.count_ended(&window);
        assert_eq!((fan.window_start, fan.completed), (1, 1));
        fan.count_ended(&[Failed, Failed, Open]);
        assert_eq!((fan.window_start, fan.completed, fan.first_failed), (3, 1, Some(1)));
    }

    #[test]
    fn after_the_deadline_the_rest_is_stopped() {
        let fan = FanOut { until: Some(Timestamp::EPOCH), ..started(2, 2, 2) };
        assert_eq!(decide(&fan, &[Completed, Open]), FanOutAction::Stop);
    }
}
