//! Reads questions for the time and the date: "what time is it in London", "got the time?".

use super::clause::Clause;
use super::context::DirectoryWords;
use super::courtesy::bare;
use super::field;
use super::place;
use super::token::tokens;
use crate::obligations::Obligation;
use crate::obligations::clock::{ClockFace, TimeQuestion, zone_by_name, zone_of_city};
use crate::obligations::memory::Memory;

/// Questions for the time of day.
const TIME: &str = "is it too late to call|is it too early to call|is it too late in|whats their time|\
    what is their time|what time is it for her|what time is it for him|what time is it for them|their time|\
    what times it|what would the time be|is it tomorrow|is it tomorrow yet|what time is it|whats the time|\
    what is the time|what time|the time|time|got the time|do you have the time|have you got the time|\
    you got the time|got the correct time|have the time|whats the current time|what is the current time|\
    current time|the current time|whats the local time|what is the local time|local time|the local time|\
    what time do they have|what time have they got|what time would it be|what time it is|what hour is it|\
    how late is it|what does the clock say|what time do you have|what time have you got|give me the time|\
    show me the time|get me the time|time now|time check|time please|is it late|is it early|is it morning|\
    is it night|is it day|is it still morning|is it daytime|is it nighttime|is it night time|is it afternoon|\
    is it evening|what time of day is it|is it dark|what time is|whats time|what is time|what o clock is it|\
    what oclock is it|the exact time|what is the exact time|whats the exact time|what time do we have|\
    what time are we at|read me the clock|what time will it be|is it past midnight|is it already morning|\
    what time it would be|the hour|whats the hour|what time does the clock show|what does my clock say|\
    whats the clock say|the clock say|what time are they on|what is the current local time|\
    whats the current local time|what time they have|is it still light|is it late at night|what s the time|\
    what time now|hows the time|any idea what time it is|what is the hour|time is it|what s time|\
    do you have time|is it midnight|is it noon|what does the clock show|que hora es|que horas son|\
    dime la hora|la hora|tienes hora";
/// Questions for the date.
const DATE: &str = "what is the date|whats the date|whats todays date|what is todays date|what date is it|\
    what date is today|todays date|date today|what is the current date|whats the current date|current date|\
    the date|the date today|the current date|what is the date today|whats the date today|\
    what day of the month is it|which date is it|what date it is|que fecha es|que fecha es hoy";
/// Questions for the day of the week.
const WEEKDAY: &str = "which day of the week are we on|what day are we on|what day is it|what day is today|\
    what day of the week is it|which day is it|which day of the week is it|whats today|what is today|\
    what day it is|day of the week|which weekday is it|what weekday is it|what day are we|\
    what day of the week is today|the day of the week|what day of week is it|what day is it today|\
    what is the day today|whats the day today|whats the day|what is the day|que dia es|que dia es hoy";
/// Words that place the time here and now.
const HERE: &str = "is it|it is|now|right now|rn|currently|at the moment|exactly|today|here|locally|\
    at this moment|atm|where i am|where i live|of day|right this second|this very moment|for me|is|actually|\
    by you|already|at present|over here|where we are|do you have|have you got|on your clock|on the clock|\
    this second|just now|please|or not|yet|still|in my time zone|in my city|in my town|at my place|\
    around here|ahora|ahora mismo|hoy";
/// Words before a place.
const IN: &str = "there in|over there in|out there in|down there in|where|in|over in|out in|down in|up in|at|\
    over at|for|around|across in|back in|on|over on|on the|in the city of|in downtown|out at|of|if youre in|\
    for someone in|for people in|for folks in|en";
/// Words for a place that was named before.
const THERE: &str = "for her|for him|for them|for there|there|over there|in there|out there|at that place|\
    in that city";
/// Words before a question.
const ASKS: &str =
    "check|look up|tell me|give me|show me|whats|what is|what about|how about|what would be";

/// Reads a question for the time. `place` is the place that was named before.
pub(super) fn read(
    clause: Clause<'_>,
    place: Option<&str>,
    memory: &Memory,
) -> Option<Vec<Obligation>> {
    let clause = bare(clause).past("right now|now|currently|at the moment|today");
    let clause = bare(clause).past(ASKS);
    let clause = bare(clause);
    // "if I call Tokyo now what time is it there"
    let inner =
        clause.split(TIME).and_then(|sides| place::last(sides.before, &DirectoryWords::default()));
    let place = inner.as_deref().or(place);
    let asked = clause
        .split("what time|whats the time|what is the time")
        .map_or(clause, |sides| clause.from(sides.before.len()));
    let full = bare_question(clause, place).or_else(|| {
        let is_there = place.is_some() && here(asked.past(TIME)).is(THERE);
        is_there.then(|| bare_question(asked, place)).flatten()
    });
    let question = full.or_else(|| turned(clause)).or_else(|| of_place(clause))?;
    Some(places(question, memory).iter().map(Obligation::report).collect())
}

/// Names the places of a question: each of several, and those of whom the user has told where they live.
fn places(question: TimeQuestion, memory: &Memory) -> Vec<TimeQuestion> {
    let Some(said) = &question.city else { return vec![question] };
    let tokens = tokens(said);
    let said = Clause::new(said, &tokens);
    let is_unknown = !is_known(said);
    let lives = said.after("my").and_then(|who| {
        memory.recall(&format!("{}_city", field::slug(who.short_of("place|house|lives"))))
    });
    if let Some(city) = lives {
        return vec![at(city, TimeQuestion { show: question.show, ..TimeQuestion::default() })];
    }
    let both = said.split("and in|and|or in|or|&|, and|,").filter(|_| is_unknown);
    let both = both.filter(|sides| is_known(sides.before) && is_known(sides.after.past("in")));
    if both.is_none()
        && let Some(sides) =
            said.split("in|over in").filter(|sides| is_unknown && is_known(sides.after))
    {
        // "for my friend in Lagos"
        return vec![at(
            sides.after.raw(),
            TimeQuestion { show: question.show, ..TimeQuestion::default() },
        )];
    }
    match both {
        None => vec![question],
        Some(sides) => [sides.before, sides.after.past("in")]
            .map(|place| {
                at(place.raw(), TimeQuestion { show: question.show, ..TimeQuestion::default() })
            })
            .to_vec(),
    }
}

/// Reads a question that begins with what is asked for.
fn bare_question(clause: Clause<'_>, place: Option<&str>) -> Option<TimeQuestion> {
    let faces = [
        (
            "what month is it|which month is it|whats the month|what is the month|what month are we in",
            Some(ClockFace::Month),
        ),
        (
            "what year is it|which year is it|whats the year|what is the year|what year are we in",
            Some(ClockFace::Year),
        ),
        (DATE, Some(ClockFace::Date)),
        (WEEKDAY, Some(ClockFace::Weekday)),
        (TIME, None),
    ];
    let (asked, show) = faces.into_iter().find(|(phrases, _)| clause.starts(phrases) > 0)?;
    let rest = here(clause.past(asked));
    let question = TimeQuestion { show, ..TimeQuestion::default() };
    // "what's their time" is the time of the place that was named.
    let is_theirs = clause.until(6).has("their|her|him|them");
    if let Some(place) = place.filter(|_| is_theirs && rest.is_empty()) {
        return Some(at(place, question));
    }
    if rest.is_empty() {
        return Some(question);
    }
    if rest.is(THERE) {
        let city = place.unwrap_or(rest.raw());
        return Some(at(city, question));
    }
    let named = match rest.after(IN) {
        Some(named) => here(named).past("the city of"),
        None if is_known(rest) => rest,
        None => return None,
    };
    let named = named.short_of("lives|live|is|are|works|stays|lives at|is at");
    if named.is_empty()
        || named.starts("my|the|our") > 0
            && named.has("meeting|appointment|service|party|game|flight")
    {
        return None;
    }
    Some(at(named.raw(), question))
}

/// Reads "what time does London have".
fn of_place(clause: Clause<'_>) -> Option<TimeQuestion> {
    let place = clause
        .after("what time does|what time do")?
        .before("have|show|have it|have now|say|read")?;
    (!place.is_empty()).then(|| at(place.raw(), TimeQuestion::default()))
}

/// Reads a question that begins with the place: "in Tokyo, what time is it", "London time".
fn turned(clause: Clause<'_>) -> Option<TimeQuestion> {
    if let Some(place) = clause.after(IN) {
        let sides = place.split(TIME)?;
        let place = here(sides.before.trimmed());
        let rest = here(sides.after);
        let is_place = rest.is_empty() || rest.is(THERE);
        return (is_place && !place.is_empty()).then(|| at(place.raw(), TimeQuestion::default()));
    }
    if let Some(place) =
        clause.before("time|time now|local time|time right now").filter(|place| is_known(*place))
    {
        return Some(at(place.raw(), TimeQuestion::default()));
    }
    let sides = clause.split("what time is it|what time|whats the time|time")?;
    let place = sides.before.trimmed();
    (is_known(place) && here(sides.after).is_empty())
        .then(|| at(place.raw(), TimeQuestion::default()))
}

fn is_known(place: Clause<'_>) -> bool {
    !place.is_empty()
        && (zone_of_city(place.raw()).is_some() || zone_by_name(place.raw()).is_some())
}

/// Names the place of a question: a time zone if it is one, otherwise a city.
pub(super) fn at(place: &str, question: TimeQuestion) -> TimeQuestion {
    let is_zone =
        zone_by_name(place).is_some() && (place.contains('/') || zone_of_city(place).is_none());
    let named = Some(place.to_owned());
    if is_zone {
        TimeQuestion { tz: named, ..question }
    } else {
        TimeQuestion { city: named, ..question }
    }
}

/// Returns a clause without the words that place it here and now.
fn here(clause: Clause<'_>) -> Clause<'_> {
    let mut clause = bare(clause);
    loop {
        let shorter = bare(clause.past(HERE).short_of(HERE));
        if shorter.len() == clause.len() {
            return clause;
        }
        clause = shorter;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, show};

    #[test]
    fn the_time_is_asked_for_here_and_elsewhere() {
        check(
            show,
            &[
                ("What time is it?", "REPORT time"),
                ("got the time?", "REPORT time"),
                ("whats the time rn?", "REPORT time"),
                ("what time is it in London right now", "REPORT time city=London"),
                ("time in London please", "REPORT time city=London"),
                ("what's the current time in New York", "REPORT time city=New York"),
                ("what time do they have in Kathmandu", "REPORT time city=Kathmandu"),
                ("what time is it in UTC", "REPORT time tz=UTC"),
                ("is it late in Sydney? what's the time there", "REPORT time city=Sydney"),
                ("in Tokyo, what time is it now?", "REPORT time city=Tokyo"),
                ("Tokyo time?", "REPORT time city=Tokyo"),
                ("what time is it over at my aunt's place?", "REPORT time city=my aunt's place"),
                ("what's today's date", "REPORT time show=date"),
                ("what day is it", "REPORT time show=weekday"),
            ],
        );
        for text in ["what time is my meeting", "what time does the service start"] {
            assert!(!show(text).contains("REPORT time"), "{text}: {}", show(text));
        }
    }
}
