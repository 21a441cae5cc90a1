//! Decides for a step with concurrent child runs how many of them to start, when to stop them, and whether
//! the step is done.
//!
//! Branches of a `parallel`, rounds of a `foreach` and called methods use the same mechanism. A step may
//! have thousands of child runs. The parent stores only counts and the start of a *window*. All child runs
//! before the window have ended, and the counts include them. So the parent reads only the child runs in
//! the window.

use serde::{Deserialize, Serialize};

use crate::base::{Timestamp, limits};

/// Maximum number of child runs in the window, which begins with the first child run that has not ended and
/// ends with the last child run that was started.
const WINDOW_MAX: usize = 256;

/// The child runs of a step, and their progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FanOut {
    /// Number of child runs that the step has in total.
    pub total: usize,
    /// Number of child runs that must complete for the step to succeed.
    pub need: usize,
    /// Maximum number of child runs at the same time.
    #[serde(rename = "abreast")]
    pub concurrency: usize,
    /// Number of child runs that were started. These child runs have the indexes below this number.
    pub started: usize,
    /// Start of the window: all child runs with a lower index have ended and are counted.
    #[serde(rename = "low")]
    pub window_start: usize,
    /// Number of completed child runs before the window.
    #[serde(rename = "ok")]
    pub completed: usize,
    /// Index of the first failed or cancelled child run before the window; `None` if there is none.
    #[serde(rename = "first_bad", default, skip_serializing_if = "Option::is_none")]
    pub first_failed: Option<usize>,
    /// Deadline of the step, if the step has a timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Whether the child runs that have not ended were ordered to stop.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stopping: bool,
}

/// Whether a child run has ended, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildStatus {
    /// The child run has not ended.
    Open,
    /// The child run completed.
    Completed,
    /// The child run failed or was cancelled.
    Failed,
}

/// What the parent does after it has checked its child runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FanOutAction {
    /// Start this many more child runs, then check again.
    Start(usize),
    /// Order the child runs that have not ended to stop.
    Stop,
    /// Wait until more child runs have ended.
    Wait,
    /// End the step successfully: all started child runs have ended, and enough of them completed.
    Succeed,
    /// Fail the step: all started child runs have ended, and too few of them completed.
    Fail,
}

impl FanOut {
    /// Creates the state of a step before any of its child runs is started. The parameter `total` is the
    /// number of child runs. All of them must complete, and all of them may run at the same time.
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

    /// Decides what the parent does next. `window` contains the status of each child run
    /// from index `window_start` up to, but not including, index `started`.
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

    /// Moves the start of the window to the first child run that has not ended. For the child runs that
    /// leave the window, counts those that completed, and records the first one that failed.
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
