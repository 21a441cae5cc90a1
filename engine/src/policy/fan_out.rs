//! Many messages leave evenly, never more than so many a minute.

use crate::base::{Span, Timestamp};

const MINUTE: u64 = 60_000_000;

/// When the message at `position` (from 0) of a batch may leave, if the first may at `start`.
///
/// Spread evenly, so that every stretch of a minute holds at most `per_minute` of them. A rate of
/// none at all is read as one a minute: nothing that was accepted is held for ever.
#[must_use]
pub fn fan_out(start: Timestamp, position: u64, per_minute: Option<u64>) -> Timestamp {
    let Some(rate) = per_minute.map(|rate| rate.max(1)) else { return start };
    let delay = u128::from(position) * u128::from(MINUTE) / u128::from(rate);
    start + Span::from_micros(i64::try_from(delay).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn after(position: u64, per_minute: Option<u64>) -> i64 {
        fan_out(Timestamp::EPOCH, position, per_minute).micros()
    }

    #[test]
    fn messages_are_spread_evenly() {
        assert_eq!([0, 1, 2, 30, 90].map(|n| after(n, Some(30)) / 1_000_000), [0, 2, 4, 60, 180]);
        assert_eq!(after(10_000, None), 0);
        assert_eq!(after(2, Some(0)), 120_000_000);
        assert_eq!(after(u64::MAX, Some(1)), i64::MAX);
    }

    proptest! {
        #[test]
        fn no_minute_holds_more_than_the_rate(rate in 1_u64..5_000, first in 0_u64..100_000) {
            let minute = i64::try_from(MINUTE).expect("fits");
            prop_assert!(after(first + rate, Some(rate)) - after(first, Some(rate)) >= minute);
        }
    }
}
