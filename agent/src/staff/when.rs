//! Which service a text means: the times that it says, looked up among the services of the church.

use jiff::civil::{Date, Time};
use jiff::{ToSpan, Zoned};

use super::{mask, role};
use crate::church::{ChurchWords, WeeklyService};
use crate::number::small;
use crate::text::words;
use crate::times::{Cue, FoundTime, SaidClock, SaidDay, find};

/// How far ahead a service is looked for if no day is said.
const DAYS_NEAR: i64 = 14;
/// How an instant is written.
const FORMAT: &str = "%Y-%m-%dT%H:%M:%S%:z";

/// The time that a text means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct When {
    /// The time of the service (RFC 3339), if it is one.
    pub(super) time: Option<String>,
    /// The day, if it says one and no service of that day.
    pub(super) date: Option<String>,
    /// Whether it says a clock time at which there is no service.
    pub(super) unknown: bool,
}

/// What a text says about a service.
#[derive(Debug, Clone, Copy)]
struct Wanted<'c> {
    day: SaidDay,
    clock: Option<Time>,
    /// Whether the clock time may be twelve hours earlier or later.
    either_half: bool,
    named: Option<&'c str>,
}

/// Reads the times of a text. Returns what they mean, and the words of the text with each of them replaced by one
/// word.
pub(super) fn read(text: &str, now: &Zoned, church: &ChurchWords) -> (When, Vec<String>) {
    let found: Vec<FoundTime> =
        find(text, now).into_iter().filter(|time| is_time(time, church)).collect();
    let mut shown = text.to_owned();
    for time in found.iter().rev() {
        shown.replace_range(time.bytes.clone(), &format!(" {} ", mask::TIME));
    }
    let all = words(&shown);
    let spoken: Vec<&str> = all.iter().map(String::as_str).collect();
    let services = mask::services(&spoken, church);
    let named = services.first().map(|span| spoken[span.clone()].join(" "));
    let meant: Vec<&FoundTime> = found.iter().filter(|time| !is_deadline(text, time)).collect();
    let day = meant.iter().map(|time| time.day).find(|day| *day != SaidDay::Unsaid);
    let clock = meant.iter().find_map(|time| match time.clock {
        SaidClock::At(clock) => Some(clock),
        _ => None,
    });
    let said = clock.and_then(|clock| Time::new(clock.hour, clock.minute, 0, 0).ok());
    let (plain, spoken) = match (said, named.is_some()) {
        (None, false) => plain_hour(&spoken, church),
        _ => (None, spoken.iter().map(|word| (*word).to_owned()).collect()),
    };
    let wanted = Wanted {
        day: day.unwrap_or(SaidDay::Unsaid),
        clock: said.or(plain),
        either_half: plain.is_some() || clock.is_some_and(|clock| !clock.is_exact),
        named: named.as_deref(),
    };
    (resolve(&wanted, now, church), spoken)
}

/// Words before an hour that is said without more: "for the 9", "a las 11".
const BEFORE_HOUR: &[&str] = &["the", "for", "at", "las", "to"];
/// The highest hour that is said without more.
const HOUR_MAX: i64 = 12;

/// Finds an hour at which a service begins and that is said without more: "for the 9". It is no hour if a number
/// of people can be meant: "the 9 greeters".
fn plain_hour(words: &[&str], church: &ChurchWords) -> (Option<Time>, Vec<String>) {
    let mut shown: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let mentions = role::mentions(words, church);
    for at in (1..words.len()).rev() {
        let hour = hour(words[at]);
        let Some(hour) = hour.filter(|_| BEFORE_HOUR.contains(&words[at - 1])) else { continue };
        let counts = mentions.iter().any(|mention| mention.at.start == at + 1);
        let service = church.services.iter().any(|service| service.at.hour() == hour);
        if !counts && service {
            mask::TIME.clone_into(&mut shown[at]);
            return (Time::new(hour, 0, 0, 0).ok(), shown);
        }
    }
    (None, shown)
}

/// Returns the hour that a word names.
fn hour(word: &str) -> Option<i8> {
    let named = word.parse().ok().or_else(|| small(word));
    i8::try_from(named.filter(|hour| (1..=HOUR_MAX).contains(hour))?).ok()
}

/// Whether a time is only when somebody must know: "let me know by Friday noon".
fn is_deadline(text: &str, time: &FoundTime) -> bool {
    text[..time.bytes.start].trim_end().to_lowercase().ends_with("by")
}

/// Whether what was found is a time and no count: "for 9" only where a service begins at 9.
fn is_time(time: &FoundTime, church: &ChurchWords) -> bool {
    match time.clock {
        SaidClock::At(clock) if clock.cue == Cue::Place => church.services.iter().any(|service| {
            service.at.hour() % 12 == clock.hour % 12 && service.at.minute() == clock.minute
        }),
        _ => true,
    }
}

fn resolve(wanted: &Wanted<'_>, now: &Zoned, church: &ChurchWords) -> When {
    let nothing = wanted.clock.is_none() && wanted.named.is_none();
    if nothing && wanted.day == SaidDay::Unsaid {
        return When::default();
    }
    let days = days(wanted.day, now);
    let mut found: Vec<Zoned> = days
        .iter()
        .flat_map(|date| church.services.iter().map(move |service| (date, service)))
        .filter(|(date, service)| service.weekday == date.weekday() && wanted.is_met_by(service))
        .filter_map(|(date, service)| {
            date.to_datetime(service.at).to_zoned(now.time_zone().clone()).ok()
        })
        .filter(|at| at > now)
        .collect();
    found.sort();
    let Some(first) = found.first() else {
        let date = days.first().filter(|_| wanted.day != SaidDay::Unsaid);
        let unknown = wanted.clock.is_some();
        return When { time: None, date: date.map(Date::to_string), unknown };
    };
    let same_day = found.iter().filter(|at| at.date() == first.date()).count();
    if same_day > 1 {
        return When { date: Some(first.date().to_string()), ..When::default() };
    }
    When { time: Some(first.strftime(FORMAT).to_string()), ..When::default() }
}

/// Returns the days that may be meant, the earliest first.
fn days(said: SaidDay, now: &Zoned) -> Vec<Date> {
    let today = now.date();
    let ahead = |days: i64| today.checked_add(days.days()).ok();
    match said {
        SaidDay::Unsaid => (0..=DAYS_NEAR).filter_map(ahead).collect(),
        SaidDay::Weekday(weekday) => {
            (0..=DAYS_NEAR).filter_map(ahead).filter(|date| date.weekday() == weekday).collect()
        }
        SaidDay::Exact(date) => vec![date],
        SaidDay::Period { first, after } => {
            let all = (0..62).filter_map(|days: i64| first.checked_add(days.days()).ok());
            all.take_while(|date| *date < after).collect()
        }
        SaidDay::Impossible => Vec::new(),
    }
}

impl Wanted<'_> {
    fn is_met_by(&self, service: &WeeklyService) -> bool {
        let clock = self.clock.is_none_or(|clock| {
            let hour = service.at.hour();
            let same =
                clock.hour() == hour || (self.either_half && (clock.hour() + 12) % 24 == hour);
            same && clock.minute() == service.at.minute()
        });
        let named = self.named.is_none_or(|name| service.names.iter().any(|known| known == name));
        clock && named
    }
}
