//! The time at which a slice was released, and the time limits that count from it.

use super::super::core::Core;
use crate::base::Span;

/// The time after a release within which the call for a message must begin; later, the message is queued
/// again. The confirmation of a STOP may have to wait this long.
pub(crate) const START_WITHIN: Span = Span::from_secs(1);
/// The timeout of a call of the gateway. The provider is asked about the message only after this time.
pub(super) const ANSWER_WITHIN: Span = Span::from_secs(10);
/// The time at which a slice was released, on the monotonic clock.
/// That clock keeps running while the process is suspended, and it is independent of the wall clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReleaseTime(Span);

impl ReleaseTime {
    /// Returns the current instant.
    pub(super) fn now(core: &Core) -> Self {
        Self(core.clock.elapsed())
    }

    /// Returns how much of `span` after the release is left, or `None` if it is over.
    pub(super) fn left(self, core: &Core, span: Span) -> Option<Span> {
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
