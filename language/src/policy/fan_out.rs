//! Many messages leave evenly, never more than so many a minute.

use std::collections::BTreeSet;

use crate::base::{Span, Timestamp};

const MINUTE: u64 = 60_000_000;

/// When messages of one tenant leave, whoever planned them: no two nearer than the rate allows.
///
/// Every stretch of a minute so holds at most `per_minute` of them. A rate of none at all is read as
/// one a minute: nothing that was accepted is held for ever.
#[derive(Debug, Clone)]
pub struct Pace {
    gap: Option<Span>,
    taken: BTreeSet<Timestamp>,
}

impl Pace {
    /// At this rate, among messages that are planned already.
    #[must_use]
    pub fn new(per_minute: Option<u64>, taken: impl IntoIterator<Item = Timestamp>) -> Self {
        Self { gap: per_minute.map(gap), taken: taken.into_iter().collect() }
    }

    /// The first instant from `at` at which one more message may leave.
    #[must_use]
    pub fn free(&self, at: Timestamp) -> Timestamp {
        let Some(gap) = self.gap else { return at };
        let mut at = at;
        for other in self.taken.range(at - gap..) {
            if *other >= at + gap {
                break;
            }
            at = at.max(*other + gap);
        }
        at
    }

    /// One message more leaves then.
    pub fn take(&mut self, at: Timestamp) {
        self.taken.insert(at);
    }

    /// How long a message that has left keeps others back.
    #[must_use]
    pub fn reach(per_minute: u64) -> Span {
        gap(per_minute)
    }
}

/// The distance of two messages, rounded up: a minute must never hold one more.
fn gap(per_minute: u64) -> Span {
    Span::from_micros(i64::try_from(MINUTE.div_ceil(per_minute.max(1))).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    /// When messages leave that are wanted at these seconds, one planned after the other.
    fn planned(per_minute: Option<u64>, wanted: &[i64]) -> Vec<i64> {
        let mut pace = Pace::new(per_minute, []);
        let plan = |second: &i64| {
            let free = pace.free(at(*second));
            pace.take(free);
            free.micros() / 1_000_000
        };
        wanted.iter().map(plan).collect()
    }

    #[test]
    fn messages_are_spread_evenly_also_when_different_calls_plan_them() {
        assert_eq!(planned(Some(30), &[100; 4]), [100, 102, 104, 106]);
        assert_eq!(planned(None, &[100; 3]), [100, 100, 100]);
        assert_eq!(planned(Some(0), &[0, 0, 0]), [0, 60, 120]);
        assert_eq!(planned(Some(6), &[0, 0, 15, 15]), [0, 10, 20, 30]);
        // What is planned for tomorrow keeps nothing of today back.
        assert_eq!(planned(Some(1), &[86_400, 0, 86_430, 10]), [86_400, 0, 86_460, 60]);
        // A gap that is too small for one more is passed over.
        assert_eq!(planned(Some(1), &[0, 90, 10, 10]), [0, 90, 150, 210]);
    }

    proptest! {
        #[test]
        fn no_minute_holds_more_than_the_rate(
            rate in 1_u64..80,
            wanted in prop::collection::vec(0_i64..200_000_000, 0..120),
        ) {
            let mut pace = Pace::new(Some(rate), []);
            let mut left = Vec::new();
            for micros in wanted {
                let wish = Timestamp::from_micros(micros);
                let free = pace.free(wish);
                prop_assert!(free >= wish);
                pace.take(free);
                left.push(free);
            }
            left.sort_unstable();
            let rate = usize::try_from(rate).expect("fits");
            for many in left.windows(rate + 1) {
                prop_assert!(many[rate] - many[0] >= Span::from_secs(60));
            }
        }
    }
}
