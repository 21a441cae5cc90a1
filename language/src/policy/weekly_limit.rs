//! The weekly limit: the number of unsolicited messages that one person may get in any seven days.
//!
//! Invitations, reminders, questions and broadcasts are unsolicited. Replies to a person's message,
//! and messages about a place that the person has accepted, are neither counted nor delayed.

use crate::base::{Span, Timestamp};

/// The window over which unsolicited messages to one person are counted.
pub const WEEK: Span = Span::from_secs(7 * 86_400);

/// Returns the earliest instant, not earlier than `at`, at which one more unsolicited message may be sent
/// to a person without exceeding `per_week` messages in any seven days.
///
/// The list `others` has the times of the messages that are already sent to or queued for that person,
/// in ascending order.
/// A limit of 0 counts as 1, so that no queued message is delayed forever. `None` means no limit.
#[must_use]
pub fn permitted(at: Timestamp, others: &[Timestamp], per_week: Option<u64>) -> Timestamp {
    let Some(limit) = per_week.map(|limit| usize::try_from(limit.max(1)).unwrap_or(usize::MAX))
    else {
        return at;
    };
    let mut at = at;
    let full = |at: Timestamp| {
        let weeks = others.windows(limit).filter(|texts| is_full(texts, at));
        weeks.map(|texts| texts[0] + WEEK).max()
    };
    while let Some(later) = full(at) {
        at = later;
    }
    at
}

/// Whether the messages with the times `texts`, and one more message with the time `at`, all lie within
/// one window of seven days.
fn is_full(texts: &[Timestamp], at: Timestamp) -> bool {
    let (Some(first), Some(last)) = (texts.first(), texts.last()) else { return false };
    *last.max(&at) - *first.min(&at) < WEEK
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day(day: i64) -> Timestamp {
        Timestamp::EPOCH + Span::from_secs(day * 86_400)
    }

    #[track_caller]
    fn check(at: i64, others: &[i64], per_week: Option<u64>, expected: i64) {
        let others: Vec<_> = others.iter().map(|other| day(*other)).collect();
        let permitted = permitted(day(at), &others, per_week);
        assert_eq!(permitted, day(expected), "{at} among {others:?} at {per_week:?}");
    }

    #[test]
    fn one_more_waits_until_the_oldest_is_a_week_old() {
        check(3, &[0, 1], None, 3);
        check(3, &[0, 1], Some(3), 3);
        check(3, &[0, 1], Some(2), 7);
        check(7, &[0, 1], Some(2), 7);
        check(3, &[0, 1], Some(1), 8);
        check(3, &[], Some(0), 3);
        check(3, &[0], Some(0), 7);
        check(3, &[0], Some(u64::MAX), 3);
    }

    #[test]
    fn what_is_planned_ahead_counts_too() {
        check(0, &[5], Some(1), 12);
        check(0, &[7], Some(1), 0);
        check(0, &[5, 8], Some(2), 0);
        check(0, &[3, 6], Some(2), 10);
        check(0, &[3, 6, 20, 21], Some(2), 10);
        check(12, &[3, 6, 15, 18], Some(2), 22);
    }

    proptest! {
        #[test]
        fn no_week_holds_more_than_the_limit(
            limit in 1_u64..5,
            wanted in prop::collection::vec(0_i64..40, 0..30),
        ) {
            let mut texts: Vec<Timestamp> = Vec::new();
            for wish in wanted {
                let at = permitted(day(wish), &texts, Some(limit));
                prop_assert!(at >= day(wish));
                let place = texts.partition_point(|other| *other <= at);
                texts.insert(place, at);
            }
            let limit = usize::try_from(limit).expect("fits");
            for many in texts.windows(limit + 1) {
                prop_assert!(many[limit] - many[0] >= WEEK);
            }
        }
    }
}
