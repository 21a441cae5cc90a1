//! Formats times, durations and lists in everyday English.

use jiff::tz::TimeZone;

use crate::base::{Span, Timestamp};
use crate::policy::Settings;

/// Maximum number of names that a list shows before it says `and 3 others`.
const NAMES_MAX: usize = 6;

/// The current time and the time zone of the person who reads an explanation.
pub(super) struct Reader {
    pub(super) now: Timestamp,
    pub(super) zone: TimeZone,
}

impl Reader {
    /// Creates a reader in the time zone of the tenant's settings. Uses UTC if the zone is unknown.
    pub(super) fn of(settings: &Settings, now: Timestamp) -> Self {
        Self { now, zone: settings.zone() }
    }

    /// Formats a time: `today at 14:20`, `tomorrow at 08:00`, `on Sun 5 Oct at 09:00`.
    pub(super) fn time(&self, at: Timestamp) -> String {
        let there = at.to_jiff().to_zoned(self.zone.clone());
        let here = self.now.to_jiff().to_zoned(self.zone.clone());
        let day = match (there.date() - here.date()).get_days() {
            0 => "today".to_owned(),
            1 => "tomorrow".to_owned(),
            -1 => "yesterday".to_owned(),
            _ if there.year() == here.year() => there.strftime("on %a %-d %b").to_string(),
            _ => there.strftime("on %a %-d %b %Y").to_string(),
        };
        format!("{day} at {}", there.strftime("%H:%M"))
    }

    /// Formats the time that has passed since this instant, such as `3 hours`.
    pub(super) fn elapsed_since(&self, at: Timestamp) -> String {
        format_span(self.now - at)
    }
}

/// Formats a duration, rounded down to a whole number of its largest unit:
/// `3 hours`, `2 days`, `less than a minute`.
pub(super) fn format_span(span: Span) -> String {
    const UNITS: [(i64, &str); 3] = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let seconds = span.micros() / 1_000_000;
    match UNITS.iter().find(|(size, _)| seconds >= *size) {
        Some((size, unit)) => format_count(seconds / size, unit),
        None => "less than a minute".to_owned(),
    }
}

/// Formats a count: `1 message`, `3 messages`.
pub(super) fn format_count(n: i64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Formats a list, with a conjunction before the last name: `Ana, Ben and Carla`.
/// Shows at most [`NAMES_MAX`] names, and the number of the remaining names.
pub(super) fn join_names(names: &[String], conjunction: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [few @ .., last] if names.len() <= NAMES_MAX => {
            format!("{} {conjunction} {last}", few.join(", "))
        }
        many => {
            let more = many.len() - NAMES_MAX;
            let others = if more == 1 { "one other".to_owned() } else { format!("{more} others") };
            format!("{} {conjunction} {others}", many[..NAMES_MAX].join(", "))
        }
    }
}

/// Puts each name or command in backticks.
pub(super) fn in_backticks(names: &[String]) -> Vec<String> {
    names.iter().map(|name| format!("`{name}`")).collect()
}
