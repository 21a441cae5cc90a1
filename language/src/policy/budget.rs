//! The monthly message budget. A step may queue its messages only if all of them fit into what is left
//! of the month's budget. No message beyond the limit is sent.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::{OPT_OUT_CONFIRMED, PolicyVerdict};
use crate::base::wall::showing;
use crate::base::{Problem, Timestamp};

/// The code of the problem of a step whose messages do not fit into the budget.
pub const BUDGET_EXHAUSTED: &str = "budget_exhausted";
/// Name of the template that tells staff that the budget is used up.
pub const BUDGET_NOTICE: &str = "budget_reached";

/// Whether messages of this kind count against the budget. The limit must not silence the confirmation of an
/// opt-out, which the law asks for, nor the message that tells of the limit.
#[must_use]
pub fn counts(kind: &str) -> bool {
    kind != OPT_OUT_CONFIRMED && kind != BUDGET_NOTICE
}

/// A calendar month in the tenant's time zone, over which messages are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Month {
    /// First instant of the month (inclusive). The number of messages of the month is stored under this
    /// instant.
    pub from: Timestamp,
    /// First instant of the next month, which ends the month (exclusive).
    pub until: Timestamp,
}

impl Month {
    /// Returns the month that contains the instant `at`, in the local time of the time zone `zone`.
    #[must_use]
    pub fn of(at: Timestamp, zone: &TimeZone) -> Self {
        let first = zone.to_datetime(at.to_jiff()).date().first_of_month();
        let next = first.saturating_add(jiff::Span::new().months(1));
        let begins = |local: DateTime| showing(local, zone).first;
        Self { from: begins(first.into()), until: begins(next.into()) }
    }
}

/// Decides whether a step may queue its messages. The parameter `wanted` is the number of these
/// messages, and `used` is the number of messages that count for this month already.
///
/// If not all of the messages fit into `per_month`, none is queued:
/// the verdict denies them with `budget_exhausted`. `per_month` is `None` if there is no limit.
#[must_use]
pub fn plan(wanted: u64, used: u64, per_month: Option<u64>) -> PolicyVerdict {
    let Some(limit) = per_month else { return PolicyVerdict::allow() };
    let left = limit.saturating_sub(used);
    if wanted <= left {
        return PolicyVerdict::allow();
    }
    let message =
        format!("{wanted} messages are planned, but only {left} of {limit} are left this month");
    PolicyVerdict::deny(exhausted(message))
}

/// Decides whether one more message may be sent now.
///
/// If the budget is used up, the message is delayed until the next month. It is not dropped.
#[must_use]
pub fn release(used: u64, per_month: Option<u64>, month: Month) -> PolicyVerdict {
    match per_month {
        Some(limit) if used >= limit => {
            let message = format!("all {limit} messages for this month are used");
            PolicyVerdict::hold(month.until, exhausted(message))
        }
        _ => PolicyVerdict::allow(),
    }
}

fn exhausted(message: String) -> Problem {
    Problem::caller(BUDGET_EXHAUSTED, message)
        .with_hint("raise `messages_per_month`, ask fewer people, or wait for the next month")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PolicyDecision;

    fn month_of(at: &str) -> [String; 2] {
        let zone = TimeZone::get("America/Chicago").expect("a zone");
        let month = Month::of(at.parse().expect("an instant"), &zone);
        [month.from, month.until].map(|at| at.in_zone(&zone))
    }

    #[test]
    fn a_plan_fits_whole_or_is_refused() {
        assert_eq!(plan(8, 992, Some(1000)), PolicyVerdict::allow());
        assert_eq!(plan(1_000_000, 0, None), PolicyVerdict::allow());
        assert_eq!(plan(0, 2000, Some(1000)), PolicyVerdict::allow());
        let refused = plan(12, 992, Some(1000));
        assert_eq!(refused.decision, PolicyDecision::Deny);
        let reason = refused.reason.expect("a reason");
        assert_eq!(reason.code, "budget_exhausted");
        assert_eq!(
            reason.message,
            "12 messages are planned, but only 8 of 1000 are left this month"
        );
    }

    #[test]
    fn the_last_message_leaves_and_the_next_is_held_to_the_next_month() {
        let zone = TimeZone::UTC;
        let month = Month::of("2025-12-31T23:59:59Z".parse().expect("an instant"), &zone);
        assert_eq!(release(999, Some(1000), month), PolicyVerdict::allow());
        assert_eq!(release(5000, None, month), PolicyVerdict::allow());
        let held = release(1000, Some(1000), month);
        assert_eq!((held.decision, held.hold_until), (PolicyDecision::Allow, Some(month.until)));
        assert_eq!(month.until.to_string(), "2026-01-01T00:00:00+00:00");
    }

    #[test]
    fn a_month_is_local() {
        let november = ["2025-11-01T00:00:00-05:00", "2025-12-01T00:00:00-06:00"];
        assert_eq!(month_of("2025-11-01T05:00:00Z"), november);
        assert_eq!(month_of("2025-12-01T05:59:59Z"), november);
        assert_eq!(month_of("2025-11-01T04:59:59Z")[1], november[0]);
    }
}
