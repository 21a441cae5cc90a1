//! Times within longer texts.

use std::ops::Range;

use jiff::Zoned;
use jiff::civil::{Date, Weekday};

use crate::times::cursor::{Cursor, Extent};
use crate::times::day::{Day, days_after};
use crate::times::grammar;
use crate::times::range;
use crate::times::reading::TimeReading;
use crate::times::resolve::{self, Days};
use crate::times::said::{ClockTime, ClocksWords, Part, Phrase, Said};
use crate::times::token;

/// A longer text is read only so far.
const TEXT_BYTES_MAX: usize = 8 * 1024;

/// A time in a longer text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundTime {
    /// The bytes of the text that speak of it.
    pub bytes: Range<usize>,
    /// What was said about the day.
    pub day: SaidDay,
    /// What was said about the time of day.
    pub clock: SaidClock,
    /// The time that is meant, without regard to services. `None` for a day that does not exist
    /// ("April 31") and for a clock time in a longer period ("next week at 9").
    pub reading: Option<TimeReading>,
}

/// What was said about the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaidDay {
    /// Nothing.
    Unsaid,
    /// A weekday without a qualifier: the coming one.
    Weekday(Weekday),
    /// One date.
    Exact(Date),
    /// Several days.
    Period {
        /// The first.
        first: Date,
        /// The first after them.
        after: Date,
    },
    /// A day that does not exist.
    Impossible,
}

/// What was said about the time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaidClock {
    /// Nothing.
    Unsaid,
    /// A clock time.
    At(ClockTime),
    /// A range of clock times.
    Between {
        /// Its start.
        from: ClockTime,
        /// Its end.
        until: ClockTime,
    },
    /// A part of the day.
    Part(Part),
    /// A distance from the reference time: "in 20 minutes".
    Elapsed,
}

/// Finds the times in a text, in order. Numbers outside of their bytes are no times; a number
/// that only its place makes a clock time has [`Cue::Place`](crate::times::Cue::Place).
pub fn find(text: &str, reference: &Zoned) -> Vec<FoundTime> {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    let tokens = token::tokens(text);
    let mut found = Vec::new();
    let mut cursor = Cursor::new(&tokens, reference, Extent::Within);
    while !cursor.is_done() {
        let at = cursor.at();
        // "every Sunday" is no single time.
        let recurs = matches!(cursor.before(1), "every" | "each" | "most");
        let phrase = cursor.attempt(grammar::phrase).filter(|_| cursor.at() > at && !recurs);
        let Some(phrase) = phrase else {
            cursor.go_to(cursor.at().max(at + 1));
            continue;
        };
        let bytes = tokens[at].bytes.start..tokens[cursor.at() - 1].bytes.end;
        found.push(described(&phrase, bytes, reference));
    }
    found
}

fn described(phrase: &Phrase, bytes: Range<usize>, now: &Zoned) -> FoundTime {
    let reading = resolve::phrase(phrase, now);
    let day = match (&phrase.until, &reading) {
        (Some(_), Some(TimeReading { start, end: Some(end), .. })) => {
            let after = days_after(end.date(), i64::from(end.time() != midnight()));
            after
                .map_or(SaidDay::Impossible, |after| SaidDay::Period { first: start.date(), after })
        }
        (Some(_), _) => SaidDay::Impossible,
        (None, _) => day(&phrase.from, now),
    };
    FoundTime { bytes, day, clock: clock(&phrase.from), reading }
}

fn midnight() -> jiff::civil::Time {
    jiff::civil::Time::midnight()
}

fn day(said: &Said, now: &Zoned) -> SaidDay {
    match resolve::days(said) {
        None => SaidDay::Impossible,
        Some(Days::Unsaid) => SaidDay::Unsaid,
        Some(Days::Day(Day::Weekday(weekday))) => SaidDay::Weekday(weekday),
        Some(Days::Day(day)) => {
            day.next_from(now.date(), said.weekday).map_or(SaidDay::Impossible, SaidDay::Exact)
        }
        Some(Days::Period(period)) => SaidDay::Period { first: period.first, after: period.after },
    }
}

fn clock(said: &Said) -> SaidClock {
    let half = said.part.map(Part::half);
    match (said.clocks, said.part) {
        _ if said.instant.is_some() => SaidClock::Elapsed,
        (Some(ClocksWords::At(clock)), _) => SaidClock::At(range::place(clock, half)),
        (Some(ClocksWords::Between(words)), _) => {
            let range::Between { from, until } = range::place_both(words, half);
            SaidClock::Between { from, until }
        }
        (None, Some(part)) => SaidClock::Part(part),
        (None, None) => SaidClock::Unsaid,
    }
}
