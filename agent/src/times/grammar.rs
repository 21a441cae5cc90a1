//! How the parts of a phrase come together.

use jiff::{Timestamp, Zoned};

use crate::times::clock::{self, Bare};
use crate::times::cursor::{Cursor, Extent};
use crate::times::day::{Day, days_after};
use crate::times::reading::{Grain, TimeReading};
use crate::times::relative::{self, Target};
use crate::times::said::{ClocksWords, Cue, Part, Phrase, Said};
use crate::times::{date, holiday, period, range, resolve, token, weekday};

/// A longer phrase is no phrase about a time.
const PHRASE_BYTES_MAX: usize = 200;
/// Words and marks between the parts of a phrase.
const GLUE: &[&str] = &[
    "at",
    "@",
    "on",
    "by",
    "for",
    "the",
    "of",
    "in",
    "about",
    "around",
    "approximately",
    "roughly",
    ",",
    "(",
];
/// Marks that end a phrase.
const ENDS: &[&str] = &[".", "!", "?", ")", ","];

/// Reads a phrase that is about a time as a whole; `None` if it is about anything else, or names
/// a time that does not exist.
pub fn read_phrase(phrase: &str, reference: &Zoned) -> Option<TimeReading> {
    if phrase.len() > PHRASE_BYTES_MAX {
        return None;
    }
    let phrase = phrase.trim();
    if let Some(reading) = timestamp(phrase, reference) {
        return Some(reading);
    }
    let tokens = token::tokens(phrase);
    let mut cursor = Cursor::new(&tokens, reference, Extent::Whole);
    let phrase = self::phrase(&mut cursor)?;
    while cursor.take_any(ENDS).is_some() {}
    resolve::phrase(&phrase, reference).filter(|_| cursor.is_done())
}

/// Reads a time in RFC 3339 with an offset.
fn timestamp(phrase: &str, reference: &Zoned) -> Option<TimeReading> {
    let at: Timestamp = phrase.parse().ok()?;
    let has_seconds = phrase.as_bytes().get("2026-01-13T14:20".len()) == Some(&b':');
    let grain = if has_seconds { Grain::Second } else { Grain::Minute };
    Some(TimeReading { start: at.to_zoned(reference.time_zone().clone()), end: None, grain })
}

/// Reads a phrase at the cursor.
pub(crate) fn phrase(cursor: &mut Cursor) -> Option<Phrase> {
    let opener = if cursor.is_within() { None } else { days_opener(cursor) };
    let from = said(cursor)?;
    if opener.is_none() && from.day.is_none() && from.period.is_none() {
        return Some(Phrase { from, until: None });
    }
    let until = cursor.attempt(|cursor| {
        // "moved from Sunday to Tuesday" is no range.
        if cursor.is_within() && matches!(cursor.text(0), "to" | "until" | "till" | "til") {
            return None;
        }
        let and = opener.filter(|_| cursor.skip("and"));
        and.map(|_| ()).or_else(|| range::connector(cursor))?;
        said(cursor).filter(|until| until.day.is_some() || until.period.is_some())
    });
    if opener.is_some() && until.is_none() {
        return None;
    }
    Some(Phrase { from, until })
}

/// Passes "from" or "between" before a range of days.
fn days_opener<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let mut ahead = *cursor;
    if range::between(&mut ahead, Bare::Elsewhere).is_some() || date::days(&mut ahead).is_some() {
        return None;
    }
    range::opener(cursor)
}

/// Reads the parts of a phrase, in any order.
fn said(cursor: &mut Cursor) -> Option<Said> {
    let mut said = Said::default();
    if !cursor.is_within() {
        cursor.take_words("first thing");
    }
    if part(cursor, &mut said).is_none() {
        if cursor.is_within() {
            return None;
        }
        glue(cursor);
        part(cursor, &mut said)?;
    }
    while part(cursor, &mut said)
        .or_else(|| {
            cursor.attempt(|cursor| {
                glue(cursor);
                part(cursor, &mut said)
            })
        })
        .is_some()
    {}
    (cursor.is_within() || !is_bare(&said)).then_some(said)
}

fn glue(cursor: &mut Cursor) {
    while cursor.take_any(GLUE).is_some() {}
    // "Sunday - 9am"
    if !cursor.token(0).is_some_and(|dash| dash.glued) {
        cursor.take_any(&["-", "–", "—"]);
    }
}

/// Whether a phrase is only a number: "9", "the 9".
fn is_bare(said: &Said) -> bool {
    let Some(ClocksWords::At(clock)) = said.clocks else { return false };
    clock.cue == Cue::Place && said.day.is_none() && said.part.is_none() && said.period.is_none()
}

/// Reads one more part; fails if its place is taken.
fn part(cursor: &mut Cursor, said: &mut Said) -> Option<()> {
    cursor.attempt(|cursor| {
        if said.instant.is_some() {
            return None;
        }
        let is_empty = *said == Said::default();
        if let Some(target) = relative::distance(cursor) {
            return match target {
                Target::Day(day) => add_day(said, day),
                Target::Instant(instant) if is_empty => {
                    said.instant = Some(instant);
                    Some(())
                }
                Target::Instant(_) => None,
            };
        }
        let bare = if said.day.is_some() || said.period.is_some() || said.part.is_some() {
            Bare::AfterDay
        } else {
            Bare::Elsewhere
        };
        if said.period.is_none()
            && said.day.is_none()
            && let Some(days) = date::days(cursor)
        {
            said.period = Some(days);
            return Some(());
        }
        if said.clocks.is_none()
            && let Some(between) = range::between(cursor, bare)
        {
            said.clocks = Some(ClocksWords::Between(between));
            return Some(());
        }
        if let Some(part) = cursor.attempt(|cursor| part_of_day(cursor, said)) {
            said.part = Some(part);
            return Some(());
        }
        if let Some(day) = day(cursor) {
            return add_day(said, day);
        }
        if said.period.is_none()
            && let Some(period) = period::period(cursor)
        {
            said.period = Some(period);
            return Some(());
        }
        let clock = clock::clock(cursor, bare).filter(|_| said.clocks.is_none())?;
        said.clocks = Some(ClocksWords::At(clock));
        Some(())
    })
}

/// Reads a day.
pub(crate) fn day(cursor: &mut Cursor) -> Option<Day> {
    relative::anchored(cursor)
        .or_else(|| holiday::holiday(cursor))
        .or_else(|| weekday::weekday(cursor))
        .or_else(|| date::date(cursor))
        .or_else(|| period::edge(cursor))
}

/// Adds a day; a weekday beside a date is kept apart, to be compared with it.
fn add_day(said: &mut Said, day: Day) -> Option<()> {
    match (said.day, day) {
        (None, _) => said.day = Some(day),
        (Some(_), _) if said.weekday.is_some() => return None,
        (Some(Day::Weekday(weekday)), day) if !matches!(day, Day::Weekday(_)) => {
            said.weekday = Some(weekday);
            said.day = Some(day);
        }
        (Some(date), Day::Weekday(weekday)) if !matches!(date, Day::Weekday(_)) => {
            said.weekday = Some(weekday);
        }
        // "this Sunday the 12th"
        (Some(Day::Date(date)), other) if !other.is_fixed() => {
            let agrees = other.next_from(date, None) == Some(date);
            said.day = Some(if agrees { Day::Date(date) } else { Day::Impossible });
        }
        _ => return None,
    }
    Some(())
}

/// Reads a part of the day: "tonight", "this morning", "evening" after a day, "in the morning".
fn part_of_day(cursor: &mut Cursor, said: &mut Said) -> Option<Part> {
    if said.part.is_some() {
        return None;
    }
    let today = cursor.today();
    let mut day_and = |days: i64, part: Part| {
        let day = Day::Date(days_after(today, days)?);
        if said.day.is_some() {
            return (said.day == Some(day)).then_some(part);
        }
        said.day = Some(day);
        Some(part)
    };
    if cursor.text(0) == "2" && matches!(cursor.text(1), "nite" | "night") {
        cursor.go_to(cursor.at() + 2);
        return day_and(0, Part::Night);
    }
    if matches!(cursor.stem(), "tonight" | "tonite" | "tonigt" | "tonght") {
        cursor.go_to(cursor.at() + 1);
        return day_and(0, Part::Night);
    }
    if cursor.take_words("last night").is_some() {
        return day_and(-1, Part::Night);
    }
    if let Some(part) = cursor.attempt(|cursor| {
        cursor.take("this")?;
        clock::part(cursor)
    }) {
        return day_and(0, part);
    }
    let is_introduced = matches!((cursor.before(2), cursor.before(1)), ("in", "the"));
    let has_day = said.day.is_some();
    cursor.attempt(|cursor| {
        let has_in = cursor.take_words("in the").is_some();
        let has_the = has_in || cursor.skip("the") || cursor.before(1) == "the";
        let part = clock::part(cursor)?;
        let is_of = has_the && cursor.text(0) == "of";
        (has_in || is_introduced || has_day || is_of).then_some(part)
    })
}
