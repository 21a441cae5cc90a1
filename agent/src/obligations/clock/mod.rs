//! What the clock shows, here and in the cities of the world.

mod cities;
mod everyday;
mod zone;

use jiff::Zoned;
use serde::{Deserialize, Serialize};

pub use zone::{zone_by_name, zone_of_city};

use super::wire::Payload;
use crate::words;

words! {
    /// What is read off the clock.
    pub enum ClockFace {
        /// The time of day.
        Time = "time",
        /// The date.
        Date = "date",
        /// The day of the week.
        Weekday = "weekday",
        /// The month.
        Month = "month",
        /// The year.
        Year = "year",
    }
}

/// The payload of a `REPORT` of the time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeQuestion {
    /// Where; `None` for the place of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// The time zone, if it was named: `UTC`, `Asia/Tokyo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tz: Option<String>,
    /// What is asked for; `None` for the time of day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show: Option<ClockFace>,
}

impl Payload for TimeQuestion {
    const KIND: &'static str = "time";
}

/// Returns what the clock shows where the question asks for. Returns `None` for a place that is not known.
#[must_use]
pub fn read_clock(question: &TimeQuestion, now: &Zoned) -> Option<String> {
    let zone = match (&question.tz, &question.city) {
        (Some(name), _) => zone_by_name(name)?,
        (None, Some(city)) => zone_of_city(city)?,
        (None, None) => now.time_zone().clone(),
    };
    let format = match question.show.unwrap_or(ClockFace::Time) {
        ClockFace::Time => "%H:%M",
        ClockFace::Date => "%Y-%m-%d",
        ClockFace::Weekday => "%A",
        ClockFace::Month => "%B",
        ClockFace::Year => "%Y",
    };
    Some(now.with_time_zone(zone).strftime(format).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(now: &str, question: &TimeQuestion) -> String {
        let now: Zoned = now.parse().expect("a time");
        read_clock(question, &now).unwrap_or_else(|| "unknown".to_owned())
    }

    #[test]
    fn the_clock_is_read_in_cities_and_zones() {
        let now = "2025-10-28T10:00:00-05:00[America/Chicago]";
        let cases = [
            ("London", "15:00"),
            ("kathmandu", "20:45"),
            ("New York", "11:00"),
            ("new york city", "11:00"),
            ("São Paulo", "12:00"),
            ("St. Louis", "10:00"),
            ("Ho Chi Minh City", "22:00"),
            ("Lisbon, Portugal", "15:00"),
            ("Japan", "00:00"),
            ("my aunt's place", "unknown"),
            ("", "unknown"),
        ];
        for (city, expected) in cases {
            let question = TimeQuestion { city: Some(city.to_owned()), ..TimeQuestion::default() };
            assert_eq!(shown(now, &question), expected, "{city}");
        }
        let zones =
            [("UTC", "15:00"), ("Asia/Tokyo", "00:00"), ("pacific", "08:00"), ("XYZ", "unknown")];
        for (tz, expected) in zones {
            let question = TimeQuestion { tz: Some(tz.to_owned()), ..TimeQuestion::default() };
            assert_eq!(shown(now, &question), expected, "{tz}");
        }
    }

    #[test]
    fn without_a_place_the_clock_of_the_user_is_read() {
        let now = "2026-03-08T03:15:00-05:00[America/Chicago]";
        assert_eq!(shown(now, &TimeQuestion::default()), "03:15");
        let shows = |show| TimeQuestion { show: Some(show), ..TimeQuestion::default() };
        assert_eq!(shown(now, &shows(ClockFace::Date)), "2026-03-08");
        assert_eq!(shown(now, &shows(ClockFace::Weekday)), "Sunday");
        assert_eq!(shown(now, &shows(ClockFace::Month)), "March");
        assert_eq!(shown(now, &shows(ClockFace::Year)), "2026");
    }
}
