//! Waits for replies. They are level-triggered: each check compares the current counts with the needed
//! ones.

use serde::{Deserialize, Serialize};

use crate::base::{RequestId, Span, Timestamp};
use crate::planted::Planted;

/// What a wait waits for. Stored in the run's head while it waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitSpec {
    /// Request whose replies are awaited.
    pub request: RequestId,
    /// Role that is to be filled, for display.
    pub role: String,
    /// Tally cell whose `yes` count is compared with `need`.
    pub yes_cell: String,
    /// Tally cells whose `open` counts show whether more people can still answer.
    pub open_cells: Vec<String>,
    /// Number of people needed.
    pub need: i64,
    /// Timeout, counted from the first permitted send of every message of the run.
    pub span: Span,
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitEnd {
    /// Enough people hold a place.
    Enough,
    /// Nobody is left who could still answer.
    Exhausted,
    /// The deadline passed. Replies received at the deadline or later do not count.
    Timeout {
        /// The deadline.
        at: Timestamp,
    },
}

/// The facts that a check of a wait is based on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Time of the step.
    pub now: Timestamp,
    /// Later of the start of the wait and the first permitted send of every message.
    pub base: Timestamp,
    /// Number of people that count now; after the deadline, only those whose reply was received before it.
    pub have: i64,
    /// Number of people needed.
    pub need: i64,
    /// Number of people who could still answer.
    pub open: i64,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The wait is over.
    End(WaitEnd),
    /// The wait continues. Check again at the deadline, or when woken.
    Wait {
        /// The deadline.
        until: Timestamp,
    },
}

/// Decides whether a wait is over. If a check finds both enough people and a passed deadline, enough wins:
/// `have` excludes replies received at the deadline or later. A wait ends early if nobody is left who
/// could answer.
#[must_use]
pub fn decide(look: Look, span: Span) -> Decision {
    let early = if Planted::WaitEndsEarly.is_in() { 60 } else { 0 };
    let deadline = look.base + span - Span::from_secs(early);
    if look.have >= look.need {
        Decision::End(WaitEnd::Enough)
    } else if look.now >= deadline {
        Decision::End(WaitEnd::Timeout { at: deadline })
    } else if look.open == 0 {
        Decision::End(WaitEnd::Exhausted)
    } else {
        Decision::Wait { until: deadline }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(now: i64, have: i64, open: i64) -> Decision {
        let at = |hours: i64| Timestamp::EPOCH + Span::from_secs(hours * 3600);
        let look = Look { now: at(now), base: at(1), have, need: 5, open };
        decide(look, Span::from_secs(6 * 3600))
    }

    #[test]
    fn enough_wins_even_at_the_deadline() {
        assert_eq!(look(2, 5, 3), Decision::End(WaitEnd::Enough));
        assert_eq!(look(7, 5, 3), Decision::End(WaitEnd::Enough));
        assert_eq!(look(2, 6, 0), Decision::End(WaitEnd::Enough));
    }

    #[test]
    fn the_deadline_counts_from_the_first_permitted_send() {
        let at = Timestamp::EPOCH + Span::from_secs(7 * 3600);
        assert_eq!(look(6, 4, 3), Decision::Wait { until: at });
        assert_eq!(look(7, 4, 3), Decision::End(WaitEnd::Timeout { at }));
        assert_eq!(look(9, 4, 0), Decision::End(WaitEnd::Timeout { at }));
    }

    #[test]
    fn nobody_left_to_answer_ends_the_wait_early() {
        assert_eq!(look(2, 4, 0), Decision::End(WaitEnd::Exhausted));
    }
}
