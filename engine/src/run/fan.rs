//! Child runs side by side: which are started, which have ended, what that means for the step.
//!
//! Branches of a `parallel`, rounds of a `foreach` and the call of a method are one mechanism. The
//! parent keeps a cursor and counts; whatever the number of children, it looks at a window of them.

use serde::{Deserialize, Serialize};

use crate::base::{Timestamp, limits};

/// Children that have ended behind one that has not: beyond this no more are started.
const WINDOW_MAX: usize = 256;

/// How far the children of a step have come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fan {
    /// How many there are to be.
    pub total: usize,
    /// How many must come to a good end.
    pub need: usize,
    /// How many are at work at a time.
    pub abreast: usize,
    /// Those before this one are started.
    pub started: usize,
    /// Those before this one have ended and are counted.
    pub low: usize,
    /// How many of the counted came to a good end.
    pub ok: usize,
    /// The first of the counted that came to a bad end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_bad: Option<usize>,
    /// Until when, if the step is bounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Those still at work were told to stop.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stopping: bool,
}

/// How a child stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildEnd {
    /// It is still at work.
    Open,
    /// It completed.
    Good,
    /// It failed or was cancelled.
    Bad,
}

/// What follows a look at the children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FanStep {
    /// Start so many more, then look again.
    Start(usize),
    /// Tell those still at work to stop.
    Stop,
    /// Wait for them.
    Wait,
    /// All have ended, and enough of them well.
    Good,
    /// All that were started have ended, and too few of them well.
    Bad,
}

impl Fan {
    /// So many children, none of them started.
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

    /// Decides by the children from `low` to `started`, in order.
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

    /// Counts the children that have ended, as far as no open one stands before them.
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
