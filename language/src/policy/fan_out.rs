//! The fan-out rate limit: spreads messages evenly, so that no minute has more than the configured number.

use std::collections::BTreeSet;

use crate::base::{Span, Timestamp};

const MINUTE: u64 = 60_000_000;

/// The send times of one tenant's messages, across all runs of the tenant.
/// The time between two messages is at least one minute divided by the rate `per_minute`.
///
/// Every interval of a minute therefore has at most `per_minute` messages.
/// A rate of 0 counts as 1, so that no queued message is delayed forever.
#[derive(Debug, Clone)]
pub struct FanOutRate {
    gap: Option<Span>,
    taken: BTreeSet<Timestamp>,
}

impl FanOutRate {
    /// Creates a rate limit in which some send times are occupied already: those of the list `taken`.
    ///
    /// If `per_minute` is `None`, there is no limit.
    #[must_use]
    pub fn new(per_minute: Option<u64>, taken: impl IntoIterator<Item = Timestamp>) -> Self {
        Self { gap: per_minute.map(gap), taken: taken.into_iter().collect() }
    }

    /// Returns the earliest instant, not earlier than `at`, at which one more message may be sent.
    #[must_use]
    pub fn next_free(&self, at: Timestamp) -> Timestamp {
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

    /// Marks the instant `at` as the send time of a message.
    pub fn occupy(&mut self, at: Timestamp) {
        self.taken.insert(at);
    }

    /// Returns the minimum time between two messages,
    /// which is how long a sent message can delay the next message.
    #[must_use]
    pub fn min_gap(per_minute: u64) -> Span {
        gap(per_minute)
    }
}

/// Returns the minimum time between two messages, rounded up so that no minute has one message too many.
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

    /// Plans a message for each second that `wanted` lists, in the order of the list.
    /// Returns the seconds at which the messages are sent.
    fn planned(per_minute: Option<u64>, wanted: &[i64]) -> Vec<i64> {
        let mut rate_limit = FanOutRate::new(per_minute, []);
        let plan = |second: &i64| {
            let free = rate_limit.next_free(at(*second));
            rate_limit.occupy(free);
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
        // A message planned for tomorrow does not delay today's messages.
        assert_eq!(planned(Some(1), &[86_400, 0, 86_430, 10]), [86_400, 0, 86_460, 60]);
        // Messages are sent at 0 and at 90, and no instant between them is at least
        // 60 seconds away from both. So the third message is sent after 90.
        assert_eq!(planned(Some(1), &[0, 90, 10, 10]), [0, 90, 150, 210]);
    }

    proptest! {
        #[test]
        fn no_minute_holds_more_than_the_rate(
            rate in 1_u64..80,
            wanted in prop::collection::vec(0_i64..200_000_000, 0..120),
        ) {
            let mut rate_limit = FanOutRate::new(Some(rate), []);
            let mut left = Vec::new();
            for micros in wanted {
                let wish = Timestamp::from_micros(micros);
                let free = rate_limit.next_free(wish);
                prop_assert!(free >= wish);
                rate_limit.occupy(free);
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
