//! When a release was decided, and how long what follows from it may take.

use super::super::core::Core;
use crate::base::Span;

/// After its release a message must begin to leave within this time, or it is not sent this time: so long
/// the answer to a STOP may have to wait.
pub(crate) const START_WITHIN: Span = Span::from_secs(1);
/// The gateway's time-out; nobody asks what became of the message before it has passed.
pub(super) const ANSWER_WITHIN: Span = Span::from_secs(10);
/// When a release was decided, by the clock that goes on while the process is stopped and whatever
/// becomes of the wall clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begun(Span);

impl Begun {
    /// Now.
    pub(super) fn now(core: &Core) -> Self {
        Self(core.clock.elapsed())
    }

    /// How much of `span` is left of it; none where it is over.
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
        let begun = Begun(Span::from_secs(7));
        let left = |millis: i64| begun.left_at(Span::from_micros(millis * 1_000), START_WITHIN);
        assert_eq!(left(7_000), Some(START_WITHIN));
        assert_eq!(left(8_000), Some(Span::ZERO));
        assert_eq!(left(8_001), None);
    }
}
