//! Concurrent child runs: which to start, which have ended, and what that means for the step.
//!
//! Branches of a `parallel`, rounds of a `foreach` and the call of a method use the same mechanism. The
//! parent keeps a cursor and counts, and looks only at a window of its children, however many there are.

use serde::{Deserialize, Serialize};

use crate::base::{Timestamp, limits};

/// Maximum size of the window: from the first child that has not ended to the last one that was started.
const WINDOW_MAX: usize = 256;

/// Progress of the children of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fan {
    /// Total number of children.
    pub total: usize,
    /// Number of children that must complete.
    pub need: usize,
    /// Maximum number of children that run at the same time.
    pub abreast: usize,
    /// Number of children started: those with a lower index.
    pub started: usize,
    /// Start of the window: the children with a lower index have ended and are counted.
    pub low: usize,
    /// Number of counted children that completed.
    pub ok: usize,
    /// Index of the first counted child that failed or was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_bad: Option<usize>,
    /// Deadline of the step, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Whether the children that are still running were told to stop.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stopping: bool,
}

/// Status of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildEnd {
    /// It has not ended.
    Open,
    /// It completed.
    Good,
    /// It failed or was cancelled.
    Bad,
}

/// What the parent does after checking its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FanStep {
    /// Start this many more children, then check again.
    Start(usize),
    /// Tell the running children to stop.
    Stop,
    /// Wait for the running children.
    Wait,
    /// All have ended, and enough of them completed.
    Good,
    /// All that were started have ended, and too few of them completed.
    Bad,
}

impl Fan {
    /// Creates the fan of `total` children, none of which is started.
    #[must_use]
    pub const fn of(total: usize, need: usize, abreast: usize) -> Self {
        Self {
            total,
            need,
            abreast,
            started: 0,
            low: 0,
            ok: 0,
            first_bad: None,
            until: None,
            stopping: false,
        }
    }

    /// Decides what to do. `window` has the status of the children from `low` to `started`, in order.
    #[must_use]
    pub fn decide(&self, window: &[ChildEnd], now: Timestamp) -> FanStep {
        let count = |end| window.iter().filter(|child| **child == end).count();
        let open = count(ChildEnd::Open);
        let ok = self.ok + count(ChildEnd::Good);
        let bad = self.started - ok - open;
        let enough = ok >= self.need;
        let hopeless = bad > self.total - self.need;
        let late = self.until.is_some_and(|until| now >= until);
        if enough || hopeless || late || self.stopping {
            return match (open, self.stopping) {
                (0, _) if enough => FanStep::Good,
                (0, _) => FanStep::Bad,
                (_, true) => FanStep::Wait,
                (_, false) => FanStep::Stop,
            };
        }
        let room = self.abreast.saturating_sub(open).min(WINDOW_MAX.saturating_sub(window.len()));
        let more = (self.total - self.started).min(room).min(limits::CHILDREN_CHUNK_MAX);
        if more > 0 { FanStep::Start(more) } else { FanStep::Wait }
    }

    /// Counts the children that have ended and moves the window forward, up to the first open one.
    pub fn fold(&mut self, window: &[ChildEnd]) {
        for end in window.iter().take_while(|end| **end != ChildEnd::Open) {
            match end {
                ChildEnd::Good => self.ok += 1,
                _ => self.first_bad = self.first_bad.or(Some(self.low)),
            }
            self.low += 1;
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

#[cfg(test)]
mod tests {
    use super::ChildEnd::{Bad, Good, Open};
    use super::*;

    fn decide(fan: &Fan, window: &[ChildEnd]) -> FanStep {
        fan.decide(window, Timestamp::EPOCH)
    }

    fn started(total: usize, need: usize, started: usize) -> Fan {
        Fan { started, ..Fan::of(total, need, total) }
    }

    #[test]
    fn all_are_started_and_awaited() {
        assert_eq!(decide(&Fan::of(3, 3, 3), &[]), FanStep::Start(3));
        assert_eq!(decide(&started(3, 3, 3), &[Good, Open, Good]), FanStep::Wait);
        assert_eq!(decide(&started(3, 3, 3), &[Good, Good, Good]), FanStep::Good);
        assert_eq!(decide(&Fan::of(0, 0, 1), &[]), FanStep::Good);
    }

    #[test]
    fn the_first_good_end_stops_the_others_and_waits_for_them() {
        let mut any = started(3, 1, 3);
        assert_eq!(decide(&any, &[Bad, Good, Open]), FanStep::Stop);
        any.stopping = true;
        assert_eq!(decide(&any, &[Bad, Good, Open]), FanStep::Wait);
        assert_eq!(decide(&any, &[Bad, Good, Bad]), FanStep::Good);
    }

    #[test]
    fn without_hope_the_rest_is_stopped() {
        assert_eq!(decide(&started(3, 3, 3), &[Open, Bad, Open]), FanStep::Stop);
        assert_eq!(decide(&started(3, 3, 3), &[Good, Bad, Good]), FanStep::Bad);
        assert_eq!(decide(&started(3, 2, 3), &[Open, Bad, Open]), FanStep::Wait);
    }

    #[test]
    fn a_few_at_a_time_and_the_head_keeps_counts_only() {
        let mut fan = Fan { started: 4, ..Fan::of(1_000, 1_000, 4) };
        let window = [Good, Open, Good, Open];
        assert_eq!(decide(&fan, &window), FanStep::Start(2));
        fan.fold(&window);
        assert_eq!((fan.low, fan.ok), (1, 1));
        fan.fold(&[Bad, Bad, Open]);
        assert_eq!((fan.low, fan.ok, fan.first_bad), (3, 1, Some(1)));
    }

    #[test]
    fn too_late_is_too_late() {
        let fan = Fan { until: Some(Timestamp::EPOCH), ..started(2, 2, 2) };
        assert_eq!(decide(&fan, &[Good, Open]), FanStep::Stop);
    }
}
