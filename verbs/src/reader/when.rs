//! Which service a text means: a clock time, a day, or a service's name, resolved against the
//! church's week in its own time zone.

use std::ops::Range;

use abide_engine::base::Timestamp;
use abide_engine::base::calendar::MONTHS;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{ToSpan, Zoned};

use super::number::number;
use super::token::Token;

/// How far ahead a service is looked for.
const DAYS_AHEAD: i64 = 400;
/// How far ahead without a date: a bare clock time is the next service at that time.
const DAYS_NEAR: i64 = 14;

/// A service that is held every week.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// What people call it: `first`, `midweek`.
    pub name: String,
    /// Its day.
    pub weekday: Weekday,
    /// Its local time.
    pub at: Time,
}

/// A church's week and its time zone.
#[derive(Debug, Clone)]
pub struct Calendar {
    /// Where its clock times are read.
    pub zone: TimeZone,
    /// What is held every week.
    pub services: Vec<Service>,
}

/// What a text says about a time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct When {
    /// The one service that it means, if it means one.
    pub at: Option<Timestamp>,
    /// The tokens that speak of the time, so that their numbers are not taken for counts.
    pub spans: Vec<Range<usize>>,
}

#[derive(Debug, Default)]
struct Wanted {
    clock: Option<Clock>,
    day: Option<Day>,
    name: Option<String>,
    /// It speaks of a day in a way that this reader does not know.
    beyond_us: bool,
    spans: Vec<Range<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Clock {
    hour: i8,
    minute: i8,
    /// Whether "am" or "pm" was said; without, 9 may be either.
    exact: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Day {
    /// So many days from today.
    Ahead(i64),
    /// The coming one, today included.
    Coming(Weekday),
    /// Of the next calendar week, which begins on Monday.
    NextWeek(Weekday),
    /// Of this or the next year.
    Date(i8, i8),
}

impl Calendar {
    /// The first service after `now` that `matches`.
    fn next(
        &self,
        now: Timestamp,
        days: i64,
        matches: impl Fn(&Service, Date) -> bool,
    ) -> Vec<Timestamp> {
        let today = now.to_jiff().to_zoned(self.zone.clone()).date();
        let mut found: Vec<Timestamp> = (0..=days)
            .filter_map(|ahead| today.checked_add(ahead.days()).ok())
            .flat_map(|date| {
                self.services
                    .iter()
                    .filter(move |service| service.weekday == date.weekday())
                    .filter(|service| matches(service, date))
                    .filter_map(move |service| self.instant(date, service.at))
                    .collect::<Vec<_>>()
            })
            .filter(|at| *at > now)
            .collect();
        found.sort_unstable();
        found
    }

    fn instant(&self, date: Date, time: Time) -> Option<Timestamp> {
        let zoned: Zoned = date.to_datetime(time).to_zoned(self.zone.clone()).ok()?;
        Some(Timestamp::from_jiff(zoned.timestamp()))
    }
}

/// What the tokens say about a time.
pub(super) fn read(tokens: &[Token], now: Timestamp, calendar: &Calendar) -> When {
    let wanted = wanted(tokens, calendar);
    let at = resolve(&wanted, now, calendar);
    When { at, spans: wanted.spans }
}

fn resolve(wanted: &Wanted, now: Timestamp, calendar: &Calendar) -> Option<Timestamp> {
    if wanted.beyond_us || (wanted.clock.is_none() && wanted.day.is_none() && wanted.name.is_none())
    {
        return None;
    }
    let today = now.to_jiff().to_zoned(calendar.zone.clone()).date();
    let days = if matches!(wanted.day, Some(Day::Date(..))) { DAYS_AHEAD } else { DAYS_NEAR };
    let found = calendar.next(now, days, |service, date| {
        wanted.clock.is_none_or(|clock| clock.is(service.at))
            && wanted.name.as_ref().is_none_or(|name| *name == service.name)
            && wanted.day.is_none_or(|day| day.is(date, today))
    });
    let first = *found.first()?;
    let first_day = first.to_jiff().to_zoned(calendar.zone.clone()).date();
    let same_day = found
        .iter()
        .filter(|at| at.to_jiff().to_zoned(calendar.zone.clone()).date() == first_day)
        .count();
    // A day alone names a service only where that day has one.
    (same_day == 1).then_some(first)
}

impl Clock {
    fn is(self, time: Time) -> bool {
        let hour_fits =
            self.hour == time.hour() || (!self.exact && (self.hour + 12) % 24 == time.hour());
        hour_fits && self.minute == time.minute()
    }
}

impl Day {
    fn is(self, date: Date, today: Date) -> bool {
        let ahead = |days: i64| today.checked_add(days.days()).is_ok_and(|day| day == date);
        match self {
            Self::Ahead(days) => ahead(days),
            Self::Coming(weekday) => date.weekday() == weekday && (0..7).any(ahead),
            Self::NextWeek(weekday) => {
                let monday = 7 - i64::from(today.weekday().to_monday_zero_offset());
                ahead(monday + i64::from(weekday.to_monday_zero_offset()))
            }
            Self::Date(month, day) => date.month() == month && date.day() == day,
        }
    }
}

fn wanted(tokens: &[Token], calendar: &Calendar) -> Wanted {
    let mut wanted = Wanted::default();
    let mut at = 0;
    while at < tokens.len() {
        let before = at.checked_sub(1).and_then(|ix| tokens[ix].word()).unwrap_or_default();
        let word = tokens[at].word().unwrap_or_default();
        let after = tokens.get(at + 1).and_then(Token::word).unwrap_or_default();
        let taken = if let Some((clock, len)) = clock(before, word, after) {
            wanted.clock = Some(clock);
            len
        } else if let Some((day, len)) = day(word, after) {
            wanted.beyond_us |= wanted.day.is_some_and(|known| known != day);
            wanted.day = Some(day);
            len
        } else if let Some(service) = named(word, after, calendar) {
            wanted.name = Some(service);
            2
        } else {
            wanted.beyond_us |= is_beyond(before, word, after);
            0
        };
        if taken > 0 {
            wanted.spans.push(at..at + taken);
        }
        at += taken.max(1);
    }
    wanted
}

/// A clock time at `word`: `9am`, `9:30`, `9 am`, `nine o'clock`, `at 9`, `9 service`, `noon`.
fn clock(before: &str, word: &str, after: &str) -> Option<(Clock, usize)> {
    if word == "noon" {
        return Some((Clock { hour: 12, minute: 0, exact: true }, 1));
    }
    let (body, suffix) = ["am", "pm", "a", "p"]
        .iter()
        .find_map(|suffix| Some((word.strip_suffix(suffix)?, *suffix)))
        .filter(|(body, _)| body.ends_with(|c: char| c.is_ascii_digit()))
        .unwrap_or((word, ""));
    let (hour, minute) = match body.split_once(':') {
        Some((hour, minute)) if minute.len() == 2 => (hour.parse().ok()?, minute.parse().ok()?),
        Some(_) => return None,
        None => (i8::try_from(number(body)?).ok()?, 0_i8),
    };
    let next_is = |words: &[&str]| words.contains(&after);
    let (half, len) = match (suffix, next_is(&["am", "pm"])) {
        ("", true) => (&after[..1], 2),
        ("", false) if next_is(&["oclock"]) => ("", 2),
        ("", false) if body.contains(':') || next_is(&["service"]) || before == "at" => ("", 1),
        ("", false) => return None,
        (suffix, _) => (&suffix[..1], 1),
    };
    if !(0..24).contains(&hour)
        || !(0..60).contains(&minute)
        || (!half.is_empty() && !(1..=12).contains(&hour))
    {
        return None;
    }
    let hour = match half {
        "a" => hour % 12,
        "p" => hour % 12 + 12,
        _ => hour,
    };
    Some((Clock { hour, minute, exact: !half.is_empty() || hour > 12 }, len))
}

fn day(word: &str, after: &str) -> Option<(Day, usize)> {
    if let Some((month, day)) = word.split_once('/') {
        let (month, day) = (month.parse().ok()?, day.parse().ok()?);
        return Some((Day::Date(month, day), 1));
    }
    match word {
        "today" | "tonight" => return Some((Day::Ahead(0), 1)),
        "tomorrow" => return Some((Day::Ahead(1), 1)),
        "next" => return weekday(after).map(|day| (Day::NextWeek(day), 2)),
        "this" | "coming" => return weekday(after).map(|day| (Day::Coming(day), 2)),
        _ => {}
    }
    if let Some(day) = weekday(word) {
        return Some((Day::Coming(day), 1));
    }
    let digits = after.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let day = digits.parse().ok().filter(|day| (1..=31).contains(day))?;
    month(word).map(|month| (Day::Date(month, day), 2))
}

fn named(word: &str, after: &str, calendar: &Calendar) -> Option<String> {
    let called = after == "service" || after == "services";
    let known = calendar.services.iter().any(|service| service.name == word);
    (called && known).then(|| word.to_owned())
}

/// Speaks of a day that this reader cannot place: `the 12th`, `in two weeks`, `Easter`.
fn is_beyond(before: &str, word: &str, after: &str) -> bool {
    let ordinal = ["st", "nd", "rd", "th"]
        .iter()
        .filter_map(|suffix| word.strip_suffix(suffix))
        .any(|body| !body.is_empty() && body.bytes().all(|byte| byte.is_ascii_digit()));
    let far = matches!(word, "weeks" | "months" | "weekend" | "fortnight")
        || (word == "week" && matches!(before, "next" | "a" | "after"))
        || (word == "month" && before == "next");
    let feast =
        matches!(word, "easter" | "christmas" | "thanksgiving" | "advent" | "palm" | "july4")
            || (word == "good" && after == "friday");
    ordinal || far || feast || month(word).is_some_and(|_| word != "may" && word != "march")
}

fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" | "mondays" | "mon" => Weekday::Monday,
        "tuesday" | "tuesdays" | "tue" | "tues" => Weekday::Tuesday,
        "wednesday" | "wednesdays" | "wed" => Weekday::Wednesday,
        "thursday" | "thursdays" | "thu" | "thurs" => Weekday::Thursday,
        "friday" | "fridays" | "fri" => Weekday::Friday,
        "saturday" | "saturdays" | "sat" => Weekday::Saturday,
        "sunday" | "sundays" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

fn month(word: &str) -> Option<i8> {
    let at = MONTHS.iter().position(|name| {
        *name == word || (word.len() >= 3 && word.len() <= 4 && name.starts_with(word))
    })?;
    i8::try_from(at + 1).ok()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::reader::token::tokens;

    /// The demo church's week.
    pub(in crate::reader) fn demo() -> Calendar {
        let service = |name: &str, weekday, hour, minute| Service {
            name: name.to_owned(),
            weekday,
            at: Time::constant(hour, minute, 0, 0),
        };
        Calendar {
            zone: TimeZone::get("America/Chicago").expect("a zone"),
            services: vec![
                service("first", Weekday::Sunday, 9, 0),
                service("second", Weekday::Sunday, 11, 0),
                service("midweek", Weekday::Wednesday, 18, 30),
                service("rehearsal", Weekday::Thursday, 19, 0),
            ],
        }
    }

    #[test]
    fn texts_name_services() {
        // Tuesday.
        let now = "2025-09-30T14:20:00-05:00".parse().expect("an instant");
        let calendar = demo();
        let cases = [
            ("for the 9am service", "2025-10-05T09:00:00-05:00"),
            ("for 9am", "2025-10-05T09:00:00-05:00"),
            ("at 9", "2025-10-05T09:00:00-05:00"),
            ("the 9 o'clock", "2025-10-05T09:00:00-05:00"),
            ("nine am", "2025-10-05T09:00:00-05:00"),
            ("Sunday at 11", "2025-10-05T11:00:00-05:00"),
            ("this Sunday at 11:00", "2025-10-05T11:00:00-05:00"),
            ("next Sunday at 9", "2025-10-12T09:00:00-05:00"),
            ("tomorrow", "2025-10-01T18:30:00-05:00"),
            ("Wednesday", "2025-10-01T18:30:00-05:00"),
            ("at 6:30", "2025-10-01T18:30:00-05:00"),
            ("second service", "2025-10-05T11:00:00-05:00"),
            ("October 19th 9am", "2025-10-19T09:00:00-05:00"),
            ("10/12 at 9am", "2025-10-12T09:00:00-05:00"),
            ("Nov 2 at 9am", "2025-11-02T09:00:00-06:00"),
            ("Sunday", "-"),
            ("for the 10am service", "-"),
            ("9pm", "-"),
            ("9am on the 12th", "-"),
            ("9am on Easter", "-"),
            ("9am in two weeks", "-"),
            ("5 spots", "-"),
        ];
        for (text, expected) in cases {
            let found = read(&tokens(text), now, &calendar).at;
            let shown = found.map_or("-".to_owned(), |at| at.in_zone(&calendar.zone));
            assert_eq!(shown, expected, "{text}");
        }
    }

    #[test]
    fn a_service_that_has_begun_means_the_next_one() {
        let calendar = demo();
        for (now, expected) in [
            ("2025-10-05T08:59:59-05:00", "2025-10-05T09:00:00-05:00"),
            ("2025-10-05T09:00:00-05:00", "2025-10-12T09:00:00-05:00"),
        ] {
            let found =
                read(&tokens("the 9am service"), now.parse().expect("an instant"), &calendar);
            assert_eq!(found.at.expect("a service").in_zone(&calendar.zone), expected);
        }
    }
}
