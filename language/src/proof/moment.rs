//! The time window in which a run can reach a step.

use super::given::ProofStart;
use crate::base::{Span, Timestamp};

/// Upper bound on the time for which quiet hours delay a message: one day.
const NIGHT_MAX: Span = Span::from_secs(24 * 3600);

/// The earliest and the latest instant at which a run can be at a step.
/// Both instants allow for the time of waits, but not for the seconds that calls take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) from: Timestamp,
    pub(super) until: Timestamp,
    /// Latest instant to which quiet hours can delay a message that an earlier step decided to send.
    held: Timestamp,
    /// Latest end of the run.
    end: Timestamp,
}

impl Moment {
    pub(super) fn start(at: Timestamp, limit: Span) -> Self {
        Self { from: at, until: at, held: at, end: at + limit }
    }

    /// Returns the window after a wait for a fixed time, which nothing shortens or delays.
    pub(super) fn pause(self, span: Span) -> Self {
        Self { from: (self.from + span).min(self.end), ..self.wait(Some(span), false) }
    }

    /// Returns the window after a wait, which can end immediately.
    /// If `held` is true, the wait begins only when quiet hours permit the last message.
    pub(super) fn wait(self, span: Option<Span>, held: bool) -> Self {
        let base = if held { self.until.max(self.held) } else { self.until };
        let until = span.map_or(self.end, |span| base + span);
        Self { until: until.min(self.end), ..self }
    }

    /// Returns the window after sending a message, which quiet hours can delay.
    pub(super) fn send(self, start: &ProofStart) -> Self {
        let held = start.quiet_hours.permitted(self.until, &start.zone);
        Self { held: held.max(self.held), ..self }
    }

    /// Returns the window after all rounds of a loop. `before` is the window before the first round,
    /// `self` is the window after the first round, and `rounds` is the number of rounds, if known.
    pub(super) fn again(self, before: Self, rounds: Option<u64>) -> Self {
        let nights = if self.held > before.held { NIGHT_MAX } else { Span::ZERO };
        let round = (self.until + nights) - before.until;
        let more = rounds.and_then(|rounds| i64::try_from(rounds.saturating_sub(1)).ok());
        let more = more.and_then(|more| round.micros().checked_mul(more)).map(Span::from_micros);
        let until = match (round, more) {
            (Span::ZERO, _) => self.until,
            (_, Some(more)) => self.until + Span::min(more, self.end - self.until),
            (_, None) => self.end,
        };
        Self { until: until.min(self.end), held: self.held.max(until.min(self.end)), ..self }
    }

    /// Extends the window so that it includes the instant `until`.
    pub(super) fn or_until(self, until: Timestamp) -> Self {
        Self { until: self.until.max(until), ..self }
    }

    /// Returns the window after one of two alternative paths.
    pub(super) fn either(self, other: Self) -> Self {
        Self {
            from: self.from.min(other.from),
            until: self.until.max(other.until),
            held: self.held.max(other.held),
            end: self.end,
        }
    }
}
