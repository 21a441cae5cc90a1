//! Members that are instants or days.

use jiff::ToSpan;

use super::super::tag::Tag;
use super::super::when::{SaidTime, instant};
use super::Filling;

/// Words before the start of a period.
const SINCE: &[&str] = &["since", "from", "after", "between"];
/// Words before its end.
const UNTIL: &[&str] = &["until", "till", "before", "by", "to", "and"];

/// Returns the instant, or the day, that the text says for a member.
pub(super) fn find(filling: &Filling<'_>, member: &str, is_date: bool) -> Option<String> {
    let times: Vec<&SaidTime> = times(filling, member);
    let joined = joined(&times);
    let times: Vec<&SaidTime> = match &joined {
        Some(joined) => vec![joined],
        None => with_clock(member, times),
    };
    let first = *times.first()?;
    if is_date {
        return Some(first.date());
    }
    let last = times.last().copied().unwrap_or(first);
    match member {
        "starts_at" => first.has_clock.then(|| first.instant()),
        "ends_at" => {
            end(first, (times.len() > 1).then_some(last)).or_else(|| lasting(filling, first))
        }
        "since" => since(filling, &times),
        "until" => until(filling, &times),
        "send_at" => first.has_clock.then(|| first.instant()),
        _ => Some(first.instant()),
    }
}

/// Keeps the times with a clock, if there are any, for what begins and ends: "rain on Monday, move it to Tuesday 7am".
fn with_clock<'f>(member: &str, times: Vec<&'f SaidTime>) -> Vec<&'f SaidTime> {
    let clocked = times.iter().any(|it| it.has_clock);
    let exact = clocked && matches!(member, "starts_at" | "ends_at");
    times.into_iter().filter(|it| !exact || it.has_clock).collect()
}

/// Returns the times that a member may mean: not those that are passed on in words to somebody else.
fn times<'f>(filling: &'f Filling<'_>, member: &str) -> Vec<&'f SaidTime> {
    let passed_on = matches!(member, "send_at" | "received_at" | "occurred_at");
    let within = |it: &&SaidTime| {
        filling.tokens.contains(&it.tokens.start)
            && !(passed_on && filling.content.contains(&it.tokens.start))
    };
    filling.text.times.iter().filter(within).collect()
}

/// Returns a day and a time of the day that were said apart as one: "12 May 7am-3pm".
fn joined(times: &[&SaidTime]) -> Option<SaidTime> {
    let day = times.iter().find(|it| it.has_day && !it.has_clock)?;
    let clock = times.iter().find(|it| it.has_clock && !it.has_day)?;
    let on = |at: &jiff::Zoned| {
        let shift = clock.start.date().until(at.date()).ok()?;
        let date = day.start.date().checked_add(shift).ok()?;
        date.to_datetime(at.time()).to_zoned(at.time_zone().clone()).ok()
    };
    let end = clock.end.as_ref().and_then(on);
    let start = on(&clock.start)?;
    let tokens = day.tokens.start..clock.tokens.end;
    Some(SaidTime { tokens, start, end, grain: clock.grain, has_day: true, has_clock: true })
}

/// Returns the end of a period that was said as a range, or as two times.
fn end(first: &SaidTime, last: Option<&SaidTime>) -> Option<String> {
    if let Some(end) = &first.end {
        return first.has_clock.then(|| instant(end));
    }
    let last = last.filter(|it| it.has_clock)?;
    if last.has_day {
        return Some(last.instant());
    }
    // "from 9 tuesday until 11": the end is on the day of the start.
    let at = first.start.date().to_datetime(last.start.time());
    let at = at.to_zoned(first.start.time_zone().clone()).ok()?;
    (at > first.start).then(|| instant(&at))
}

/// Returns the end of something whose length was said: "at 2pm for an hour".
fn lasting(filling: &Filling<'_>, first: &SaidTime) -> Option<String> {
    let minutes = super::figure::minutes(filling).filter(|_| first.has_clock)?;
    first.start.checked_add(minutes.minutes()).ok().map(|at| instant(&at))
}

fn word_before<'f>(filling: &'f Filling<'_>, time: &SaidTime) -> &'f str {
    let text = filling.text;
    let mut at = time.tokens.start;
    while at > 0 && matches!(text.before(at), "the" | "last") {
        at -= 1;
    }
    text.before(at)
}

/// Returns the start of a period.
fn since(filling: &Filling<'_>, times: &[&SaidTime]) -> Option<String> {
    let first = times.first()?;
    let before = word_before(filling, first);
    let limits = matches!(before, "until" | "till" | "before" | "by") && times.len() == 1;
    let own_word = filling.text.word(first.tokens.start);
    (!limits || SINCE.contains(&own_word)).then(|| first.instant())
}

/// Returns the end of a period: a second time, or the end of the only one.
fn until(filling: &Filling<'_>, times: &[&SaidTime]) -> Option<String> {
    let first = times.first()?;
    if let Some(last) = times.get(1) {
        return match last.after().filter(|_| last.start > first.start) {
            Some(after) => Some(instant(&after)),
            None => Some(last.instant()),
        };
    }
    let before = word_before(filling, first);
    if matches!(before, "until" | "till" | "before" | "by") && UNTIL.contains(&before) {
        return Some(first.instant());
    }
    if matches!(before, "since" | "after") {
        return None;
    }
    first.after().map(|it| instant(&it))
}

/// Returns a month: "2026-07".
pub(super) fn month(filling: &Filling<'_>, member: &str) -> Option<String> {
    let times = times(filling, member);
    let first = times.first()?;
    let is_first = member == "from_month";
    let shown = |at: &jiff::Zoned| at.strftime("%Y-%m").to_string();
    if is_first {
        return Some(shown(&first.start));
    }
    let last = times.get(1).copied().unwrap_or(first);
    let end = last.after().and_then(|it| it.checked_sub(1.second()).ok());
    Some(shown(&end.unwrap_or_else(|| last.start.clone())))
}

/// Whether a token says when.
pub(super) fn is_time(filling: &Filling<'_>, at: usize) -> bool {
    filling.text.tags.get(at) == Some(&Tag::Time)
}
