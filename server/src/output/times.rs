//! Formats times and durations for people.

use abide_engine::base::{Span, Timestamp};
use jiff::tz::TimeZone;

/// Format for the times in API responses: relative to the current time, in the time zone of the user.
pub(crate) struct TimeFormat {
    now: Timestamp,
    zone: TimeZone,
}

impl TimeFormat {
    /// Creates the format for a given current time and time zone.
    #[must_use]
    pub(crate) fn new(now: Timestamp, zone: TimeZone) -> Self {
        Self { now, zone }
    }

    /// Formats an RFC 3339 time in local time; empty if `text` is not a time.
    #[must_use]
    pub(crate) fn local(&self, text: &str) -> String {
        text.parse().map(|at| local(at, self.now, &self.zone)).unwrap_or_default()
    }

    /// Formats an RFC 3339 time as `3h ago`; empty if `text` is not a time.
    #[must_use]
    pub(crate) fn since(&self, text: &str) -> String {
        text.parse().map(|at| since(at, self.now)).unwrap_or_default()
    }

    /// Formats an RFC 3339 time as `in 3h`; empty if `text` is not a time.
    #[must_use]
    pub(crate) fn until(&self, text: &str) -> String {
        text.parse().map(|at| until(at, self.now)).unwrap_or_default()
    }
}

/// Formats a time in a time zone as `Sun 5 Oct 09:00`. The year is added unless it is the year of `now`.
#[must_use]
pub(super) fn local(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let at = at.to_jiff().to_zoned(zone.clone());
    let now = now.to_jiff().to_zoned(zone.clone());
    let format = if at.year() == now.year() { "%a %-d %b %H:%M" } else { "%a %-d %b %Y %H:%M" };
    at.strftime(format).to_string()
}

/// Formats a time in the past: `3h 12m ago`, or `just now` if less than a second has passed.
#[must_use]
pub(super) fn since(at: Timestamp, now: Timestamp) -> String {
    match in_two_units(now - at) {
        Some(distance) => format!("{distance} ago"),
        None => "just now".to_owned(),
    }
}

/// Formats a time in the future: `in 3h 12m`, or `now` if it is less than a second away.
#[must_use]
pub(super) fn until(at: Timestamp, now: Timestamp) -> String {
    match in_two_units(at - now) {
        Some(distance) => format!("in {distance}"),
        None => "now".to_owned(),
    }
}

/// Formats a duration in its two largest units. Returns `None` if it is shorter than a second.
pub(crate) fn in_two_units(span: Span) -> Option<String> {
    const UNITS: [(i64, &str); 4] = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    let seconds = span.micros() / 1_000_000;
    let first = UNITS.iter().position(|(size, _)| seconds >= *size)?;
    let (size, unit) = UNITS[first];
    let mut text = format!("{}{unit}", seconds / size);
    if let Some((next_size, next_unit)) = UNITS.get(first + 1) {
        let rest = seconds % size / next_size;
        if rest > 0 {
            text.push_str(&format!(" {rest}{next_unit}"));
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("an instant")
    }

    #[test]
    fn distances_have_two_units() {
        let now = at("2025-10-05T09:00:00Z");
        for (then, shown) in [
            ("2025-10-05T09:00:00.4Z", "now"),
            ("2025-10-05T09:00:59Z", "in 59s"),
            ("2025-10-05T12:12:30Z", "in 3h 12m"),
            ("2025-10-07T09:00:10Z", "in 2d"),
        ] {
            assert_eq!(until(at(then), now), shown, "{then}");
        }
        assert_eq!(since(at("2025-10-05T08:59:00Z"), now), "1m ago");
        assert_eq!(since(at("2025-10-05T10:00:00Z"), now), "just now");
    }

    #[test]
    fn the_year_is_shown_only_if_it_differs() {
        let now = at("2025-10-05T09:00:00Z");
        assert_eq!(local(at("2025-10-05T14:00:00Z"), now, &TimeZone::UTC), "Sun 5 Oct 14:00");
        assert_eq!(local(at("2026-01-01T14:00:00Z"), now, &TimeZone::UTC), "Thu 1 Jan 2026 14:00");
    }
}
