//! Converts local times of a time zone to instants, including times that the clock skips or repeats.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

use super::time::{Span, Timestamp};

/// The instants at which the clock of a time zone shows a local time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Showing {
    /// The first instant at which the clock shows the local time. If the clock skips the local time, the
    /// instant at which it does so.
    pub first: Timestamp,
    /// The second instant at which the clock shows the local time; `None` if the clock shows it only once
    /// or skips it.
    pub again: Option<Timestamp>,
}

/// Returns the instants at which the clock of `zone` shows `local`.
/// Times outside the range of the calendar are clamped to its ends.
#[must_use]
pub fn showing(local: DateTime, zone: &TimeZone) -> Showing {
    match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => {
            Showing { first: with_offset(local, offset), again: None }
        }
        AmbiguousOffset::Fold { before, after } => {
            let again = with_offset(local, after);
            Showing { first: with_offset(local, before), again: Some(again) }
        }
        AmbiguousOffset::Gap { before, .. } => {
            // The clock skips `local` because the zone's offset changes. Converted with the offset from
            // before the change, `local` is an instant (`inside`) at the change or after it.
            // So the change is the last transition up to `inside`.
            let inside = with_offset(local, before);
            let just_after = (inside + Span::from_micros(1)).to_jiff();
            let transition = zone.preceding(just_after).next();
            let first = transition.map_or(inside, |at| Timestamp::from_jiff(at.timestamp()));
            Showing { first, again: None }
        }
    }
}

fn with_offset(local: DateTime, offset: Offset) -> Timestamp {
    let clamped = if local.year() < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    Timestamp::from_jiff(offset.to_timestamp(local).unwrap_or(clamped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(zone: &str, local: &str, first: &str, again: Option<&str>) {
        let zone = TimeZone::get(zone).expect("a zone");
        let shown = showing(local.parse().expect("a local time"), &zone);
        assert_eq!(shown.first.in_zone(&zone), first, "{local}");
        assert_eq!(shown.again.map(|at| at.in_zone(&zone)).as_deref(), again, "{local}");
    }

    #[test]
    fn a_skipped_time_is_the_end_of_the_gap_and_a_repeated_one_comes_twice() {
        let chicago = "America/Chicago";
        check(chicago, "2026-03-07T02:30", "2026-03-07T02:30:00-06:00", None);
        for skipped in ["2026-03-08T02:00", "2026-03-08T02:30", "2026-03-08T02:59:59.999999"] {
            check(chicago, skipped, "2026-03-08T03:00:00-05:00", None);
        }
        check(chicago, "2026-03-08T03:00", "2026-03-08T03:00:00-05:00", None);
        let again = Some("2026-11-01T01:30:00-06:00");
        check(chicago, "2026-11-01T01:30", "2026-11-01T01:30:00-05:00", again);
        check(chicago, "2026-11-01T02:00", "2026-11-01T02:00:00-06:00", None);
    }

    #[test]
    fn a_whole_day_may_be_missing_and_half_an_hour_repeated() {
        check("Pacific/Apia", "2011-12-30T12:00", "2011-12-31T00:00:00+14:00", None);
        let again = Some("2026-04-05T01:45:00+10:30");
        check("Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-05T01:45:00+11:00", again);
    }
}
