//! Clock skew: the difference between a machine's clock and the database's clock.
//!
//! Leases use the database's clock. Deadlines, and everything else that people notice,
//! use the machine's clock. Two machines whose clocks differ would disagree on deadlines.

use crate::base::{Problem, Span, limits};

/// How severe a node's clock skew is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skew {
    /// The skew is negligible: at most [`limits::CLOCK_SKEW_NOTED`].
    Negligible,
    /// The operator should correct the clock: the skew is larger, but at most [`limits::CLOCK_SKEW_MAX`].
    Warning,
    /// The node takes no work until the clock is corrected.
    Excessive,
}

impl Skew {
    /// Classifies a clock skew. The skew is positive if the machine's clock is behind the database's clock.
    #[must_use]
    pub fn classify(distance: Span) -> Self {
        match distance.micros().unsigned_abs() {
            micros if micros > limits::CLOCK_SKEW_MAX.micros().unsigned_abs() => Self::Excessive,
            micros if micros > limits::CLOCK_SKEW_NOTED.micros().unsigned_abs() => Self::Warning,
            _ => Self::Negligible,
        }
    }
}

/// Describes a skew in words: `12.3 s behind the database's`.
#[must_use]
pub fn describe(distance: Span) -> String {
    let tenths = distance.micros().unsigned_abs() / 100_000;
    let side = if distance.micros() < 0 { "ahead of" } else { "behind" };
    format!("{}.{} s {side} the database's", tenths / 10, tenths % 10)
}

/// Checks that a node whose clock skew is `distance` may take work.
///
/// # Errors
/// `clock_skewed` if the skew is [`Skew::Excessive`].
pub fn check(distance: Span) -> Result<(), Problem> {
    if Skew::classify(distance) != Skew::Excessive {
        return Ok(());
    }
    let message = format!("this machine's clock is {}; the node takes no work", describe(distance));
    Err(Problem::operator("clock_skewed", message)
        .with_hint("set both clocks by NTP; the node resumes by itself once they agree"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_seconds_are_noted_and_ten_stop_the_work() {
        let of = |millis: i64| Skew::classify(Span::from_micros(millis * 1_000));
        for fine in [0, 2_000, -2_000] {
            assert_eq!(of(fine), Skew::Negligible);
        }
        for noted in [2_001, -10_000] {
            assert_eq!(of(noted), Skew::Warning);
        }
        for far in [10_001, -86_400_000] {
            assert_eq!(of(far), Skew::Excessive);
        }
    }

    #[test]
    fn the_side_is_said() {
        assert_eq!(describe(Span::from_micros(-15_040_000)), "15.0 s ahead of the database's");
        let behind = check(Span::from_secs(11)).expect_err("too far");
        assert!(behind.message.contains("11.0 s behind the database's"), "{behind}");
        assert_eq!(check(Span::from_secs(9)), Ok(()));
    }
}
