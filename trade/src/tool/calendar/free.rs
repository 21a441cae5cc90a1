//! Computes the free times of given length in the working hours of a period.

use abide_engine::base::Timestamp;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;

/// Free times begin at a multiple of this time of the UTC clock, which is also one of every local clock.
const STEP_MICROS: i64 = 5 * 60 * 1_000_000;

/// The time from one instant to another, which does not belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Interval {
    /// The first instant.
    pub(super) since: Timestamp,
    /// The first instant after it.
    pub(super) until: Timestamp,
}

/// The hours and days in which people work.
#[derive(Debug, Clone)]
pub(super) struct WorkingHours {
    /// When the working day begins.
    pub(super) day_starts: Time,
    /// When it ends.
    pub(super) day_ends: Time,
    /// The days of work.
    pub(super) weekdays: Vec<Weekday>,
    /// The time zone of the business.
    pub(super) zone: TimeZone,
}

impl WorkingHours {
    /// Returns the working hours in a period, earliest first.
    fn within(&self, period: Interval) -> impl Iterator<Item = Interval> {
        let first = period.since.to_jiff().to_zoned(self.zone.clone()).date();
        let days = first.series(jiff::Span::new().days(1));
        let hours = days.map_while(move |day| {
            let hours = self.of(day)?;
            (hours.since < period.until).then_some((day, hours))
        });
        hours.filter(|(day, _)| self.weekdays.contains(&day.weekday())).filter_map(
            move |(_, hours)| {
                let since = hours.since.max(period.since);
                let until = hours.until.min(period.until);
                (since < until).then_some(Interval { since, until })
            },
        )
    }

    /// Returns the working hours of a day.
    fn of(&self, day: Date) -> Option<Interval> {
        let at = |time: Time| {
            let at = day.to_datetime(time).to_zoned(self.zone.clone()).ok()?;
            Some(Timestamp::from_jiff(at.timestamp()))
        };
        Some(Interval { since: at(self.day_starts)?, until: at(self.day_ends)? })
    }
}

/// The times to find.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// Where to look.
    pub(super) period: Interval,
    /// How long each time is, in microseconds; more than zero.
    pub(super) length_micros: i64,
    /// Maximum number of times.
    pub(super) limit: usize,
}

/// Returns the free times, earliest first. No two of them overlap.
pub(super) fn slots(wanted: &Wanted, hours: &WorkingHours, busy: Vec<Interval>) -> Vec<Interval> {
    let busy = merged(busy);
    let mut slots = Vec::new();
    for open in hours.within(wanted.period) {
        let mut since = open.since;
        let first = busy.partition_point(|taken| taken.until <= open.since);
        let taken = busy[first..].iter().take_while(|taken| taken.since < open.until);
        for next in taken.map(|taken| (taken.since, taken.until)).chain([(open.until, open.until)])
        {
            let gap = Interval { since, until: next.0.min(open.until) };
            fill(&mut slots, gap, wanted);
            since = next.1;
        }
        if slots.len() == wanted.limit {
            break;
        }
    }
    slots
}

/// Adds the free times that fit into a gap, one after the other.
fn fill(slots: &mut Vec<Interval>, gap: Interval, wanted: &Wanted) {
    let mut since = rounded_up(gap.since);
    while slots.len() < wanted.limit {
        let until = Timestamp::from_micros(since.micros() + wanted.length_micros);
        if until > gap.until {
            return;
        }
        slots.push(Interval { since, until });
        since = rounded_up(until);
    }
}

fn rounded_up(at: Timestamp) -> Timestamp {
    let rest = at.micros().rem_euclid(STEP_MICROS);
    Timestamp::from_micros(at.micros() + if rest == 0 { 0 } else { STEP_MICROS - rest })
}

/// Joins the times that touch or overlap. Returns them sorted.
fn merged(mut busy: Vec<Interval>) -> Vec<Interval> {
    busy.retain(|taken| taken.since < taken.until);
    busy.sort_unstable();
    let mut merged: Vec<Interval> = Vec::with_capacity(busy.len());
    for taken in busy {
        match merged.last_mut().filter(|last| last.until >= taken.since) {
            Some(last) => last.until = last.until.max(taken.until),
            None => merged.push(taken),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use jiff::civil::time;

    use super::*;

    fn at(text: &str) -> Timestamp {
        format!("2025-{text}").parse().expect("an instant")
    }

    fn interval(since: &str, until: &str) -> Interval {
        Interval { since: at(since), until: at(until) }
    }

    fn hours(zone: &str) -> WorkingHours {
        WorkingHours {
            day_starts: time(8, 0, 0, 0),
            day_ends: time(17, 0, 0, 0),
            weekdays: vec![Weekday::Monday, Weekday::Tuesday],
            zone: TimeZone::get(zone).expect("a zone"),
        }
    }

    fn found(minutes: i64, period: Interval, busy: &[(&str, &str)]) -> Vec<String> {
        let busy = busy.iter().map(|(since, until)| interval(since, until)).collect();
        let wanted = Wanted { period, length_micros: minutes * 60_000_000, limit: 4 };
        let slots = slots(&wanted, &hours("America/Chicago"), busy);
        slots.iter().map(|slot| slot.since.to_string()[5..16].to_owned()).collect()
    }

    #[test]
    fn slots_lie_between_events_and_in_working_hours() {
        // 2025-10-06 is a Monday; 08:00 in Chicago is 13:00 in UTC, and 17:00 is 22:00.
        let monday = interval("10-06T00:00:00Z", "10-07T00:00:00Z");
        assert_eq!(found(240, monday, &[]), ["10-06T13:00", "10-06T17:00"]);
        let busy = [("10-06T14:00:00Z", "10-06T15:10:00Z"), ("10-06T15:00:00Z", "10-06T15:31:00Z")];
        let expected = ["10-06T13:00", "10-06T15:35", "10-06T16:35", "10-06T17:35"];
        assert_eq!(found(60, monday, &busy), expected);
        let all_day = [("10-05T00:00:00Z", "10-06T21:00:00Z")];
        assert_eq!(found(60, monday, &all_day), ["10-06T21:00"]);
        let longer =
            [("10-01T00:00:00Z", "10-09T00:00:00Z"), ("10-06T14:00:00Z", "10-06T15:00:00Z")];
        assert_eq!(found(60, monday, &longer), Vec::<String>::new());
        assert_eq!(found(541, monday, &[]), Vec::<String>::new(), "longer than the day");
    }

    #[test]
    fn slots_lie_within_the_period_and_on_days_of_work() {
        let late = interval("10-06T13:02:03.5Z", "10-06T14:05:00Z");
        assert_eq!(found(60, late, &[]), ["10-06T13:05"]);
        let weekend = interval("10-04T00:00:00Z", "10-05T23:00:00Z");
        assert_eq!(found(60, weekend, &[]), Vec::<String>::new());
        let two_days = interval("10-06T21:00:00Z", "10-08T00:00:00Z");
        assert_eq!(found(60, two_days, &[])[..2], ["10-06T21:00", "10-07T13:00"]);
    }

    #[test]
    fn working_hours_follow_the_local_clock() {
        let sydney = hours("Australia/Sydney");
        let before = sydney.of(jiff::civil::date(2025, 10, 3)).expect("hours");
        let after = sydney.of(jiff::civil::date(2025, 10, 6)).expect("hours");
        assert_eq!(before.since, at("10-02T22:00:00Z"));
        assert_eq!(after.since, at("10-05T21:00:00Z"));
    }
}
