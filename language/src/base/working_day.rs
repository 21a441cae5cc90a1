//! Working days: which days are neither on a weekend nor public holidays.
//!
//! The public holidays are data, one file for each region in `holidays/`. They are known for the years in
//! that file. In other years, and in a region without a file, only Saturdays and Sundays are no working days.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;

use super::Timestamp;

/// The states in which a holiday is kept, if all of a region keep it.
const ALL_STATES: &str = "all";

static AUSTRALIA: LazyLock<Holidays> =
    LazyLock::new(|| Holidays::read(include_str!("holidays/au.txt")));
static UNITED_STATES: LazyLock<Holidays> =
    LazyLock::new(|| Holidays::read(include_str!("holidays/us.txt")));

/// A place with working days of its own.
pub struct Workplace<'a> {
    /// The region, such as `AU`.
    pub region: &'a str,
    /// The name of the time zone, which also says in which state of the region the place is.
    pub zone_name: &'a str,
    /// The time zone.
    pub zone: TimeZone,
}

impl Workplace<'_> {
    /// Returns the instant of a time of day on the local day that is `days` after the day of `from`, or on
    /// the first working day after it if it is none; `None` if that is beyond the range of the calendar.
    #[must_use]
    pub fn instant_after(&self, from: Timestamp, days: i64, time: Time) -> Option<Timestamp> {
        let span = jiff::Span::new().try_days(days).ok()?;
        let mut day = from.to_jiff().to_zoned(self.zone.clone()).date().checked_add(span).ok()?;
        while !self.works_on(day) {
            day = day.tomorrow().ok()?;
        }
        let at = day.to_datetime(time).to_zoned(self.zone.clone()).ok()?;
        Some(Timestamp::from_jiff(at.timestamp()))
    }

    fn works_on(&self, day: Date) -> bool {
        let is_weekend = matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
        !is_weekend && !self.holidays().is_some_and(|known| known.has(day, self.zone_name))
    }

    fn holidays(&self) -> Option<&'static Holidays> {
        match self.region {
            "AU" => Some(&AUSTRALIA),
            "US" => Some(&UNITED_STATES),
            _ => None,
        }
    }
}

/// The public holidays of a region.
#[derive(Default)]
struct Holidays {
    /// The days with their states.
    days: BTreeSet<(Date, &'static str)>,
    /// The states by the names of their time zones.
    states: BTreeMap<&'static str, &'static str>,
}

impl Holidays {
    /// Reads a file of `holidays/`. A test checks that each line of each file can be read.
    fn read(text: &'static str) -> Self {
        let mut holidays = Self::default();
        for line in lines(text) {
            let mut words = line.split(' ');
            match [words.next(), words.next(), words.next()] {
                [Some("zone"), Some(zone), Some(state)] => {
                    holidays.states.insert(zone, state);
                }
                [Some(day), Some(states), Some(_)] => {
                    let Ok(day) = day.parse() else { continue };
                    holidays.days.extend(states.split(',').map(|state| (day, state)));
                }
                _ => {}
            }
        }
        holidays
    }

    fn has(&self, day: Date, zone: &str) -> bool {
        let has = |state: &'static str| self.days.contains(&(day, state));
        has(ALL_STATES) || self.states.get(zone).is_some_and(|state| has(state))
    }
}

/// Returns the lines of a file of `holidays/` without its comments.
fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use jiff::civil::time;

    use super::*;

    fn after(region: &str, zone: &str, from: &str, days: i64) -> String {
        let place =
            Workplace { region, zone_name: zone, zone: TimeZone::get(zone).expect("a zone") };
        let from = from.parse().expect("an instant");
        let at = place.instant_after(from, days, time(8, 0, 0, 0)).expect("in range");
        at.in_zone(&place.zone)
    }

    #[test]
    fn a_day_without_work_moves_to_the_next_working_day() {
        let (melbourne, perth, chicago) =
            ("Australia/Melbourne", "Australia/Perth", "America/Chicago");
        let wednesday = "2026-04-01T15:00:00+11:00";
        let cases = [
            // Easter, and the end of summer time on Easter Sunday.
            ("AU", melbourne, wednesday, 0, "2026-04-01T08:00:00+11:00"),
            ("AU", melbourne, wednesday, 1, "2026-04-02T08:00:00+11:00"),
            ("AU", melbourne, wednesday, 2, "2026-04-07T08:00:00+10:00"),
            ("AU", melbourne, wednesday, 3, "2026-04-07T08:00:00+10:00"),
            ("AU", melbourne, wednesday, 7, "2026-04-08T08:00:00+10:00"),
            ("US", melbourne, wednesday, 3, "2026-04-06T08:00:00+10:00"),
            // Late in the evening, the day of the tenant counts, whatever the offset of the instant is.
            ("AU", melbourne, "2026-03-31T12:59:00Z", 3, "2026-04-07T08:00:00+10:00"),
            ("AU", melbourne, "2026-03-30T12:59:00Z", 3, "2026-04-02T08:00:00+11:00"),
            // Holidays of one state.
            ("AU", melbourne, "2026-04-24T12:00:00+10:00", 3, "2026-04-27T08:00:00+10:00"),
            ("AU", perth, "2026-04-24T12:00:00+08:00", 3, "2026-04-28T08:00:00+08:00"),
            ("AU", melbourne, "2026-11-02T09:00:00+11:00", 1, "2026-11-04T08:00:00+11:00"),
            ("AU", perth, "2026-11-02T09:00:00+08:00", 1, "2026-11-03T08:00:00+08:00"),
            // Christmas Day and the holidays that replace those on a weekend.
            ("AU", melbourne, "2026-12-24T17:00:00+11:00", 1, "2026-12-29T08:00:00+11:00"),
            ("AU", melbourne, "2027-12-24T17:00:00+11:00", 1, "2027-12-29T08:00:00+11:00"),
            // The United States, where a holiday on a Saturday is observed on Friday.
            ("US", chicago, "2026-07-02T12:00:00-05:00", 1, "2026-07-06T08:00:00-05:00"),
            ("US", chicago, "2026-11-25T12:00:00-06:00", 1, "2026-11-27T08:00:00-06:00"),
            // Holidays that are not known.
            ("AU", melbourne, "2040-12-24T12:00:00+11:00", 1, "2040-12-25T08:00:00+11:00"),
            ("NZ", "Pacific/Auckland", "2026-12-24T12:00:00+13:00", 1, "2026-12-25T08:00:00+13:00"),
        ];
        for (region, zone, from, days, expected) in cases {
            assert_eq!(after(region, zone, from, days), expected, "{region} {zone} {from} {days}");
        }
    }

    #[test]
    fn each_line_of_the_holidays_is_read() {
        for text in [include_str!("holidays/au.txt"), include_str!("holidays/us.txt")] {
            let holidays = Holidays::read(text);
            let states: BTreeSet<&str> = holidays.states.values().copied().collect();
            for line in lines(text) {
                let words: Vec<&str> = line.splitn(3, ' ').collect();
                let [first, second, third] = words[..] else { panic!("too few words: {line}") };
                if first == "zone" {
                    assert_eq!(holidays.states.get(second), Some(&third), "{line}");
                    assert!(TimeZone::get(second).is_ok(), "{line}");
                    continue;
                }
                let day: Date = first.parse().expect(line);
                for state in second.split(',') {
                    assert!(state == ALL_STATES || states.contains(state), "{line}");
                    assert!(holidays.days.contains(&(day, state)), "{line}");
                }
            }
        }
    }
}
