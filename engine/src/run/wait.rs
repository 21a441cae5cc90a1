//! A wait is level-triggered: each look compares what is with what must be.

use serde::{Deserialize, Serialize};

use crate::base::{RequestId, Span, Timestamp};
use crate::planted::Planted;

/// What a wait waits for; kept in the run's head while it waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitSpec {
    /// The request whose replies are awaited.
    pub request: RequestId,
    /// The role, for people who read the run.
    pub role: String,
    /// The tally cell whose `yes` counts.
    pub yes_cell: String,
    /// The tally cells whose `open` tells whether hope is left.
    pub open_cells: Vec<String>,
    /// How many are needed.
    pub need: i64,
    /// How long from the first permitted send of every message of the run.
    pub span: Span,
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitEnd {
    /// Enough people hold a place.
    Enough,
    /// Nobody who could still answer is left.
    Exhausted,
    /// Time ran out before this instant's replies.
    Timeout {
        /// The deadline.
        at: Timestamp,
    },
}

/// What one look at a wait found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The step's time.
    pub now: Timestamp,
    /// The later of the wait's beginning and the first permitted send of every message.
    pub base: Timestamp,
    /// How many count now; past the deadline only those received before it.
    pub have: i64,
    /// How many are needed.
    pub need: i64,
    /// How many could still answer.
    pub open: i64,
}

/// What follows a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The wait is over.
    End(WaitEnd),
    /// Look again at the deadline, or when woken.
    Wait {
        /// The deadline.
        until: Timestamp,
    },
}

/// Decides. The condition wins over the deadline at one look (`have` leaves out what came at the
/// deadline or later); nobody left to answer ends the wait before its time.
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
