//! Instants and elapsed durations in whole microseconds, and their forms as strings.
//!
//! An instant is stored as an integer, the number of microseconds since the beginning of 1970 in UTC, and
//! shown as RFC 3339 with an offset.
//! A duration is elapsed time: 6 h stays 6 h across a change of daylight saving time.
//! A duration is written in the `humantime` format.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// An instant: microseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

/// An elapsed duration in microseconds. It can be negative, for example as the difference of two instants.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct Span(i64);

/// The error for a string that is not an instant, or not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadTime {
    /// The string is not RFC 3339 with an offset. The quoted string is cut to 60 characters.
    #[error("`{0}` is not an instant such as `2025-10-05T09:00:00-05:00`")]
    Instant(String),
    /// The string is not a `humantime` duration, or the duration exceeds 64 bits of microseconds.
    /// The quoted string is cut to 60 characters.
    #[error("`{0}` is not a duration such as `6h` or `2days 3h`")]
    Duration(String),
}

impl Timestamp {
    /// The instant 1970-01-01T00:00:00Z, the earliest that the engine stores.
    pub const EPOCH: Self = Self(0);

    /// Builds an instant from microseconds since 1970 UTC.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Returns the microseconds since 1970 UTC.
    #[must_use]
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Formats the instant as RFC 3339 with the offset of `zone`.
    /// The microseconds follow the seconds as six digits, unless the microseconds are zero.
    #[must_use]
    pub fn in_zone(self, zone: &TimeZone) -> String {
        let zoned = self.to_jiff().to_zoned(zone.clone());
        zoned
            .strftime(if self.0 % 1_000_000 == 0 { "%FT%T%:z" } else { "%FT%T%.6f%:z" })
            .to_string()
    }

    /// Converts to a `jiff` instant, for calendar arithmetic.
    /// Returns the last `jiff` instant if this instant is out of range.
    #[must_use]
    pub fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_microsecond(self.0).unwrap_or(jiff::Timestamp::MAX)
    }

    /// Converts from a `jiff` instant, truncated to microseconds.
    #[must_use]
    pub fn from_jiff(instant: jiff::Timestamp) -> Self {
        Self(instant.as_microsecond())
    }
}

impl Span {
    /// A duration of zero.
    pub const ZERO: Self = Self(0);

    /// Builds a duration from microseconds.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Builds a duration from whole seconds.
    #[must_use]
    pub const fn from_secs(seconds: i64) -> Self {
        Self(seconds * 1_000_000)
    }

    /// Returns the duration in microseconds.
    #[must_use]
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Converts to a standard duration; a negative duration becomes zero.
    #[must_use]
    pub fn to_std(self) -> std::time::Duration {
        std::time::Duration::from_micros(u64::try_from(self.0).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_zone(&TimeZone::UTC))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0 {
            f.write_str("-")?;
        }
        let magnitude = std::time::Duration::from_micros(self.0.unsigned_abs());
        write!(f, "{}", humantime::format_duration(magnitude))
    }
}

impl FromStr for Timestamp {
    type Err = BadTime;
    fn from_str(text: &str) -> Result<Self, BadTime> {
        text.parse::<jiff::Timestamp>()
            .map(Self::from_jiff)
            .map_err(|_| BadTime::Instant(text.chars().take(60).collect()))
    }
}

impl FromStr for Span {
    type Err = BadTime;
    fn from_str(text: &str) -> Result<Self, BadTime> {
        parse_elapsed(text.trim())
            .ok()
            .and_then(|d| i64::try_from(d.as_micros()).ok())
            .map(Self)
            .ok_or_else(|| BadTime::Duration(text.chars().take(60).collect()))
    }
}

/// Parses a duration in the `humantime` format, with a precision of nanoseconds.
///
/// The crate `humantime` sums up the whole string and panics if the nanoseconds carry the sum to 2^64
/// seconds. Therefore this function parses each `number unit` pair separately and checks the sum itself.
///
/// # Errors
/// An error if the string is not in the format, or if the sum overflows.
pub fn parse_elapsed(text: &str) -> Result<std::time::Duration, humantime::DurationError> {
    let (mut total, mut start, mut after_unit) = (std::time::Duration::ZERO, 0, false);
    let add = |total: std::time::Duration, pair: &str| {
        // `0` without a unit is valid only as the whole string.
        let pair = if pair == "0" && text != "0" { "0 " } else { pair };
        total
            .checked_add(humantime::parse_duration(pair)?)
            .ok_or(humantime::DurationError::NumberOverflow)
    };
    for (at, c) in text.char_indices() {
        if after_unit && c.is_ascii_digit() {
            total = add(total, &text[start..at])?;
            start = at;
        }
        after_unit = c.is_alphabetic() || (after_unit && c.is_whitespace());
    }
    add(total, &text[start..])
}

impl Add<Span> for Timestamp {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Sub<Span> for Timestamp {
    type Output = Self;
    fn sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Add for Span {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Timestamp {
    type Output = Span;
    fn sub(self, other: Self) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_round_trip_and_keep_their_offset_when_shown() {
        let t: Timestamp = "2025-10-05T09:00:00-05:00".parse().expect("an instant");
        assert_eq!(t.to_string(), "2025-10-05T14:00:00+00:00");
        let chicago = TimeZone::get("America/Chicago").expect("a zone");
        assert_eq!(t.in_zone(&chicago), "2025-10-05T09:00:00-05:00");
        assert!("2025-10-05 09:00".parse::<Timestamp>().is_err());
    }

    #[test]
    fn spans_are_elapsed_time() {
        let six_hours: Span = "6h".parse().expect("a duration");
        assert_eq!(six_hours.micros(), 6 * 3600 * 1_000_000);
        assert_eq!(six_hours.to_string(), "6h");
        assert_eq!("2days 3h".parse::<Span>().expect("a duration").to_string(), "2days 3h");
        assert!("soon".parse::<Span>().is_err());
    }

    #[test]
    fn a_sum_that_does_not_fit_is_refused_and_never_panics() {
        for text in ["18446744073709551615s 500ms 500ms", "1ns 18446744073709551615s 999999999ns"] {
            assert!(parse_elapsed(text).is_err(), "{text}");
        }
        let most =
            parse_elapsed("18446744073709551615s 999999999ns").expect("the longest there is");
        assert_eq!(most, std::time::Duration::MAX);
        assert_eq!(parse_elapsed(" 1 0 s1m").expect("70 s").as_secs(), 70);
        assert_eq!(parse_elapsed("0").expect("no time").as_secs(), 0);
        for text in ["", " ", " 0", "1h 0", "0 0", "2 hours min", "-1s", "1.s"] {
            assert!(parse_elapsed(text).is_err(), "{text:?}");
        }
    }
}
