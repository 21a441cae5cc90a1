//! A day as it was said, and the dates that it means.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use crate::times::holiday::Holiday;

/// How many years ahead a date is looked for. February 29 needs eight.
const YEARS_AHEAD: i16 = 12;
/// How many months ahead a day of the month is looked for: "Friday the 13th".
const MONTHS_AHEAD: i64 = 15;

/// A day as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Day {
    /// One date.
    Date(Date),
    /// The coming one.
    Weekday(Weekday),
    /// In this or a later year.
    MonthDay(MonthDay),
    /// In this or a later month.
    OfMonth(i8),
    /// In this or a later year.
    Holiday(Holiday),
    /// "first Sunday in December".
    NthInMonth(NthInMonth),
    /// "the last Friday of the month".
    Nth(Nth),
    /// A day that does not exist: "April 31".
    Impossible,
}

/// A day of a month by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MonthDay {
    pub(crate) month: i8,
    pub(crate) day: i8,
}

/// A place among the days, or the days of one weekday, of a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Nth {
    /// From the start; from the end if negative.
    pub(crate) place: i8,
    /// Every day counts if none is given.
    pub(crate) weekday: Option<Weekday>,
}

/// A place in a month by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NthInMonth {
    pub(crate) nth: Nth,
    pub(crate) month: i8,
}

impl Nth {
    /// The date in the month of `first`, which is a first of a month.
    pub(crate) fn in_month(self, first: Date) -> Option<Date> {
        if let Some(weekday) = self.weekday {
            return first.nth_weekday_of_month(self.place, weekday).ok();
        }
        let day = if self.place > 0 { self.place } else { first.days_in_month() + 1 + self.place };
        Date::new(first.year(), first.month(), day).ok()
    }
}

impl Day {
    /// Whether it is one date whatever the clock says.
    pub(crate) fn is_fixed(self) -> bool {
        matches!(self, Self::Date(_))
    }

    /// The date in a year, if the day occurs once a year and exists in that year.
    pub(crate) fn in_year(self, year: i16) -> Option<Date> {
        match self {
            Self::MonthDay(MonthDay { month, day }) => Date::new(year, month, day).ok(),
            Self::Holiday(holiday) => holiday.in_year(year),
            Self::NthInMonth(NthInMonth { nth, month }) => {
                nth.in_month(Date::new(year, month, 1).ok()?)
            }
            _ => None,
        }
    }

    /// The date in the month of `first`, if the day occurs once a month and exists in that month.
    pub(crate) fn in_month(self, first: Date) -> Option<Date> {
        match self {
            Self::OfMonth(day) => Date::new(first.year(), first.month(), day).ok(),
            Self::Nth(nth) => nth.in_month(first),
            _ => None,
        }
    }

    /// The first date on or after `from` that falls on `weekday`, if one is given.
    pub(crate) fn next_from(self, from: Date, weekday: Option<Weekday>) -> Option<Date> {
        let fits = |date: &Date| weekday.is_none_or(|weekday| date.weekday() == weekday);
        match self {
            Self::Date(date) => Some(date).filter(fits),
            Self::Weekday(day) => {
                from.checked_add(i64::from(from.weekday().until(day)).days()).ok().filter(fits)
            }
            // With a weekday, only the coming one of its kind is meant: it says no year.
            Self::MonthDay(_) | Self::Holiday(_) | Self::NthInMonth(_) => (0..=YEARS_AHEAD)
                .filter_map(|ahead| self.in_year(from.year().checked_add(ahead)?))
                .find(|date| *date >= from)
                .filter(fits),
            Self::OfMonth(_) | Self::Nth(_) => (0..=MONTHS_AHEAD)
                .filter_map(|ahead| {
                    self.in_month(from.first_of_month().checked_add(ahead.months()).ok()?)
                })
                .find(|date| *date >= from && fits(date)),
            Self::Impossible => None,
        }
    }

    /// The last date before `today`, for days that recur.
    pub(crate) fn last_before(self, today: Date) -> Option<Date> {
        match self {
            Self::Weekday(day) => {
                let back = match day.until(today.weekday()) {
                    0 => 7,
                    back => i64::from(back),
                };
                today.checked_sub(back.days()).ok()
            }
            Self::MonthDay(_) | Self::Holiday(_) | Self::NthInMonth(_) => (0..=YEARS_AHEAD)
                .filter_map(|back| self.in_year(today.year().checked_sub(back)?))
                .find(|date| *date < today),
            _ => None,
        }
    }
}

/// The Monday of the week of `date`.
pub(crate) fn monday(date: Date) -> Option<Date> {
    days_after(date, -i64::from(date.weekday().to_monday_zero_offset()))
}

/// The date `days` after `date`, or before it if negative.
pub(crate) fn days_after(date: Date, days: i64) -> Option<Date> {
    date.checked_add(jiff::Span::new().try_days(days).ok()?).ok()
}
