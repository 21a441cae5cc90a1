//! Rules for distances: "in 3 days", "an hour and a half from now", "the day before Easter".

use jiff::civil::Date;
use jiff::{SignedDuration, Span};

use crate::times::cursor::Cursor;
use crate::times::day::{Day, days_after};
use crate::times::reading::Grain;
use crate::times::said::Instant;
use crate::times::token::Kind;
use crate::times::{grammar, name};

/// A distance in time. Months and days are of the calendar, quarters of an hour elapse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Distance {
    months: i64,
    days: i64,
    seconds: i64,
    /// Whether minutes, seconds or a fraction were said, not only hours.
    is_fine: bool,
}

/// Where a distance leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Day(Day),
    Instant(Instant),
}

/// A unit of a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Seconds(i64),
    Days(i64),
    Months(i64),
}

impl Distance {
    fn negated(self) -> Self {
        Self { months: -self.months, days: -self.days, seconds: -self.seconds, ..self }
    }

    /// Adds `quarters` quarters of a unit; fails where that is not a whole number.
    fn with(self, quarters: i64, unit: Unit) -> Option<Self> {
        let whole = |size: i64| {
            let total = quarters.checked_mul(size)?;
            (total % 4 == 0).then_some(total / 4)
        };
        Some(match unit {
            Unit::Seconds(size) => Self {
                seconds: self.seconds.checked_add(whole(size)?)?,
                is_fine: self.is_fine || size < 3600 || quarters % 4 != 0,
                ..self
            },
            Unit::Days(size) => Self { days: self.days + whole(size)?, ..self },
            Unit::Months(size) => Self { months: self.months + whole(size)?, ..self },
        })
    }

    /// The calendar day at this distance.
    fn added_to(self, date: Date) -> Option<Date> {
        let span = Span::new().try_months(self.months).ok()?.try_days(self.days).ok()?;
        date.checked_add(span).ok()
    }
}

/// Reads "now", "in 20 minutes", "3 days ago", "two weeks from now".
pub(crate) fn distance(cursor: &mut Cursor) -> Option<Target> {
    cursor.attempt(now).or_else(|| {
        cursor.attempt(|cursor| {
            let has_in = cursor.skip("in");
            let length = length(cursor)?;
            if has_in {
                cursor.take_any(&["time"]);
                cursor.take_words("from now");
                return target(cursor, length);
            }
            if cursor.skip("ago") {
                return target(cursor, length.negated());
            }
            cursor.take_words("from now").or_else(|| cursor.take("hence"))?;
            target(cursor, length)
        })
    })
}

/// Reads "now" and "right now"; in a longer text "now" is only a filler.
fn now(cursor: &mut Cursor) -> Option<Target> {
    let is_clear = cursor.skip("right") || !cursor.is_within();
    cursor.take("now").filter(|()| is_clear)?;
    Some(Target::Instant(Instant { at: cursor.now().clone(), grain: Grain::Second }))
}

fn target(cursor: &Cursor, distance: Distance) -> Option<Target> {
    if distance.seconds == 0 {
        return distance.added_to(cursor.today()).map(Day::Date).map(Target::Day);
    }
    let span = Span::new().try_months(distance.months).ok()?.try_days(distance.days).ok()?;
    let at = cursor.now().checked_add(span).ok()?;
    let at = at.checked_add(SignedDuration::from_secs(distance.seconds)).ok()?;
    let grain = if distance.is_fine { Grain::Second } else { Grain::Minute };
    Some(Target::Instant(Instant { at, grain }))
}

/// Reads a length: "an hour and a half", "2 hours 30 minutes", "half an hour", "1.5 hours".
fn length(cursor: &mut Cursor) -> Option<Distance> {
    let mut sum = term(cursor, Distance::default())?;
    while let Some(more) = cursor.attempt(|cursor| {
        cursor.skip(",");
        cursor.skip("and");
        term(cursor, sum)
    }) {
        sum = more;
    }
    Some(sum)
}

fn term(cursor: &mut Cursor, sum: Distance) -> Option<Distance> {
    cursor.attempt(|cursor| {
        let quarters = quarters(cursor)?;
        let unit = unit(cursor)?;
        let half = cursor.take_words("and a half").map_or(0, |()| 2);
        sum.with(quarters + half, unit)
    })
}

/// Reads a number of units in quarters: "2", "a couple of", "half an", "two and a half".
fn quarters(cursor: &mut Cursor) -> Option<i64> {
    let fraction = cursor.attempt(|cursor| {
        cursor.skip("a");
        let parts = match cursor.take_any(&["half", "quarter"]) {
            Some("half") => 2,
            Some(_) => 1,
            None => {
                cursor.take("three")?;
                cursor.take_any(&["quarters"])?;
                3
            }
        };
        cursor.skip("of");
        // "half hour", "a quarter of an hour"; a calendar quarter is read as a unit.
        cursor.take_any(&["a", "an"]);
        (parts == 2 || cursor.text(0) == "hour").then_some(parts)
    });
    if fraction.is_some() {
        return fraction;
    }
    if cursor.take_any(&["a", "an"]).is_some() {
        let couple = cursor.skip("couple");
        let _ = couple.then(|| cursor.take("of"));
        return Some(if couple { 8 } else { 4 });
    }
    let whole = 4 * cursor.count()?;
    if cursor.take_words("and a half").is_some() {
        return Some(whole + 2);
    }
    let decimal = cursor.attempt(|cursor| {
        cursor.take_glued(".")?;
        match cursor
            .token(0)
            .filter(|token| token.glued && token.kind == Kind::Digits)?
            .text
            .as_str()
        {
            "0" => Some(0),
            "25" => Some(1),
            "5" | "50" => Some(2),
            "75" => Some(3),
            _ => None,
        }
    });
    if decimal.is_some() {
        cursor.go_to(cursor.at() + 1);
    }
    Some(whole + decimal.unwrap_or(0))
}

fn unit(cursor: &mut Cursor) -> Option<Unit> {
    cursor.attempt(|cursor| {
        Some(match cursor.word()? {
            "second" | "seconds" | "sec" | "secs" => Unit::Seconds(1),
            "minute" | "minutes" | "min" | "mins" => Unit::Seconds(60),
            "hour" | "hours" | "hr" | "hrs" | "h" => Unit::Seconds(3600),
            "day" | "days" => Unit::Days(1),
            "week" | "weeks" | "wk" | "wks" => Unit::Days(7),
            "fortnight" | "fortnights" => Unit::Days(14),
            "month" | "months" => Unit::Months(1),
            "quarter" | "quarters" => Unit::Months(3),
            "year" | "years" | "yr" | "yrs" => Unit::Months(12),
            _ => return None,
        })
    })
}

/// Reads a day by its distance from another: "a week from Friday", "the day before Easter",
/// "the Sunday after Christmas".
pub(crate) fn anchored(cursor: &mut Cursor) -> Option<Day> {
    cursor.attempt(|cursor| {
        cursor.attempt(weekday_beside).or_else(|| cursor.attempt(days_beside)).map(Day::Date)
    })
}

/// Passes "before" or "after"; true for "after".
fn is_after(cursor: &mut Cursor) -> Option<bool> {
    let word = cursor.take_any(&["before", "after", "following", "from", "preceding"])?;
    Some(!matches!(word, "before" | "preceding"))
}

/// The date that a nested phrase means.
fn anchor(cursor: &mut Cursor) -> Option<Date> {
    cursor.skip("the");
    let day = cursor.nested(grammar::day)?;
    let today = cursor.today();
    let from = if matches!(day, Day::Weekday(_)) { days_after(today, 1)? } else { today };
    day.next_from(from, None)
}

fn days_beside(cursor: &mut Cursor) -> Option<Date> {
    cursor.skip("the");
    let length = match cursor.take("day") {
        Some(()) => Distance { days: 1, ..Distance::default() },
        None => length(cursor).filter(|length| length.seconds == 0)?,
    };
    let is_after = is_after(cursor)?;
    let anchor = anchor(cursor)?;
    if is_after { length } else { length.negated() }.added_to(anchor)
}

fn weekday_beside(cursor: &mut Cursor) -> Option<Date> {
    cursor.skip("the");
    let place = cursor.ordinal().map_or(1, |ordinal| i64::from(ordinal.value));
    let day = Day::Weekday(name::weekday(cursor.word()?)?.value);
    if cursor.text(0) == "from" || !(1..=52).contains(&place) {
        return None;
    }
    let is_after = is_after(cursor)?;
    let anchor = anchor(cursor)?;
    if is_after {
        days_after(day.next_from(days_after(anchor, 1)?, None)?, 7 * (place - 1))
    } else {
        days_after(day.last_before(anchor)?, -7 * (place - 1))
    }
}
