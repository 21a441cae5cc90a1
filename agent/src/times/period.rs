//! Rules for weeks, weekends, months, quarters and years, and for their ends.

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use crate::times::cursor::Cursor;
use crate::times::day::{Day, days_after, monday};
use crate::times::grammar;
use crate::times::reading::Grain;
use crate::times::said::Period;
use crate::times::token::Kind;
use crate::times::{date, name};

/// A month relative to the present one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// "the month": this one, or a later one if the day has passed.
    Coming,
    /// The first day of the month.
    Fixed(Date),
}

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Week,
    Weekend,
    Month,
    Quarter,
    Year,
}

/// Reads "next month", "the month after next", "the month".
pub(crate) fn month_ahead(cursor: &mut Cursor) -> Option<Ahead> {
    cursor.attempt(|cursor| {
        let has_article = cursor.skip("the");
        let step = step(cursor);
        if unit(cursor)? != Unit::Month {
            return None;
        }
        let after_next = cursor.take_words("after next").is_some();
        match (step, after_next) {
            (None, false) => has_article.then_some(Ahead::Coming),
            (Some(_), true) => None,
            (None, true) => Some(Ahead::Fixed(shifted(Unit::Month, cursor.today(), 2)?.first)),
            (Some(step), false) => {
                Some(Ahead::Fixed(shifted(Unit::Month, cursor.today(), step)?.first))
            }
        }
    })
}

/// Reads a period: "next week", "this weekend", "October 2026", "Q2", "in 2027".
pub(crate) fn period(cursor: &mut Cursor) -> Option<Period> {
    cursor
        .attempt(relative)
        .or_else(|| cursor.attempt(of_day))
        .or_else(|| cursor.attempt(quarter))
        .or_else(|| cursor.attempt(month))
        .or_else(|| cursor.attempt(year))
}

/// Reads "end of the month", "start of next week": the last or the first day.
pub(crate) fn edge(cursor: &mut Cursor) -> Option<Day> {
    cursor.attempt(|cursor| {
        cursor.skip("the");
        let edge = cursor.take_any(&["end", "start", "beginning"])?;
        cursor.take("of")?;
        let period = cursor.attempt(|cursor| {
            cursor.skip("the");
            let unit = unit(cursor).filter(|unit| *unit != Unit::Weekend)?;
            shifted(unit, cursor.today(), 0)
        });
        let period =
            period.or_else(|| cursor.attempt(relative)).or_else(|| self::period(cursor))?;
        Some(Day::Date(if edge == "end" { days_after(period.after, -1)? } else { period.first }))
    })
}

/// Passes "this", "next" or "last", as a number of units from the present one.
fn step(cursor: &mut Cursor) -> Option<i64> {
    match cursor.take_any(&["this", "current", "next", "coming", "upcoming", "last", "previous"])? {
        "this" | "current" => Some(0),
        "last" | "previous" => Some(-1),
        _ => Some(1),
    }
}

fn unit(cursor: &mut Cursor) -> Option<Unit> {
    cursor.attempt(|cursor| {
        Some(match cursor.word()? {
            "week" | "wk" => Unit::Week,
            "weekend" | "wknd" | "wkend" => Unit::Weekend,
            "month" => Unit::Month,
            "quarter" => Unit::Quarter,
            "year" | "yr" => Unit::Year,
            word if name::is_like(word, "weekend") => Unit::Weekend,
            _ => return None,
        })
    })
}

/// The period `steps` units from the one that contains `date`.
fn shifted(unit: Unit, date: Date, steps: i64) -> Option<Period> {
    let first_of_month = date.first_of_month();
    let (first, length, grain) = match unit {
        Unit::Week => (days_after(monday(date)?, 7 * steps)?, 7.days(), Grain::Week),
        Unit::Weekend => (days_after(monday(date)?, 7 * steps + 5)?, 2.days(), Grain::Day),
        Unit::Month => {
            let span = Span::new().try_months(steps).ok()?;
            (first_of_month.checked_add(span).ok()?, 1.month(), Grain::Month)
        }
        Unit::Quarter => {
            let month = (date.month() - 1) / 3 * 3 + 1;
            let first = Date::new(date.year(), month, 1).ok()?;
            (first.checked_add((3 * steps).months()).ok()?, 3.months(), Grain::Quarter)
        }
        Unit::Year => {
            let year = date.year().checked_add(i16::try_from(steps).ok()?)?;
            (Date::new(year, 1, 1).ok()?, 1.year(), Grain::Year)
        }
    };
    let after = first.checked_add(length).ok()?;
    Some(Period { first, after, grain, has_end: unit == Unit::Weekend })
}

/// Reads "next week", "the week after next", "the weekend".
fn relative(cursor: &mut Cursor) -> Option<Period> {
    let has_article = cursor.skip("the") || cursor.before(1) == "the";
    let step = step(cursor);
    let unit = unit(cursor)?;
    let steps = if cursor.take_words("after next").is_some() {
        if step.is_some() {
            return None;
        }
        2
    } else {
        let weekend = Some(0).filter(|_| has_article && unit == Unit::Weekend);
        step.or(weekend).filter(|_| cursor.text(0) != "of")?
    };
    shifted(unit, cursor.today(), steps)
}

/// Reads "the week of the 12th", "the weekend of October 4".
fn of_day(cursor: &mut Cursor) -> Option<Period> {
    cursor.skip("the");
    let unit = unit(cursor).filter(|unit| matches!(unit, Unit::Week | Unit::Weekend))?;
    cursor.take("of")?;
    let day = cursor.nested(grammar::day)?;
    shifted(unit, day.next_from(cursor.today(), None)?, 0)
}

/// Reads "Q2 2026", "the first quarter of 2026", "the third quarter of next year".
fn quarter(cursor: &mut Cursor) -> Option<Period> {
    cursor.skip("the");
    let (number, needs_year) = match cursor.take("q") {
        Some(()) => (cursor.glued_digits(1)?, false),
        None => {
            let number = match cursor.take("last") {
                Some(()) => 4,
                None => i64::from(cursor.ordinal()?.value),
            };
            cursor.take("quarter")?;
            (number, true)
        }
    };
    let number = i8::try_from(number).ok().filter(|number| (1..=4).contains(number))?;
    let year = cursor.attempt(|cursor| {
        cursor.skip("of");
        calendar_year(cursor)
    });
    let today = cursor.today();
    let in_year = |year| shifted(Unit::Quarter, Date::new(year, number * 3 - 2, 1).ok()?, 0);
    match year {
        Some(year) => in_year(year),
        None if needs_year => None,
        None => {
            let now = in_year(today.year())?;
            if now.after > today { Some(now) } else { in_year(today.year().checked_add(1)?) }
        }
    }
}

/// Reads "2027", "next year", "the year".
pub(crate) fn calendar_year(cursor: &mut Cursor) -> Option<i16> {
    cursor.attempt(|cursor| {
        if let Some(year) = cursor.year() {
            return Some(year);
        }
        let has_article = cursor.skip("the");
        let step = step(cursor).or(has_article.then_some(0))?;
        if unit(cursor)? != Unit::Year {
            return None;
        }
        cursor.today().year().checked_add(i16::try_from(step).ok()?)
    })
}

/// Reads "in March", "next May", "October 2026".
fn month(cursor: &mut Cursor) -> Option<Period> {
    let is_introduced = matches!(cursor.before(1), "in" | "by" | "until" | "since" | "of" | "for");
    let step = step(cursor);
    let month = date::month(cursor)?;
    let year = cursor.year();
    let is_clear = !cursor.is_within() || is_introduced || step.is_some() || year.is_some();
    let is_day = cursor.token(0).is_some_and(|next| next.kind == Kind::Digits);
    if !is_clear || is_day {
        return None;
    }
    let present = cursor.today().first_of_month();
    let in_year = |year| Date::new(year, month, 1).ok();
    let first = match (year, step) {
        (Some(year), _) => in_year(year)?,
        (None, Some(-1)) => in_year(present.year())
            .filter(|first| *first < present)
            .or(in_year(present.year() - 1))?,
        (None, step) => {
            let ahead = |first: &Date| *first > present || (*first == present && step != Some(1));
            in_year(present.year()).filter(ahead).or(in_year(present.year() + 1))?
        }
    };
    shifted(Unit::Month, first, 0)
}

/// Reads "in 2027" and "the year 2027"; "2027" only where it is the whole text.
fn year(cursor: &mut Cursor) -> Option<Period> {
    let is_introduced = cursor.before(1) == "in";
    cursor.skip("the");
    let is_named = cursor.skip("year");
    let year = cursor.year().filter(|year| *year >= 2000)?;
    let is_clear = is_introduced || is_named || !cursor.is_within();
    shifted(Unit::Year, Date::new(year, 1, 1).ok().filter(|_| is_clear)?, 0)
}
