//! Which service is meant: what a request says about it, looked up among the services of the
//! church.

use jiff::civil::{Date, Time};
use jiff::{ToSpan, Zoned};

use super::said::Said;
use crate::church::{ChurchWords, WeeklyService};
use crate::times::{Part, SaidDay};

/// How far ahead a service is looked for if no day is said.
const DAYS_NEAR: i64 = 14;
/// How many days of a longer period are looked at.
const DAYS_OF_PERIOD: i64 = 62;
/// How an instant is written.
const FORMAT: &str = "%Y-%m-%dT%H:%M:%S%:z";

/// The time that a request means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct When {
    /// The time of the service (RFC 3339), if it is one.
    pub(super) time: Option<String>,
    /// The day, if it says one and no service of that day.
    pub(super) date: Option<String>,
    /// Whether it says a clock time at which there is no service.
    pub(super) unknown: bool,
}

/// What a request says about its service.
#[derive(Debug, Clone, Copy)]
struct Wanted<'t> {
    day: SaidDay,
    clock: Option<Time>,
    either_half: bool,
    part: Option<Part>,
    named: Option<&'t str>,
}

/// Returns what is said about one service as a whole. Times that lie behind and limits say nothing
/// about it.
pub(super) fn together(times: &[Said]) -> Said {
    let meant = times.iter().filter(|said| !said.past && !said.is_limit);
    // "two weeks to Christmas, 3 ushers for Sunday 9am"
    let dated = meant.clone().find(|it| it.is_service() && it.day != SaidDay::Unsaid);
    let mut all = Said { day: dated.map_or(SaidDay::Unsaid, |it| it.day), ..Said::UNSAID };
    for said in meant {
        all.day = both(all.day, said.day).unwrap_or(all.day);
        if all.clock.is_none() && all.named.is_none() {
            all.clock = said.clock;
            all.either_half = said.either_half;
            all.named.clone_from(&said.named);
        }
        all.part = all.part.or(said.part);
        all.all |= said.all;
    }
    all
}

/// Whether it stays open which of several days is meant: "Thanksgiving week Wednesday".
pub(super) fn contradicts(times: &[Said]) -> bool {
    let mut days = times.iter().filter(|it| !it.past && !it.is_limit).map(|it| it.day);
    // A service with a day of its own is meant, whatever else is said.
    let dated = times.iter().any(|it| it.is_service() && it.day != SaidDay::Unsaid);
    !dated && days.try_fold(SaidDay::Unsaid, both).is_none()
}

/// Returns the day that two sayings mean: "Sun. Oct. 5", "next week ... Sunday". They may
/// contradict each other.
pub(super) fn both(one: SaidDay, other: SaidDay) -> Option<SaidDay> {
    match (one, other) {
        (day, SaidDay::Unsaid | SaidDay::Impossible) => Some(day),
        (SaidDay::Unsaid, day) => Some(day),
        (SaidDay::Weekday(day), SaidDay::Exact(date))
        | (SaidDay::Exact(date), SaidDay::Weekday(day)) => {
            (date.weekday() == day).then_some(SaidDay::Exact(date))
        }
        // "Wednesday is off this week" means the coming one.
        (SaidDay::Weekday(_), SaidDay::Period { .. }) => Some(one),
        (SaidDay::Period { first, after }, SaidDay::Weekday(day)) => {
            let to_day = i64::from(first.weekday().until(day));
            let date = first.checked_add(to_day.days()).ok().filter(|date| *date < after)?;
            let next = date.checked_add(1.week()).ok()?;
            (next >= after).then_some(SaidDay::Exact(date))
        }
        (SaidDay::Exact(date), SaidDay::Period { first, after })
        | (SaidDay::Period { first, after }, SaidDay::Exact(date)) => {
            (first..after).contains(&date).then_some(one)
        }
        (one, other) => (one == other).then_some(one),
    }
}

/// Returns the service that is meant; several, if all services of a day are.
pub(super) fn resolve(said: &Said, now: &Zoned, church: &ChurchWords) -> Vec<When> {
    let wanted = Wanted {
        day: said.day,
        clock: said.clock,
        either_half: said.either_half,
        part: said.part,
        named: said.named.as_deref(),
    };
    let mut found = services(&wanted, now, church);
    // "practice this week" on a Saturday is the next one.
    let begun = matches!(wanted.day, SaidDay::Period { first, .. } if first <= now.date());
    if found.is_empty() && begun && said.is_service() {
        found = services(&Wanted { day: SaidDay::Unsaid, ..wanted }, now, church);
    }
    let nothing = wanted.clock.is_none() && wanted.named.is_none();
    if nothing && wanted.day == SaidDay::Unsaid && wanted.part.is_none() && !said.all {
        return vec![When::default()];
    }
    let on_day = |first: &Zoned| found.iter().filter(|at| at.date() == first.date()).count();
    if said.all {
        let Some(first) = found.iter().find(|at| on_day(at) > 1) else {
            return vec![When::default()];
        };
        let same = found.iter().filter(|at| at.date() == first.date());
        return same.map(When::at).collect();
    }
    let period = matches!(wanted.day, SaidDay::Period { .. });
    let days_found = found.iter().any(|at| found.first().is_some_and(|it| it.date() != at.date()));
    if period && nothing && (days_found || found.is_empty()) {
        return vec![When::default()];
    }
    let Some(first) = found.first().filter(|_| wanted.day != SaidDay::Unsaid || !nothing) else {
        let date = days(wanted.day, now).into_iter().next();
        let date = date.filter(|_| wanted.day != SaidDay::Unsaid).map(|date| date.to_string());
        return vec![When { time: None, date, unknown: wanted.clock.is_some() }];
    };
    if on_day(first) > 1 {
        return vec![When { date: Some(first.date().to_string()), ..When::default() }];
    }
    vec![When::at(first)]
}

impl When {
    fn at(at: &Zoned) -> Self {
        Self { time: Some(at.strftime(FORMAT).to_string()), ..Self::default() }
    }
}

/// Returns the time until which an answer is wanted: the end of the day if that has begun.
pub(super) fn limit(times: &[Said], now: &Zoned) -> Option<String> {
    let limit = times.iter().find(|said| said.is_limit)?.reading.as_ref()?;
    let begun = &limit.start <= now;
    let at = if begun { limit.start.tomorrow().ok()? } else { limit.start.clone() };
    Some(at.strftime(FORMAT).to_string())
}

/// Returns the services that are meant, the earliest first.
fn services(wanted: &Wanted<'_>, now: &Zoned, church: &ChurchWords) -> Vec<Zoned> {
    let mut found: Vec<Zoned> = days(wanted.day, now)
        .iter()
        .flat_map(|date| church.services.iter().map(move |service| (date, service)))
        .filter(|(date, service)| service.weekday == date.weekday() && wanted.is_met_by(service))
        .filter_map(|(date, service)| {
            date.to_datetime(service.at).to_zoned(now.time_zone().clone()).ok()
        })
        .filter(|at| at > now)
        .collect();
    found.sort();
    found
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
            let all = (0..DAYS_OF_PERIOD).filter_map(|days| first.checked_add(days.days()).ok());
            all.take_while(|date| *date < after).collect()
        }
        SaidDay::Impossible => Vec::new(),
    }
}

impl Wanted<'_> {
    fn is_met_by(&self, service: &WeeklyService) -> bool {
        let hour = service.at.hour();
        let clock = self.clock.is_none_or(|clock| {
            let same =
                clock.hour() == hour || (self.either_half && (clock.hour() + 12) % 24 == hour);
            same && clock.minute() == service.at.minute()
        });
        let named = self.named.is_none_or(|name| service.names.iter().any(|known| known == name));
        let part = self.part.is_none_or(|part| match part {
            Part::Morning => hour < 12,
            Part::Afternoon => (12..18).contains(&hour),
            Part::Evening | Part::Night => hour >= 17,
        });
        clock && named && part
    }
}
