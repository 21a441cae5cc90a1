//! Rules for a date: "2025-11-02", "10/12", "May 3rd 2026", "the 12th", "tomorrow".

use jiff::civil::Date;

use crate::times::cursor::Cursor;
use crate::times::day::{Day, MonthDay, days_after};
use crate::times::name::{self, Spelling};
use crate::times::reading::Grain;
use crate::times::said::Period;
use crate::times::token::Kind;
use crate::times::{period, range};

/// Reads a date.
pub(crate) fn date(cursor: &mut Cursor) -> Option<Day> {
    cursor
        .attempt(iso)
        .or_else(|| cursor.attempt(slashed))
        .or_else(|| cursor.attempt(near))
        .or_else(|| cursor.attempt(month_first))
        .or_else(|| cursor.attempt(day_first))
        .or_else(|| cursor.attempt(day_of_month))
}

/// Reads days of one month: "Dec 5-7", "October 10th to the 12th", "5 to 7 December".
pub(crate) fn days(cursor: &mut Cursor) -> Option<Period> {
    cursor.attempt(|cursor| {
        let _ = range::opener(cursor);
        let (month, first, last) = match month(cursor) {
            Some(month) => {
                let first = day_number(cursor)?;
                (month, first, last_day(cursor)?)
            }
            None => {
                let first = day_number(cursor)?;
                let last = last_day(cursor)?;
                cursor.skip("of");
                (month(cursor)?, first, last)
            }
        };
        let first = dated(month, first, trailing_year(cursor));
        let first = first.next_from(cursor.today(), None)?;
        let last = Date::new(first.year(), month, last).ok().filter(|last| *last > first)?;
        let after = days_after(last, 1)?;
        Some(Period { first, after, grain: Grain::Day, has_end: true })
    })
}

fn last_day(cursor: &mut Cursor) -> Option<i8> {
    cursor.take("and").or_else(|| range::connector(cursor))?;
    day_number(cursor)
}

/// Reads "2025-11-02" or "2025/11/02"; passes the "T" before a clock time.
fn iso(cursor: &mut Cursor) -> Option<Day> {
    let year = cursor.digits(4, 4)?;
    let mark = cursor.take_any(&["-", "/"])?;
    let month = cursor.digits(1, 2)?;
    cursor.take_glued(mark)?;
    let day = cursor.digits(1, 2)?;
    if cursor.text(0) == "t" && cursor.text(2) == ":" {
        cursor.take_glued("t")?;
    }
    let date =
        Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    Some(date.map_or(Day::Impossible, Day::Date))
}

/// Reads "10/12", "10/12/26", "1-4-2026": month, day, year.
fn slashed(cursor: &mut Cursor) -> Option<Day> {
    let month = i8::try_from(cursor.digits(1, 2)?).ok()?;
    if cursor.take_glued("-").is_some() {
        let day = i8::try_from(cursor.digits(1, 2)?).ok()?;
        cursor.take_glued("-")?;
        let year = cursor.year()?;
        return Some(dated(month, day, Some(year)));
    }
    cursor.take_glued("/")?;
    let day = i8::try_from(cursor.digits(1, 2)?).ok()?;
    let year = cursor.attempt(|cursor| {
        cursor.take_glued("/")?;
        cursor.year().or_else(|| i16::try_from(cursor.digits(2, 2)? + 2000).ok())
    });
    if cursor.text(0) == "/" || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    Some(dated(month, day, year))
}

/// Reads "today", "tomorrow", "yesterday".
fn near(cursor: &mut Cursor) -> Option<Day> {
    if cursor.text(0) == "2" && matches!(cursor.text(1), "moro" | "morrow" | "day") {
        let days = i64::from(cursor.text(1) != "day");
        cursor.go_to(cursor.at() + 2);
        return days_after(cursor.today(), days).map(Day::Date);
    }
    let stem = cursor.stem();
    cursor.word()?;
    let days = match stem {
        "today" => 0,
        "yesterday" => -1,
        stem if name::is_tomorrow(stem) => 1,
        _ => return None,
    };
    days_after(cursor.today(), days).map(Day::Date)
}

/// The date in a year, or the coming one.
fn dated(month: i8, day: i8, year: Option<i16>) -> Day {
    // 2024 is a leap year, so that February 29 exists.
    if Date::new(2024, month, day).is_err() {
        return Day::Impossible;
    }
    let Some(year) = year else { return Day::MonthDay(MonthDay { month, day }) };
    Date::new(year, month, day).map_or(Day::Impossible, Day::Date)
}

/// Passes the name of a month, and the dot of its abbreviation.
pub(crate) fn month(cursor: &mut Cursor) -> Option<i8> {
    cursor.attempt(|cursor| {
        let month = name::month(cursor.word()?)?;
        if month.spelling == Spelling::Short {
            let _ = cursor.take_glued(".");
        }
        Some(month.value)
    })
}

/// Passes a day of a month: "12", "12th", "the twelfth"; not the hour of a clock time.
fn day_number(cursor: &mut Cursor) -> Option<i8> {
    cursor.attempt(|cursor| {
        cursor.skip("the");
        if let Some(ordinal) = cursor.ordinal() {
            return Some(ordinal.value);
        }
        let day = i8::try_from(cursor.digits(1, 2)?).ok()?;
        let next = cursor.token(0);
        let is_glued_word = next.is_some_and(|next| next.glued && next.kind == Kind::Word);
        let is_clock =
            matches!(cursor.text(0), "am" | "pm" | ":" | "oclock" | "/") || is_glued_word;
        (!is_clock).then_some(day)
    })
}

/// Reads "may 3rd 2026", "sept. 14", "may the fourth", "October third".
fn month_first(cursor: &mut Cursor) -> Option<Day> {
    let month = month(cursor)?;
    let day = day_number(cursor)?;
    Some(dated(month, day, trailing_year(cursor)))
}

fn trailing_year(cursor: &mut Cursor) -> Option<i16> {
    cursor.attempt(|cursor| {
        cursor.skip(",");
        cursor.year()
    })
}

/// Reads "12 October 2026", "the tenth of may", "third day of July".
fn day_first(cursor: &mut Cursor) -> Option<Day> {
    let has_article = cursor.skip("the");
    let ordinal = cursor.ordinal();
    let day = match ordinal {
        Some(ordinal) => ordinal.value,
        None => i8::try_from(cursor.digits(1, 2)?).ok()?,
    };
    let has_of = cursor.skip("of") || cursor.take_words("day of").is_some();
    // "5 may come" is a count.
    let is_clear = has_of || has_article || !name::is_ambiguous(cursor.text(0));
    if !is_clear && (cursor.is_within() || ordinal.is_none() && cursor.text(0) == "march") {
        return None;
    }
    let month = month(cursor)?;
    if has_of && day == 0 {
        return None;
    }
    Some(dated(month, day, trailing_year(cursor)))
}

/// Reads "the 12th", "the 5th of next month".
fn day_of_month(cursor: &mut Cursor) -> Option<Day> {
    let before = cursor.before(1);
    let has_article = cursor.skip("the") || before == "the";
    let ordinal = cursor.ordinal()?;
    let day = Day::OfMonth(ordinal.value);
    if let Some(month) = cursor.attempt(|cursor| {
        cursor.skip("day");
        cursor.take("of")?;
        period::month_ahead(cursor)
    }) {
        return match month {
            period::Ahead::Coming => Some(day),
            period::Ahead::Fixed(first) => {
                Some(day.in_month(first).map_or(Day::Impossible, Day::Date))
            }
        };
    }
    if !(1..=31).contains(&ordinal.value) || cursor.text(0) == "quarter" {
        return None;
    }
    let follows_day = name::weekday(before).is_some();
    let at_follows = matches!(cursor.text(0), "at" | "@" | ",")
        || cursor.token(0).is_some_and(|next| next.kind == Kind::Digits);
    let is_clear = if cursor.is_within() {
        // "the 2nd service" and "the third time" are no dates.
        !ordinal.spelled && (has_article || follows_day) && (cursor.is_number_over() || at_follows)
    } else {
        // "the second" alone is hardly a date.
        (has_article || follows_day || !ordinal.spelled)
            && (!ordinal.spelled || ordinal.value > 2 || at_follows)
    };
    is_clear.then_some(day)
}
