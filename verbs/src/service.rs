//! A weekly service of a church: when it begins, how long it lasts, and what people call it.

use abide_engine::base::{Span, Timestamp};
use jiff::tz::TimeZone;

use crate::transition::words;

/// How long a service lasts if nobody has said so.
pub const DURATION_DEFAULT: Span = Span::from_secs(75 * 60);
/// Minutes in an hour.
const HOUR: i64 = 60;

words! {
    /// A day of the week.
    pub enum Weekday {
        /// The first day, 1 in the database.
        Monday = "monday",
        /// 2 in the database.
        Tuesday = "tuesday",
        /// 3 in the database.
        Wednesday = "wednesday",
        /// 4 in the database.
        Thursday = "thursday",
        /// 5 in the database.
        Friday = "friday",
        /// 6 in the database.
        Saturday = "saturday",
        /// 7 in the database.
        Sunday = "sunday",
    }
}

/// Minimum number of letters of an abbreviated day: `tue`.
const DAY_LETTERS_MIN: usize = 3;

impl Weekday {
    /// Reads a day as people write it: in any case, and abbreviated to three letters or more.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase();
        let is_short = text.len() < DAY_LETTERS_MIN;
        Self::ALL.iter().copied().find(|day| !is_short && day.as_str().starts_with(&text))
    }

    /// Returns the number of the day in the database: 1 is Monday, 7 is Sunday.
    #[must_use]
    pub fn number(self) -> i64 {
        let before = Self::ALL.iter().take_while(|day| **day != self).count();
        i64::try_from(before).unwrap_or(0) + 1
    }

    /// Returns the day with this number in the database; `None` if no day has it.
    #[must_use]
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|day| day.number() == number)
    }
}

/// A local time of day, without seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeOfDay {
    /// Minutes since midnight.
    pub minute: i64,
}

impl TimeOfDay {
    /// Reads a time in the form `HH:MM`; `None` if the text is no such time.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (hour, minute) = text.trim().split_once(':')?;
        let number = |text: &str, most: i64| {
            let fits = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
            text.parse().ok().filter(|n| fits && *n <= most)
        };
        let (hour, minute_of_hour): (i64, i64) = (number(hour, 23)?, number(minute, 59)?);
        (minute.len() == 2).then_some(Self { minute: hour * HOUR + minute_of_hour })
    }
}

impl std::fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02}:{:02}", self.minute / HOUR, self.minute % HOUR)
    }
}

/// What tells a service from the other services of its tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceKey {
    /// Name of the service.
    pub name: String,
    /// The day on which the service is held.
    pub weekday: Weekday,
    /// The local time at which the service begins.
    pub time: TimeOfDay,
}

/// A service that is held every week.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// Name, day and time of the service.
    pub key: ServiceKey,
    /// What people call the service besides its name, in lower case.
    pub aliases: Vec<String>,
    /// How long the service lasts.
    pub duration: Span,
    /// IANA time zone in which the service begins; `None` for the church's.
    pub time_zone: Option<String>,
    /// The campus of the service; `None` in a church with one campus.
    pub campus: Option<String>,
}

impl Service {
    /// Whether one of the weekly services begins at this instant. `zone` is the church's time zone.
    #[must_use]
    pub fn begins_at(&self, at: Timestamp, zone: &str) -> bool {
        let zone = self.time_zone.as_deref().unwrap_or(zone);
        let Ok(zone) = TimeZone::get(zone) else { return false };
        let Ok(instant) = jiff::Timestamp::from_microsecond(at.micros()) else { return false };
        let local = instant.to_zoned(zone);
        let minute = i64::from(local.hour()) * HOUR + i64::from(local.minute());
        let weekday = i64::from(local.weekday().to_monday_one_offset());
        weekday == self.key.weekday.number() && minute == self.key.time.minute
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_as_people_write_them() {
        for (text, day) in [
            ("sunday", Some(Weekday::Sunday)),
            (" Sun", Some(Weekday::Sunday)),
            ("THURS", Some(Weekday::Thursday)),
            ("tu", None),
            ("someday", None),
            ("", None),
        ] {
            assert_eq!(Weekday::read(text), day, "{text}");
        }
        for day in Weekday::ALL {
            assert_eq!(Weekday::from_number(day.number()), Some(*day));
        }
        assert_eq!((Weekday::Sunday.number(), Weekday::from_number(8)), (7, None));
    }

    #[test]
    fn times_are_read_and_shown_with_two_digits() {
        for (text, shown) in [
            ("09:00", Some("09:00")),
            ("9:05", Some("09:05")),
            ("18:30", Some("18:30")),
            ("24:00", None),
            ("9:5", None),
            ("9", None),
            ("+9:00", None),
            ("09:00:00", None),
        ] {
            let read = TimeOfDay::read(text).map(|time| time.to_string());
            assert_eq!(read.as_deref(), shown, "{text}");
        }
    }
}
