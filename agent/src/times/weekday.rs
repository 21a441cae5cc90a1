//! Rules for weekdays: "Sunday", "next Saturday", "first Sunday in December", "two Sundays from
//! now".

use jiff::civil::{Date, Weekday};

use crate::times::cursor::Cursor;
use crate::times::date;
use crate::times::day::{Day, Nth, NthInMonth, days_after, monday};
use crate::times::name::{self, Spelling};
use crate::times::period::{self, Ahead};
use crate::times::token::Kind;

/// Words before an abbreviated weekday that show that it is one: "sat" and "sun" are words too.
const BEFORE_SHORT: &[&str] =
    &["and", "by", "for", "next", "on", "or", "this", "to", "until", "-", ","];
/// Words after it that show the same.
const AFTER_SHORT: &[&str] = &["am", "afternoon", "evening", "morning", "night", "noon", "pm"];

/// Reads a weekday, or a place among the weekdays of a month.
pub(crate) fn weekday(cursor: &mut Cursor) -> Option<Day> {
    cursor.attempt(nth).or_else(|| cursor.attempt(weeks_away)).or_else(|| cursor.attempt(qualified))
}

/// Reads "first Sunday in December", "the last Friday of the month", "last day of February".
fn nth(cursor: &mut Cursor) -> Option<Day> {
    cursor.skip("the");
    let place = match cursor.take_any(&["last", "final"]) {
        Some(_) => -1,
        None => cursor.ordinal()?.value,
    };
    let weekday = cursor.attempt(|cursor| name::weekday(cursor.word()?));
    let weekday = match weekday {
        Some(named) => Some(named.value),
        None => {
            cursor.take("day")?;
            None
        }
    };
    let most = if weekday.is_some() { 5 } else { 31 };
    if !(1..=most).contains(&place) && place != -1 {
        return None;
    }
    cursor.take_any(&["in", "of"])?;
    let nth = Nth { place, weekday };
    let dated = |first| nth.in_month(first).map_or(Day::Impossible, Day::Date);
    if let Some(month) = date::month(cursor) {
        let Some(year) = cursor.year() else {
            return Some(Day::NthInMonth(NthInMonth { nth, month }));
        };
        return Date::new(year, month, 1).ok().map(dated);
    }
    if let Some(ahead) = period::month_ahead(cursor) {
        return Some(match ahead {
            Ahead::Coming => Day::Nth(nth),
            Ahead::Fixed(first) => dated(first),
        });
    }
    let year = period::calendar_year(cursor)?;
    Date::new(year, if place < 0 { 12 } else { 1 }, 1).ok().map(dated)
}

/// Reads "two Sundays from now", "in two Sundays", "three Fridays ago".
fn weeks_away(cursor: &mut Cursor) -> Option<Day> {
    let has_in = cursor.skip("in");
    let count = cursor.count().filter(|count| (1..=520).contains(count))?;
    let day = Day::Weekday(name::weekday(cursor.word()?)?.value);
    let today = cursor.today();
    if !has_in && cursor.skip("ago") {
        return days_after(day.last_before(today)?, -7 * (count - 1)).map(Day::Date);
    }
    if !has_in {
        cursor.take("from")?;
        cursor.take_any(&["now", "today"])?;
    }
    let coming = day.next_from(days_after(today, 1)?, None)?;
    days_after(coming, 7 * (count - 1)).map(Day::Date)
}

/// Which weekday of its name is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Qualifier {
    /// None: the coming one.
    Bare,
    /// "this": today or the coming one.
    This,
    /// "this coming": after today.
    Coming,
    /// Of the next calendar week.
    Next,
    /// "after next": of the calendar week after that.
    AfterNext,
    /// Before today.
    Last,
}

/// Reads "Sunday", "this coming Sunday", "next Saturday", "the Sunday after next".
fn qualified(cursor: &mut Cursor) -> Option<Day> {
    let before = cursor.before(1);
    cursor.skip("the");
    let qualifier = qualifier(cursor);
    let token = cursor.token(0)?;
    let named = name::weekday(cursor.word()?)?;
    let is_qualified = qualifier != Qualifier::Bare;
    match named.spelling {
        Spelling::Plural if !token.possessive && !is_qualified && !is_owner(cursor) => {
            return None;
        }
        Spelling::Short => {
            let is_clear = is_qualified || BEFORE_SHORT.contains(&before) || before.is_empty();
            let is_ambiguous = cursor.is_within() && name::is_ambiguous(&token.text);
            if is_ambiguous && !is_clear && !is_time_next(cursor) {
                return None;
            }
            let _ = cursor.take_glued(".");
        }
        _ => {}
    }
    if cursor.text(0) == "school" {
        return None;
    }
    if !is_qualified && cursor.take_words("after next").is_some() {
        return place(cursor.today(), named.value, Qualifier::AfterNext);
    }
    place(cursor.today(), named.value, qualifier)
}

fn qualifier(cursor: &mut Cursor) -> Qualifier {
    let this = cursor.skip("this");
    match cursor.take_any(&["next", "last", "past", "coming", "upcoming"]) {
        Some("next") => Qualifier::Next,
        Some("last" | "past") => Qualifier::Last,
        Some(_) => Qualifier::Coming,
        None if this => Qualifier::This,
        None => Qualifier::Bare,
    }
}

/// Whether "thursdays" at the place before is a possessive: "for thursdays rehearsal".
fn is_owner(cursor: &Cursor) -> bool {
    let owns = cursor.token(0).is_some_and(|next| next.kind == Kind::Word);
    cursor.is_within() && cursor.before(2) == "for" && owns && !cursor.is_number_over()
}

/// Whether a clock time or a part of the day, or nothing more, follows.
fn is_time_next(cursor: &Cursor) -> bool {
    let ahead = usize::from(matches!(cursor.text(0), "at" | "@" | "," | "."));
    match cursor.token(ahead) {
        None => true,
        Some(next) => next.kind == Kind::Digits || AFTER_SHORT.contains(&next.text.as_str()),
    }
}

fn place(today: Date, weekday: Weekday, qualifier: Qualifier) -> Option<Day> {
    let day = Day::Weekday(weekday);
    let in_week = |weeks: i64| {
        days_after(monday(today)?, 7 * weeks + i64::from(weekday.to_monday_zero_offset()))
    };
    let date = match qualifier {
        Qualifier::Bare => return Some(day),
        Qualifier::This => day.next_from(today, None)?,
        Qualifier::Coming => day.next_from(days_after(today, 1)?, None)?,
        Qualifier::Next => in_week(1)?,
        Qualifier::AfterNext => in_week(2)?,
        Qualifier::Last => day.last_before(today)?,
    };
    Some(Day::Date(date))
}
