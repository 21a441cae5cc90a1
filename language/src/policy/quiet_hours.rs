//! Quiet hours: the part of a person's local day in which no messages are sent to that person.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Time;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::PolicyVerdict;
use crate::base::wall::showing;
use crate::base::{Problem, Timestamp};

/// A daily interval of local wall-clock time in which no messages are sent.
///
/// The start is inclusive, the end is exclusive, and the interval may span midnight.
/// The interval is written as `21:00-08:00` or `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct QuietHours(Option<(Time, Time)>);

/// The error for a string that cannot be parsed as quiet hours. It has the string's first 40 characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid quiet hours `{0}`: write `21:00-08:00`, or `none`")]
pub struct BadQuietHours(String);

impl QuietHours {
    /// No quiet hours: messages may be sent at any time.
    pub const NONE: Self = Self(None);

    /// Returns the default, 21:00 to 08:00, the hours in which US law forbids telemarketing calls.
    #[must_use]
    pub fn customary() -> Self {
        Self(Some((Time::constant(21, 0, 0, 0), Time::constant(8, 0, 0, 0))))
    }

    /// Returns the earliest instant, not earlier than `at`, at which a message
    /// may be sent to a person in the time zone `zone`.
    ///
    /// If daylight saving time skips the end of the quiet hours, they end at the clock change.
    /// If the clock shows an hour twice, the quiet minutes of that hour are quiet both times.
    #[must_use]
    pub fn permitted(&self, at: Timestamp, zone: &TimeZone) -> Timestamp {
        let Some((from, to)) = self.0 else { return at };
        let local = zone.to_datetime(at.to_jiff());
        let time = local.time();
        let quiet = if from <= to { from <= time && time < to } else { time >= from || time < to };
        if !quiet {
            return at;
        }
        let day = match time < to {
            true => local.date(),
            false => local.date().saturating_add(jiff::Span::new().days(1)),
        };
        let end = showing(day.to_datetime(to), zone);
        let later = end.again.filter(|_| end.first <= at);
        later.unwrap_or(end.first).max(at)
    }

    /// Allows a message at the instant `at`, or delays the message until
    /// the end of the quiet hours in the time zone `zone`.
    #[must_use]
    pub fn hold(&self, at: Timestamp, zone: &TimeZone) -> PolicyVerdict {
        let permitted = self.permitted(at, zone);
        if permitted == at {
            return PolicyVerdict::allow();
        }
        let message = format!("quiet hours until {}", permitted.in_zone(zone));
        let hint =
            "wait: it is sent automatically then; the setting `quiet_hours` defines these hours";
        PolicyVerdict::hold(permitted, Problem::caller("quiet_hours", message).with_hint(hint))
    }
}

impl FromStr for QuietHours {
    type Err = BadQuietHours;
    fn from_str(text: &str) -> Result<Self, BadQuietHours> {
        if text.trim() == "none" {
            return Ok(Self::NONE);
        }
        let bad = || BadQuietHours(text.chars().take(40).collect());
        let (from, to) = text.split_once('-').ok_or_else(bad)?;
        let time = |part: &str| Time::strptime("%H:%M", part.trim()).map_err(|_| bad());
        let (from, to) = (time(from)?, time(to)?);
        // Equal ends are rejected, because they could mean the whole day
        // or no time at all. The word `none` stands for no quiet hours.
        if from == to { Err(bad()) } else { Ok(Self(Some((from, to)))) }
    }
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("none"),
            Some((from, to)) => {
                write!(f, "{}-{}", from.strftime("%H:%M"), to.strftime("%H:%M"))
            }
        }
    }
}

impl TryFrom<String> for QuietHours {
    type Error = BadQuietHours;
    fn try_from(text: String) -> Result<Self, BadQuietHours> {
        text.parse()
    }
}

impl From<QuietHours> for String {
    fn from(hours: QuietHours) -> Self {
        hours.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(hours: &str, at: &str, expect: &str) {
        let zone = TimeZone::get("America/Chicago").expect("a zone");
        let hours: QuietHours = hours.parse().expect("quiet hours");
        let permitted = hours.permitted(at.parse().expect("an instant"), &zone);
        assert_eq!(permitted.in_zone(&zone), expect, "{hours} at {at}");
    }

    #[test]
    fn a_text_waits_for_the_end_of_the_quiet_hours() {
        check("21:00-08:00", "2025-10-01T20:59:59-05:00", "2025-10-01T20:59:59-05:00");
        check("21:00-08:00", "2025-10-01T21:00:00-05:00", "2025-10-02T08:00:00-05:00");
        check("21:00-08:00", "2025-10-02T07:59:00-05:00", "2025-10-02T08:00:00-05:00");
        check("21:00-08:00", "2025-10-02T08:00:00-05:00", "2025-10-02T08:00:00-05:00");
        check("12:00-13:30", "2025-10-02T12:30:00-05:00", "2025-10-02T13:30:00-05:00");
        check("none", "2025-10-02T03:00:00-05:00", "2025-10-02T03:00:00-05:00");
    }

    #[test]
    fn the_end_is_local_time_also_over_a_change_of_dst() {
        check("21:00-08:00", "2025-11-01T22:00:00-05:00", "2025-11-02T08:00:00-06:00");
        check("21:00-02:30", "2026-03-08T01:00:00-06:00", "2026-03-08T03:00:00-05:00");
        check("21:00-02:30", "2026-03-08T03:00:00-05:00", "2026-03-08T03:00:00-05:00");
    }

    #[test]
    fn an_end_that_comes_twice_ends_the_quiet_hours_twice() {
        check("21:00-01:30", "2026-11-01T00:10:00-05:00", "2026-11-01T01:30:00-05:00");
        check("21:00-01:30", "2026-11-01T01:45:00-05:00", "2026-11-01T01:45:00-05:00");
        check("21:00-01:30", "2026-11-01T01:10:00-06:00", "2026-11-01T01:30:00-06:00");
        check("01:30-05:00", "2026-11-01T01:45:00-05:00", "2026-11-01T05:00:00-06:00");
    }

    #[test]
    fn a_held_text_says_until_when() {
        let zone = TimeZone::get("America/Chicago").expect("a zone");
        let late: Timestamp = "2025-10-01T21:40:00-05:00".parse().expect("an instant");
        let held = QuietHours::customary().hold(late, &zone);
        let reason = held.reason.expect("a reason");
        assert_eq!(reason.code, "quiet_hours");
        assert_eq!(reason.message, "quiet hours until 2025-10-02T08:00:00-05:00");
        assert_eq!(QuietHours::NONE.hold(late, &zone), PolicyVerdict::allow());
    }

    #[test]
    fn hours_print_as_they_are_written_and_nonsense_is_refused() {
        for text in ["21:00-08:00", "none"] {
            assert_eq!(text.parse::<QuietHours>().expect("parses").to_string(), text);
        }
        for text in ["", "9-8", "21:00", "25:00-08:00", "08:00-08:00"] {
            assert!(text.parse::<QuietHours>().is_err(), "{text}");
        }
    }
}
