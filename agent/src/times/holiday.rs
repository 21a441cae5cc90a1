//! Holidays, and the rules of their dates.

use jiff::civil::{Date, Weekday};

use crate::times::cursor::Cursor;
use crate::times::day::{Day, days_after};
use crate::times::name;

/// A day with a name, and how its date follows from the year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holiday {
    /// Month and day.
    On(i8, i8),
    /// The n-th weekday of a month, the last if n is -1, and days after it.
    Nth(i8, Weekday, i8, i64),
    /// Days after Easter Sunday.
    Easter(i64),
    /// The n-th Sunday in Advent; the fourth is the last before Christmas.
    Advent(i64),
}

use Holiday::{Advent, Easter, Nth, On};
use Weekday::{Monday, Sunday, Thursday};

/// Names without apostrophes, longer ones before those that they begin with.
const NAMES: &[(&str, Holiday)] = &[
    ("easter sunday", Easter(0)),
    ("easter monday", Easter(1)),
    ("easter saturday", Easter(-1)),
    ("easter day", Easter(0)),
    ("easter eve", Easter(-1)),
    ("easter", Easter(0)),
    ("good friday", Easter(-2)),
    ("holy saturday", Easter(-1)),
    ("maundy thursday", Easter(-3)),
    ("holy thursday", Easter(-3)),
    ("palm sunday", Easter(-7)),
    ("ash wednesday", Easter(-46)),
    ("shrove tuesday", Easter(-47)),
    ("fat tuesday", Easter(-47)),
    ("mardi gras", Easter(-47)),
    ("ascension day", Easter(39)),
    ("ascension thursday", Easter(39)),
    ("pentecost sunday", Easter(49)),
    ("pentecost", Easter(49)),
    ("whit sunday", Easter(49)),
    ("trinity sunday", Easter(56)),
    ("advent sunday", Advent(1)),
    ("thanksgiving eve", Nth(11, Thursday, 4, -1)),
    ("thanksgiving day", Nth(11, Thursday, 4, 0)),
    ("thanksgiving", Nth(11, Thursday, 4, 0)),
    ("black friday", Nth(11, Thursday, 4, 1)),
    ("giving tuesday", Nth(11, Thursday, 4, 5)),
    ("christmas eve", On(12, 24)),
    ("christmas day", On(12, 25)),
    ("christmas", On(12, 25)),
    ("xmas eve", On(12, 24)),
    ("xmas day", On(12, 25)),
    ("xmas", On(12, 25)),
    ("boxing day", On(12, 26)),
    ("new years eve", On(12, 31)),
    ("new year eve", On(12, 31)),
    ("nye", On(12, 31)),
    ("new years day", On(1, 1)),
    ("new year day", On(1, 1)),
    ("new years", On(1, 1)),
    ("epiphany", On(1, 6)),
    ("martin luther king jr day", Nth(1, Monday, 3, 0)),
    ("martin luther king day", Nth(1, Monday, 3, 0)),
    ("mlk jr day", Nth(1, Monday, 3, 0)),
    ("mlk day", Nth(1, Monday, 3, 0)),
    ("mlk", Nth(1, Monday, 3, 0)),
    ("groundhog day", On(2, 2)),
    ("valentines day", On(2, 14)),
    ("valentine day", On(2, 14)),
    ("valentines", On(2, 14)),
    ("presidents day", Nth(2, Monday, 3, 0)),
    ("president day", Nth(2, Monday, 3, 0)),
    ("leap day", On(2, 29)),
    ("st patricks day", On(3, 17)),
    ("st patrick day", On(3, 17)),
    ("saint patricks day", On(3, 17)),
    ("st pattys day", On(3, 17)),
    ("st paddys day", On(3, 17)),
    ("april fools day", On(4, 1)),
    ("april fools", On(4, 1)),
    ("earth day", On(4, 22)),
    ("cinco de mayo", On(5, 5)),
    ("mothers day", Nth(5, Sunday, 2, 0)),
    ("mother day", Nth(5, Sunday, 2, 0)),
    ("memorial day", Nth(5, Monday, -1, 0)),
    ("flag day", On(6, 14)),
    ("juneteenth", On(6, 19)),
    ("fathers day", Nth(6, Sunday, 3, 0)),
    ("father day", Nth(6, Sunday, 3, 0)),
    ("independence day", On(7, 4)),
    ("labor day", Nth(9, Monday, 1, 0)),
    ("labour day", Nth(9, Monday, 1, 0)),
    ("columbus day", Nth(10, Monday, 2, 0)),
    ("indigenous peoples day", Nth(10, Monday, 2, 0)),
    ("halloween", On(10, 31)),
    ("reformation day", On(10, 31)),
    ("all saints day", On(11, 1)),
    ("all souls day", On(11, 2)),
    ("election day", Nth(11, Monday, 1, 1)),
    ("veterans day", On(11, 11)),
    ("veteran day", On(11, 11)),
];

impl Holiday {
    /// The date in a year.
    pub(crate) fn in_year(self, year: i16) -> Option<Date> {
        match self {
            On(month, day) => Date::new(year, month, day).ok(),
            Nth(month, weekday, place, after) => {
                let first = Date::new(year, month, 1).ok()?;
                days_after(first.nth_weekday_of_month(place, weekday).ok()?, after)
            }
            Easter(after) => days_after(easter(year)?, after),
            Advent(place) => {
                let eve = Date::new(year, 12, 24).ok()?;
                let back = i64::from(Weekday::Sunday.until(eve.weekday()));
                days_after(eve, 7 * (place - 4) - back)
            }
        }
    }
}

/// Easter Sunday, by the method of Butcher.
fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let moon = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    let sunday = (32 + 2 * (b % 4) + 2 * (c / 4) - moon - c % 4) % 7;
    let late = (a + 11 * moon + 22 * sunday) / 451;
    let days = moon + sunday - 7 * late + 114;
    Date::new(year, i8::try_from(days / 31).ok()?, i8::try_from(days % 31 + 1).ok()?).ok()
}

/// Reads a holiday: "Easter", "next Christmas", "independence day 2027".
pub(crate) fn holiday(cursor: &mut Cursor) -> Option<Day> {
    cursor.attempt(|cursor| {
        cursor.skip("the");
        let qualifier = cursor.take_any(&["this", "next", "last", "coming", "past"]);
        let day = Day::Holiday(advent(cursor).or_else(|| named(cursor))?);
        if matches!(qualifier, Some("last" | "past")) {
            return day.last_before(cursor.today()).map(Day::Date);
        }
        Some(match cursor.year() {
            Some(year) => day.in_year(year).map_or(Day::Impossible, Day::Date),
            None => day,
        })
    })
}

fn named(cursor: &mut Cursor) -> Option<Holiday> {
    let initial = cursor.text(0).as_bytes().first();
    let mut begin = NAMES.iter().filter(|(names, _)| names.as_bytes().first() == initial);
    begin.find_map(|(names, holiday)| {
        cursor.attempt(|cursor| {
            names.split(' ').try_for_each(|name| {
                let is_like =
                    name::is_like(cursor.text(0), name) || name::is_like(cursor.stem(), name);
                cursor.word().filter(|_| is_like).map(|_| ())
            })?;
            Some(*holiday)
        })
    })
}

/// Reads "first Sunday in Advent".
fn advent(cursor: &mut Cursor) -> Option<Holiday> {
    cursor.attempt(|cursor| {
        let place = cursor.ordinal()?.value;
        cursor.take("sunday")?;
        cursor.take_any(&["in", "of"])?;
        cursor.take("advent")?;
        (1..=4).contains(&place).then_some(Advent(i64::from(place)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holidays_follow_their_rules() {
        let cases = [
            (Easter(0), 2024, "2024-03-31"),
            (Easter(0), 2025, "2025-04-20"),
            (Easter(0), 2026, "2026-04-05"),
            (Easter(0), 2027, "2027-03-28"),
            (Easter(0), 2038, "2038-04-25"),
            (Easter(-46), 2026, "2026-02-18"),
            (Easter(49), 2026, "2026-05-24"),
            (Advent(1), 2025, "2025-11-30"),
            (Advent(4), 2025, "2025-12-21"),
            (Advent(4), 2028, "2028-12-24"),
            (Nth(11, Thursday, 4, 0), 2025, "2025-11-27"),
            (Nth(5, Monday, -1, 0), 2026, "2026-05-25"),
            (Nth(11, Monday, 1, 1), 2026, "2026-11-03"),
        ];
        for (holiday, year, expected) in cases {
            let date = holiday.in_year(year).expect("a date");
            assert_eq!(date.to_string(), expected, "{holiday:?} {year}");
        }
    }

    #[test]
    fn names_come_before_names_that_begin_with_them() {
        for (at, (name, _)) in NAMES.iter().enumerate() {
            let hidden =
                NAMES[..at].iter().any(|(early, _)| name.starts_with(&format!("{early} ")));
            assert!(!hidden, "{name}");
        }
    }
}
