//! From what was said to an instant.

use jiff::civil::{Date, Time};
use jiff::tz::AmbiguousOffset;
use jiff::{Zoned, civil};

use crate::times::day::{Day, days_after};
use crate::times::range::{self, Between};
use crate::times::reading::{Grain, TimeReading};
use crate::times::said::{ClockTime, ClockWords, ClocksWords, Half, Part, Period, Phrase, Said};

/// The last hour of a night, counted to the day before.
const NIGHT_LAST_HOUR: i8 = 5;

/// The time that a phrase means; `None` if there is no such time.
pub(crate) fn phrase(phrase: &Phrase, now: &Zoned) -> Option<TimeReading> {
    let from = said(&phrase.from, now)?;
    let Some(until) = &phrase.until else { return Some(from) };
    let last = said(until, &from.start)?;
    let end = match (&last.end, last.grain) {
        (Some(end), _) => end.clone(),
        (None, Grain::Second | Grain::Minute | Grain::Hour) => last.start.clone(),
        (None, Grain::Day) => midnight(days_after(last.start.date(), 1)?, now)?,
        (None, _) => midnight(until.period?.after, now)?,
    };
    let grain = from.grain.min(last.grain);
    (end > from.start).then_some(TimeReading { start: from.start, end: Some(end), grain })
}

/// What a phrase says about the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Days {
    /// Nothing.
    Unsaid,
    /// One day.
    Day(Day),
    /// Several days.
    Period(Period),
}

/// What was said about the day, with a day of a period as its date: "Friday next week".
pub(crate) fn days(said: &Said) -> Option<Days> {
    let (day, period) = match (said.day, said.period) {
        (None, None) => return Some(Days::Unsaid),
        (Some(day), None) => return Some(Days::Day(day)),
        (None, Some(period)) => return Some(Days::Period(period)),
        (Some(day), Some(period)) => (day, period),
    };
    let is_long = matches!(period.grain, Grain::Month | Grain::Quarter | Grain::Year);
    if is_long && matches!(day, Day::Weekday(_)) {
        return None;
    }
    let date = match day {
        Day::Date(date) => date,
        _ => day.next_from(period.first, said.weekday)?,
    };
    let is_in = period.first <= date && date < period.after;
    is_in.then_some(Days::Day(Day::Date(date)))
}

fn said(said: &Said, now: &Zoned) -> Option<TimeReading> {
    if let Some(instant) = &said.instant {
        return Some(TimeReading { start: instant.at.clone(), end: None, grain: instant.grain });
    }
    let day = match days(said)? {
        Days::Unsaid => None,
        Days::Day(day) => Some(day),
        Days::Period(period) if said.clocks.is_none() && said.part.is_none() => {
            return whole(period, now);
        }
        Days::Period(_) => return None,
    };
    let place = Place { now, day, said };
    match (said.clocks, said.part) {
        (Some(ClocksWords::At(clock)), _) => place.at(clock),
        (Some(ClocksWords::Between(words)), part) => place.between(
            range::place_both(words, part.map(Part::half)),
            words.from.grain.min(words.until.grain),
        ),
        (None, Some(part)) => place.part(part),
        (None, None) => place.whole_day(),
    }
}

fn whole(period: Period, now: &Zoned) -> Option<TimeReading> {
    let end = if period.has_end { Some(midnight(period.after, now)?) } else { None };
    Some(TimeReading { start: midnight(period.first, now)?, end, grain: period.grain })
}

/// A day, and what else was said about it.
struct Place<'a> {
    now: &'a Zoned,
    day: Option<Day>,
    said: &'a Said,
}

impl Place<'_> {
    /// The date that is meant: the first on which `start` lies ahead, if no date was said.
    fn date(&self, start: impl Fn(Date) -> Option<Zoned>) -> Option<Date> {
        let today = self.now.date();
        let tomorrow = days_after(today, 1)?;
        let dates = match self.day {
            None => [Some(today), Some(tomorrow)],
            Some(day @ Day::Weekday(_)) => [today, tomorrow].map(|from| day.next_from(from, None)),
            Some(day) => return day.next_from(today, self.said.weekday),
        };
        dates.into_iter().flatten().find(|date| start(*date).is_some_and(|at| at > *self.now))
    }

    fn whole_day(&self) -> Option<TimeReading> {
        let day = self.day?;
        let from = match day {
            Day::Weekday(_) => days_after(self.now.date(), 1)?,
            _ => self.now.date(),
        };
        let date = day.next_from(from, self.said.weekday)?;
        Some(TimeReading { start: midnight(date, self.now)?, end: None, grain: Grain::Day })
    }

    fn part(&self, part: Part) -> Option<TimeReading> {
        let start = |date| hour(date, part.first_hour(), self.now);
        let date = self.date(start)?;
        let end = hour(date, part.last_hour(), self.now)?;
        Some(TimeReading { start: start(date)?, end: Some(end), grain: Grain::Hour })
    }

    fn at(&self, words: ClockWords) -> Option<TimeReading> {
        let clock = range::place(words, self.said.part.map(Part::half));
        let start = |date| self.instant(date, clock);
        let date = self.date(start)?;
        let mut at = start(date)?;
        // "today at 9", said in the afternoon, is in the evening.
        if !clock.is_exact && clock.hour < 12 && date == self.now.date() && at <= *self.now {
            let later = self.instant(date, ClockTime { hour: clock.hour + 12, ..clock })?;
            if later > *self.now {
                at = later;
            }
        }
        Some(TimeReading { start: at, end: None, grain: words.grain })
    }

    fn between(&self, between: Between, grain: Grain) -> Option<TimeReading> {
        let start = |date| self.instant(date, between.from);
        let start = start(self.date(start)?)?;
        let over_midnight = i64::from(!range::is_before(between.from, between.until));
        let end = zoned(days_after(start.date(), over_midnight)?, between.until, self.now)?;
        (end > start).then_some(TimeReading { start, end: Some(end), grain })
    }

    /// A clock time on a date. The small hours of a night, and midnight of today, belong to the
    /// date after.
    fn instant(&self, date: Date, clock: ClockTime) -> Option<Zoned> {
        let is_night = self.said.part.map(Part::half) == Some(Half::Night);
        let is_midnight =
            clock.hour == 0 && clock.minute == 0 && self.day == Some(Day::Date(self.now.date()));
        let is_late = self.day.is_some() && is_night && clock.hour < NIGHT_LAST_HOUR;
        zoned(days_after(date, i64::from(is_late || is_midnight))?, clock, self.now)
    }
}

/// The first instant of a date.
fn midnight(date: Date, now: &Zoned) -> Option<Zoned> {
    first_instant(date.at(0, 0, 0, 0), now)
}

/// An hour from 0 to 24 of a date.
fn hour(date: Date, hour: i8, now: &Zoned) -> Option<Zoned> {
    if hour == 24 {
        return midnight(days_after(date, 1)?, now);
    }
    first_instant(date.at(hour, 0, 0, 0), now)
}

fn zoned(date: Date, clock: ClockTime, now: &Zoned) -> Option<Zoned> {
    let time = Time::new(clock.hour, clock.minute, clock.second, 0).ok()?;
    first_instant(date.to_datetime(time), now)
}

/// The first instant that a clock in the zone of `now` shows a time; in a gap, the first after it.
pub(crate) fn first_instant(time: civil::DateTime, now: &Zoned) -> Option<Zoned> {
    let zone = now.time_zone();
    let zoned = zone.to_ambiguous_zoned(time);
    let is_gap = matches!(zoned.offset(), AmbiguousOffset::Gap { .. });
    let earlier = zoned.earlier().ok()?;
    if !is_gap {
        return Some(earlier);
    }
    let change = zone.following(earlier.timestamp()).next()?;
    Some(change.timestamp().to_zoned(zone.clone()))
}
