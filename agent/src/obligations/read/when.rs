//! Finds the time of a text, and the text without it.

use std::ops::Range;

use jiff::{ToSpan, Zoned};

use super::token::tokens;
use crate::times::{FoundTime, Grain, SaidClock, SaidDay, find, read_phrase};

/// Words before a time that go with it.
const BEFORE: &[&str] = &[
    "at", "on", "for", "by", "in", "around", "about", "from", "this", "the", "starting", "@", ",",
];

/// A text, and the time that was in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Timed {
    /// The text without the time.
    pub(super) rest: String,
    /// The times as they were said, in their order.
    pub(super) said: Vec<FoundTime>,
    /// The words of the time; empty if there is none.
    pub(super) phrase: String,
    /// Whether a colon or a dash is behind the first time.
    pub(super) is_apart: bool,
    /// The words of a time that comes again: "every Sunday at 5".
    pub(super) recurs: Option<String>,
}

/// Takes the times out of a text. Without a clock, the words are read as if it was the first day of the epoch, and
/// only their place counts.
pub(super) fn timed(text: &str, now: Option<&Zoned>) -> Timed {
    match recurring(text) {
        None => once(text, now),
        Some(bytes) => {
            let recurs = text[bytes.clone()].to_owned();
            let rest =
                format!("{} {}", &text[..with_words_before(text, bytes.start)], &text[bytes.end..]);
            let mut timed = once(&rest, now);
            let phrase = format!("{recurs} {}", timed.phrase);
            timed.phrase = phrase.trim().to_owned();
            timed.recurs = Some(timed.phrase.clone());
            timed
        }
    }
}

/// Finds a time that comes again: "every Sunday", "every two weeks", "daily".
fn recurring(text: &str) -> Option<Range<usize>> {
    const UNITS: &[&str] = &[
        "day",
        "days",
        "week",
        "weeks",
        "month",
        "months",
        "year",
        "years",
        "hour",
        "hours",
        "minutes",
        "morning",
        "mornings",
        "evening",
        "night",
        "afternoon",
        "weekday",
        "weekdays",
        "weekend",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "mondays",
        "tuesdays",
        "wednesdays",
        "thursdays",
        "fridays",
        "saturdays",
        "sundays",
    ];
    let words = tokens(text);
    let at = words.iter().position(|word| {
        matches!(word.text.as_str(), "every" | "each" | "daily" | "weekly" | "monthly" | "yearly")
    })?;
    let first = &words[at];
    if !matches!(first.text.as_str(), "every" | "each") {
        return Some(first.bytes.clone());
    }
    let unit = words[at + 1..].iter().take(3).find(|word| UNITS.contains(&word.text.as_str()))?;
    Some(first.bytes.start..unit.bytes.end)
}

/// Takes the times out of a text that happen once.
fn once(text: &str, now: Option<&Zoned>) -> Timed {
    let epoch = jiff::Timestamp::UNIX_EPOCH.to_zoned(jiff::tz::TimeZone::UTC);
    let reference = now.unwrap_or(&epoch);
    let mut said = find(text, reference);
    said.retain(|found| found.reading.is_some() || found.day != SaidDay::Unsaid);
    let longer = longer(text, reference, &said);
    if let Some(longer) = longer {
        said = vec![longer];
    }
    let mut rest = String::with_capacity(text.len());
    let mut phrases = Vec::new();
    let mut from = 0;
    for found in &said {
        let start = with_words_before(text, found.bytes.start).max(from);
        rest.push_str(&text[from..start]);
        rest.push(' ');
        phrases.push(text[found.bytes.clone()].to_owned());
        from = found.bytes.end.max(from);
    }
    rest.push_str(&text[from..]);
    let behind = said.first().map_or("", |found| text[found.bytes.end..].trim_start());
    let is_apart = behind.starts_with([':', '-', '–', '—']);
    Timed { rest, said, phrase: phrases.join(" "), is_apart, recurs: None }
}

/// Reads a time that only a whole phrase says: "in two and a half hours" holds a time that a search does not find.
fn longer(text: &str, now: &Zoned, found: &[FoundTime]) -> Option<FoundTime> {
    let starts = text
        .match_indices(" in ")
        .map(|(at, _)| at + 1)
        .chain(text.starts_with("in ").then_some(0));
    let starts: Vec<usize> = starts.chain(text.starts_with("In ").then_some(0)).collect();
    starts.into_iter().find_map(|start| {
        let ends = text[start..].match_indices([' ', ',', '.', '?']).map(|(at, _)| start + at);
        let ends: Vec<usize> = ends.chain([text.len()]).take(9).collect();
        let read = |end: &usize| {
            let reading = read_phrase(&text[start..*end], now)?;
            let is_elapsed = reading.end.is_none();
            let bytes = start..*end;
            let known = found.iter().any(|known| covers(&known.bytes, &bytes));
            (is_elapsed && !known).then(|| FoundTime {
                bytes,
                day: SaidDay::Unsaid,
                clock: SaidClock::Elapsed,
                reading: Some(reading),
            })
        };
        ends.iter().rev().find_map(read)
    })
}

fn covers(known: &Range<usize>, bytes: &Range<usize>) -> bool {
    known.start <= bytes.start + 3 && known.end >= bytes.end
}

fn with_words_before(text: &str, start: usize) -> usize {
    let mut start = start;
    loop {
        let before = text[..start].trim_end();
        let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        let bare = word.to_lowercase();
        if word.is_empty() || !BEFORE.contains(&bare.as_str()) {
            return start;
        }
        start = before.len() - word.len();
    }
}

impl Timed {
    /// Moves a time of day whose half was not said into the morning, because that is when people wake up.
    pub(super) fn wake(&mut self, now: &Zoned) {
        let Some(found) = self.said.first_mut() else { return };
        let is_open = matches!(found.clock, SaidClock::At(clock) if !clock.is_exact);
        let Some(reading) =
            found.reading.as_mut().filter(|reading| is_open && reading.start.hour() >= 12)
        else {
            return;
        };
        let earlier = reading.start.checked_sub(12.hours()).ok();
        let later = reading.start.checked_add(12.hours()).ok();
        if let Some(morning) = earlier.filter(|earlier| earlier > now).or(later) {
            reading.start = morning;
        }
    }

    /// Returns the instant in RFC 3339, or the date if no time of day was said; `None` if no time is known.
    pub(super) fn instant(&self) -> Option<String> {
        if let Some(recurs) = &self.recurs {
            return Some(recurs.clone());
        }
        let reading = self.said.iter().find_map(|found| found.reading.as_ref())?;
        let is_day = reading.grain >= Grain::Day;
        let format = if is_day { "%Y-%m-%d" } else { "%Y-%m-%dT%H:%M:%S%:z" };
        Some(reading.start.strftime(format).to_string())
    }
}
