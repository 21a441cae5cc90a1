//! Decides whether a wait for replies is over. The wait itself counts no replies: each check compares the
//! current tally with the number of people needed.

use serde::{Deserialize, Serialize};

use super::deadline::{ComputedEnd, WaitStart};
use crate::base::{RequestId, Span, Timestamp};
use crate::planted::PlantedFault;

/// The replies that a wait needs, and the timeout of the wait.
/// Stored in the head of the run while the run waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitSpec {
    /// Request whose replies are awaited.
    pub request: RequestId,
    /// Role that is to be filled, for display.
    pub role: String,
    /// Key of the role's counts in the request's tally. The count `yes` is compared with `need`.
    pub yes_cell: String,
    /// Keys of the counts of the awaited waves in the request's tally.
    /// The counts `open` show how many people can still answer.
    pub open_cells: Vec<String>,
    /// Number of people needed.
    pub need: i64,
    /// Timeout. It counts from the start of the wait, or from the moment when policy has permitted
    /// all messages of the run to leave, if that is later.
    pub span: Span,
    /// The instant at which the wait ends, if that is earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The number of people wanted for the role when `need` was last determined; `None` in an older wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<i64>,
}

impl WaitSpec {
    /// Returns the deadline of the wait.
    #[must_use]
    pub fn deadline(&self, start: WaitStart) -> Timestamp {
        ComputedEnd { until: self.until, span: None }.deadline(start, self.span)
    }
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitEnd {
    /// Enough people hold a place.
    Enough,
    /// Nobody is left who could still answer.
    Exhausted,
    /// The deadline has passed. Replies received at the deadline or later do not count.
    Timeout {
        /// The deadline.
        at: Timestamp,
    },
}

/// The times and counts that decide whether a wait is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitCheck {
    /// Time of the step.
    pub now: Timestamp,
    /// The deadline.
    pub deadline: Timestamp,
    /// Number of people who hold a place. After the deadline, includes only people
    /// whose reply was received before the deadline.
    pub have: i64,
    /// Number of people needed.
    pub need: i64,
    /// Number of people who can still answer.
    pub open: i64,
}

/// The result of checking a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitDecision {
    /// The wait is over.
    End(WaitEnd),
    /// The wait continues. The wait must be checked again at the deadline, or when the run is woken.
    Wait {
        /// The deadline.
        until: Timestamp,
    },
}

impl WaitCheck {
    /// Decides whether a wait is over. If enough people hold a place, the result
    /// is `Enough`, even after the deadline, because `have` excludes replies received too late.
    /// If nobody is left who can answer, the wait ends before its deadline.
    #[must_use]
    pub fn decide(&self) -> WaitDecision {
        let early = if PlantedFault::WaitEndsEarly.is_active() { 60 } else { 0 };
        let deadline = self.deadline - Span::from_secs(early);
        if self.have >= self.need {
            WaitDecision::End(WaitEnd::Enough)
        } else if self.now >= deadline {
            WaitDecision::End(WaitEnd::Timeout { at: deadline })
        } else if self.open == 0 {
            WaitDecision::End(WaitEnd::Exhausted)
        } else {
            WaitDecision::Wait { until: deadline }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(now: i64, have: i64, open: i64) -> WaitDecision {
        let at = |hours: i64| Timestamp::EPOCH + Span::from_secs(hours * 3600);
        let check = WaitCheck { now: at(now), deadline: at(7), have, need: 5, open };
        check.decide()
    }

    #[test]
    fn enough_wins_even_at_the_deadline() {
        assert_eq!(decide(2, 5, 3), WaitDecision::End(WaitEnd::Enough));
        assert_eq!(decide(7, 5, 3), WaitDecision::End(WaitEnd::Enough));
        assert_eq!(decide(2, 6, 0), WaitDecision::End(WaitEnd::Enough));
    }

    #[test]
    fn a_wait_ends_at_its_deadline() {
        let at = Timestamp::EPOCH + Span::from_secs(7 * 3600);
        assert_eq!(decide(6, 4, 3), WaitDecision::Wait { until: at });
        assert_eq!(decide(7, 4, 3), WaitDecision::End(WaitEnd::Timeout { at }));
        assert_eq!(decide(9, 4, 0), WaitDecision::End(WaitEnd::Timeout { at }));
    }

    #[test]
    fn nobody_left_to_answer_ends_the_wait_early() {
        assert_eq!(decide(2, 4, 0), WaitDecision::End(WaitEnd::Exhausted));
    }
}
