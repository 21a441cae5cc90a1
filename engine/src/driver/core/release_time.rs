//! Measures the time since a commit allowed something to leave this process: a slice of messages, or a call
//! to an outside system. Defines the time limits that count from that commit.

use super::state::Core;
use crate::base::Span;

/// Maximum time from the commit that allows a message or a call to leave to the moment it leaves. If the
/// sending of a message has not begun by then, the message is queued again. Until this time has passed,
/// messages that were released before an opt-out may still leave. So the answer to an opt-out may have to
/// wait this long.
pub const START_WITHIN: Span = Span::from_secs(1);
/// The timeout of sending a message, counted from the release of the message. Also the timeout of looking a
/// message up, counted from the beginning of the look-up. The provider is asked whether it has a message
/// only after sending has timed out.
pub(in crate::driver) const ANSWER_WITHIN: Span = Span::from_secs(10);
/// The time at which a slice of messages was released, on the machine's monotonic clock. That clock
/// keeps running while the process is suspended, and nobody can set it.
#[derive(Debug, Clone, Copy)]
pub(in crate::driver) struct ReleaseTime(Span);

impl ReleaseTime {
    /// Returns the current time of the monotonic clock.
    pub(in crate::driver) fn now(core: &Core) -> Self {
        Self(core.clock.elapsed())
    }

    /// Returns how much is left of the time limit `span`, which begins at the release; `None` if the
    /// limit has passed.
    pub(in crate::driver) fn left(self, core: &Core, span: Span) -> Option<Span> {
        self.left_at(core.clock.elapsed(), span)
    }

    fn left_at(self, elapsed: Span, span: Span) -> Option<Span> {
        let left = span.micros() - (elapsed.micros() - self.0.micros());
        (left >= 0).then(|| Span::from_micros(left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_first_byte_after_its_time() {
        let begun = ReleaseTime(Span::from_secs(7));
        let left = |millis: i64| begun.left_at(Span::from_micros(millis * 1_000), START_WITHIN);
        assert_eq!(left(7_000), Some(START_WITHIN));
        assert_eq!(left(8_000), Some(Span::ZERO));
        assert_eq!(left(8_001), None);
    }
}
