//! Rules for one clock time, and for a part of the day.

use crate::times::cursor::Cursor;
use crate::times::reading::Grain;
use crate::times::said::{ClockWords, Cue, Half, Part};
use crate::times::token::Kind;

/// Words before a clock time that introduce a bare hour anywhere; "a las 9" is common in English
/// texts of bilingual churches.
const AT: &[&str] = &["at", "@", "las"];
/// Words that introduce a bare hour in a phrase about a time; in other texts they stand before
/// counts as well ("reduce it by 2").
const ABOUT: &[&str] = &["about", "approximately", "around", "by", "roughly"];
/// Books of the Bible, after which "3:16" is a verse.
const BOOKS: &str = "\
    acts amos chronicles colossians corinthians daniel deuteronomy ecclesiastes ephesians \
    esther exodus ezekiel ezra galatians genesis habakkuk haggai hebrews hosea isaiah james \
    jeremiah job joel john jonah joshua jude judges kings lamentations leviticus luke malachi \
    mark matthew micah nahum nehemiah numbers obadiah peter philemon philippians proverbs \
    psalm psalms revelation romans ruth samuel thessalonians timothy titus verse zechariah \
    zephaniah";
/// Units and words after which a number is no hour.
const NOT_HOURS: &[&str] = &[
    "d", "day", "days", "dollars", "h", "hour", "hours", "hr", "hrs", "k", "least", "min", "mins",
    "minute", "minutes", "month", "months", "more", "most", "nd", "people", "percent", "rd", "sec",
    "second", "seconds", "st", "th", "week", "weeks", "year", "years",
];

/// The place where a bare hour stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bare {
    /// After a day: "sunday 9".
    AfterDay,
    /// Elsewhere.
    Elsewhere,
    /// At an end of a range: "7-9pm".
    InRange,
}

/// Reads a clock time: "9am", "half past six", "noon", "at 9".
pub(crate) fn clock(cursor: &mut Cursor, bare: Bare) -> Option<ClockWords> {
    let mut clock = noon(cursor)
        .or_else(|| cursor.attempt(past_or_to))
        .or_else(|| cursor.attempt(numeric))
        .or_else(|| cursor.attempt(spelled))
        .or_else(|| cursor.attempt(|cursor| bare_hour(cursor, bare)))?;
    if clock.half == Half::Unsaid
        && let Some(part) = cursor.attempt(trailing_part)
    {
        clock.half = part.half();
        clock.cue = Cue::Form;
    }
    if cursor.take_any(&["sharp", "ish"]).or(cursor.take_words("on the dot").map(|()| "")).is_some()
    {
        clock.cue = Cue::Form;
    }
    Some(clock)
}

/// Reads a part of the day: "morning", "early evening".
pub(crate) fn part(cursor: &mut Cursor) -> Option<Part> {
    cursor.attempt(|cursor| {
        cursor.take_any(&["early", "late"]);
        Some(match cursor.word()? {
            "morning" | "mornin" => Part::Morning,
            "afternoon" => Part::Afternoon,
            "evening" => Part::Evening,
            "night" | "nite" => Part::Night,
            _ => return None,
        })
    })
}

/// Reads "in the morning" or "at night" after a clock time.
fn trailing_part(cursor: &mut Cursor) -> Option<Part> {
    if cursor.take_words("at night").is_some() {
        return Some(Part::Night);
    }
    cursor.take_words("in the")?;
    part(cursor)
}

fn words(hour: i64, minute: i64, grain: Grain) -> Option<ClockWords> {
    let (hour, minute) = (i8::try_from(hour).ok()?, i8::try_from(minute).ok()?);
    let fits = (0..24).contains(&hour) && (0..60).contains(&minute);
    let half = if hour == 0 || hour > 12 { Half::Whole } else { Half::Unsaid };
    fits.then_some(ClockWords { hour, minute, second: 0, half, grain, cue: Cue::Form })
}

/// Gives a half to a clock time; fails for "13pm".
fn with_half(clock: ClockWords, half: Option<Half>) -> Option<ClockWords> {
    let Some(half) = half else { return Some(clock) };
    (1..=12).contains(&clock.hour).then_some(ClockWords { half, ..clock })
}

fn half(cursor: &mut Cursor) -> Option<Half> {
    if let Some(word) = cursor.take_any(&["am", "pm"]) {
        return Some(if word == "am" { Half::Am } else { Half::Pm });
    }
    if cursor.take_glued("a").is_some() {
        return Some(Half::Am);
    }
    cursor.take_glued("p").map(|()| Half::Pm)
}

/// Reads "noon", "12 noon", "midnight".
fn noon(cursor: &mut Cursor) -> Option<ClockWords> {
    cursor.attempt(|cursor| {
        if matches!(cursor.text(0), "12" | "twelve") {
            cursor.go_to(cursor.at() + 1);
        }
        let hour = match cursor.take_any(&["noon", "midday", "noontime", "midnight"])? {
            "midnight" => 0,
            _ => 12,
        };
        let clock = words(hour, 0, Grain::Hour)?;
        Some(ClockWords { half: Half::Whole, ..clock })
    })
}

/// Reads "half past six", "a quarter to ten am", "twenty past noon", "10 minutes to 9".
fn past_or_to(cursor: &mut Cursor) -> Option<ClockWords> {
    let at = AT.contains(&cursor.before(1));
    let is_digit = cursor.token(0)?.kind == Kind::Digits;
    let a = cursor.skip("a");
    let (minutes, named) = match cursor.take_any(&["half", "quarter"]) {
        Some("half") => (30, true),
        Some(_) => (15, true),
        None if a => return None,
        None => (cursor.count().filter(|minutes| (1..60).contains(minutes))?, false),
    };
    let unit = !named && cursor.take_any(&["minutes", "minute", "mins", "min"]).is_some();
    let relation = cursor.take_any(&["past", "after", "to", "til", "till", "before", "of"])?;
    let is_past = matches!(relation, "past" | "after");
    // "ten to six" may be a range or a change of a count.
    let is_clear = named || unit || relation == "past";
    let is_time = !is_digit && minutes % 5 == 0 && minutes < 30 && (at || !cursor.is_within());
    if (!is_clear && !is_time) || (relation == "of" && !named) {
        return None;
    }
    let hour = match noon(cursor) {
        Some(noon) => noon,
        None => {
            let hour =
                words(cursor.count().filter(|hour| (1..=12).contains(hour))?, 0, Grain::Hour)?;
            let _ = oclock(cursor);
            with_half(hour, half(cursor))?
        }
    };
    if NOT_HOURS.contains(&cursor.text(0)) {
        return None;
    }
    Some(if is_past {
        ClockWords { minute: i8::try_from(minutes).ok()?, grain: Grain::Minute, ..hour }
    } else {
        before(hour, i8::try_from(60 - minutes).ok()?)
    })
}

/// The time `minute` minutes after the hour before `hour`.
fn before(hour: ClockWords, minute: i8) -> ClockWords {
    let earlier = match hour.half {
        Half::Whole => (hour.hour + 23) % 24,
        _ => (hour.hour + 10) % 12 + 1,
    };
    // "quarter to 12 am" is before midnight.
    let half = match (hour.hour, hour.half) {
        (12, Half::Am) => Half::Pm,
        (12, Half::Pm) => Half::Am,
        (_, half) => half,
    };
    ClockWords { hour: earlier, minute, half, grain: Grain::Minute, ..hour }
}

fn oclock(cursor: &mut Cursor) -> Option<()> {
    cursor.take("oclock").or_else(|| cursor.take_words("o clock"))
}

/// Reads "9am", "9:30", "18:30:15", "5.30pm", "930am", "0800 hours", "9 o'clock".
fn numeric(cursor: &mut Cursor) -> Option<ClockWords> {
    let digits = cursor.token(0)?.text.as_str();
    let is_verse = cursor.is_within() && BOOKS.split(' ').any(|book| book == cursor.before(1));
    let leads_with_zero = digits.starts_with('0');
    let number = cursor.digits(1, 4)?;
    let (hour, minute) = if digits.len() > 2 { (number / 100, number % 100) } else { (number, 0) };
    if digits.len() > 2 {
        let clock = words(hour, minute, Grain::Minute)?;
        if let Some(half) = half(cursor) {
            return with_half(clock, Some(half));
        }
        cursor.take_any(&["hours", "hrs", "h"]).filter(|_| digits.len() == 4)?;
        return Some(ClockWords { half: Half::Whole, ..clock });
    }
    let colon = cursor.attempt(|cursor| {
        cursor.take_glued(":")?;
        cursor.glued_digits(2)
    });
    let dot = || {
        cursor.attempt(|cursor| {
            let at = AT.contains(&cursor.before(2));
            cursor.take_glued(".")?;
            let minute = cursor.glued_digits(2)?;
            (at || matches!(cursor.text(0), "am" | "pm")).then_some(minute)
        })
    };
    if let Some(minute) = colon.or_else(dot) {
        let second = cursor.attempt(|cursor| {
            cursor.take_glued(":")?;
            cursor.glued_digits(2).filter(|second| *second < 60)
        });
        let clock = words(hour, minute, Grain::Minute)?;
        let clock = match second {
            None => clock,
            Some(second) => {
                ClockWords { second: i8::try_from(second).ok()?, grain: Grain::Second, ..clock }
            }
        };
        let clock = with_half(clock, half(cursor))?;
        if is_verse && clock.half == Half::Unsaid {
            return None;
        }
        let is_whole = leads_with_zero && clock.half == Half::Unsaid;
        return Some(if is_whole { ClockWords { half: Half::Whole, ..clock } } else { clock });
    }
    let clock = words(hour, 0, Grain::Hour)?;
    if let Some(half) = half(cursor) {
        return with_half(clock, Some(half));
    }
    if oclock(cursor).is_some() {
        return with_half(clock, half(cursor)).filter(|clock| clock.half != Half::Whole);
    }
    let is_service = matches!(cursor.text(0), "service" | "services");
    (is_service && (1..=12).contains(&hour)).then_some(clock)
}

/// Reads "nine am", "six thirty", "nine oh five pm", "two o'clock".
fn spelled(cursor: &mut Cursor) -> Option<ClockWords> {
    let hour = cursor.spelled().filter(|hour| (1..=12).contains(hour))?;
    let minute = cursor.attempt(|cursor| {
        cursor.skip("-");
        if cursor.take_any(&["oh", "o"]).is_some() {
            return cursor.spelled().filter(|minute| (1..10).contains(minute));
        }
        cursor.spelled().filter(|minute| (10..60).contains(minute))
    });
    if let Some(minute) = minute {
        // "two fifteen" may be two counts.
        let is_usual = minute % 5 == 0 && !cursor.is_within();
        let clock = words(hour, minute, Grain::Minute)?;
        let half = half(cursor);
        let is_clear = half.is_some() || is_usual || AT.contains(&cursor.before(3));
        return with_half(clock, half).filter(|_| is_clear && !is_counted(cursor));
    }
    let clock = words(hour, 0, Grain::Hour)?;
    if let Some(half) = half(cursor) {
        return with_half(clock, Some(half));
    }
    oclock(cursor)?;
    with_half(clock, half(cursor))
}

fn is_counted(cursor: &Cursor) -> bool {
    NOT_HOURS.contains(&cursor.text(0))
}

/// Reads a number that only its surroundings make a clock time: "at 9", "sunday 11", "at 630",
/// "nine in the morning".
fn bare_hour(cursor: &mut Cursor, bare: Bare) -> Option<ClockWords> {
    let before = [cursor.before(1), cursor.before(2)];
    let is_about = ABOUT.contains(&before[0]);
    let after_at = AT.contains(&before[0]) || (is_about && AT.contains(&before[1]));
    let cue = if after_at || (is_about && !cursor.is_within()) { Cue::At } else { Cue::Place };
    // "at 9 and 11", "9am or 11"
    let is_second = matches!(before[0], "and" | "or" | "&")
        && (matches!(before[1], "am" | "pm") || AT.contains(&cursor.before(3)));
    let token = cursor.token(0)?;
    let is_digits = token.kind == Kind::Digits;
    let number = cursor.count()?;
    let (hour, minute, grain) = match token.text.len() {
        3.. if is_digits => (number / 100, number % 100, Grain::Minute),
        _ => (number, 0, Grain::Hour),
    };
    let hour_max = if cue == Cue::At && token.text.len() == 4 { 23 } else { 12 };
    let is_usual = (1..=hour_max).contains(&hour) && minute % 5 == 0;
    let clock = words(hour, minute, grain).filter(|_| is_usual)?;
    let after = cursor.text(0);
    let is_decimal = matches!(after, "." | ":" | "/")
        && cursor.token(1).is_some_and(|token| token.glued && token.kind == Kind::Digits);
    if is_counted(cursor) || is_decimal || matches!(after, "%" | "$" | "/") {
        return None;
    }
    let is_one = token.text == "one" && cue == Cue::Place;
    let fits = match (cue, bare) {
        (Cue::At | Cue::Form, _) | (_, Bare::InRange) => true,
        (Cue::Place, _) if !cursor.is_within() => {
            is_digits || bare == Bare::AfterDay || is_followed_by_day(cursor)
        }
        (Cue::Place, Bare::AfterDay) => !is_one && cursor.is_number_over(),
        (Cue::Place, Bare::Elsewhere) => {
            let has_article = before[0] == "for" || (before[0] == "the" && before[1] != "of");
            !is_one && (has_article || is_second) && minute == 0 && cursor.is_number_over()
        }
    };
    fits.then_some(ClockWords { cue, ..clock })
}

/// Whether "tonight", "tomorrow", "in the morning" or "on Friday" follows a number.
pub(crate) fn is_followed_by_day(cursor: &Cursor) -> bool {
    matches!(cursor.text(0), "tonight" | "tomorrow" | "today" | "in" | "on" | "this" | "at")
}
