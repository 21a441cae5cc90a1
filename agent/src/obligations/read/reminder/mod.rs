//! Reads orders to put something into the calendar: "remind me in 20 minutes to check the oven".

mod phrase;

use super::clause::Clause;
use super::context::ReadContext;
use super::courtesy::bare;
use super::token::{Kind, tokens};
use super::when::{Timed, timed};
use crate::obligations::Obligation;
use crate::times::SaidClock;
use phrase::{
    ABOUT, ADD_IT, BEFORE_EVENT, CALENDAR, ENTRIES, ERRANDS, EVENTS, MEETINGS, MINE, NO_EVENT,
    OFTEN_OTHERS, PLAN, QUESTIONS, REMIND, SURELY, TOLD, VAGUE, VERBS, WAKE,
};

/// Reads an order for the calendar. What the order does not say is asked for.
pub(super) fn read(clause: Clause<'_>, context: &ReadContext) -> Option<Vec<Obligation>> {
    let whole = bare(clause);
    if whole.starts(QUESTIONS) > 0 {
        return None;
    }
    let text = if whole.has("timer") { timer(whole) } else { whole.raw().to_owned() };
    let mut timed = timed(&text, context.now.as_ref());
    let tokens = tokens(&timed.rest);
    let rest = bare(Clause::new(&timed.rest, &tokens));
    let woken = woken(rest);
    let event = reminded(rest, &timed)
        .or_else(|| woken.clone())
        .or_else(|| moved(rest, &timed))
        .or_else(|| planned(rest, &timed))
        .or_else(|| appended(rest, &timed))?;
    if let (Some(_), Some(now)) = (woken, &context.now) {
        timed.wake(now);
    }
    Some(scheduled(&event, &timed, context))
}

/// Returns the text of a timer with its time as a time: "set a 20 minute timer" rings in 20 minutes.
fn timer(clause: Clause<'_>) -> String {
    let span = (0..clause.len()).find(|at| {
        clause.is_number(*at)
            && clause
                .from(at + 1)
                .starts("minute|minutes|hour|hours|second|seconds|min|mins|hr|hrs")
                > 0
    });
    match span {
        Some(at) => format!("timer in {} {}", clause.word(at), clause.word(at + 1)),
        None => clause.raw().replace(" for ", " in "),
    }
}

fn scheduled(event: &str, timed: &Timed, context: &ReadContext) -> Vec<Obligation> {
    let time = timed.instant().filter(|_| context.now.is_some());
    let said = (!timed.phrase.is_empty()).then_some(timed.phrase.as_str());
    let mut found = vec![Obligation::schedule(event, time.as_deref().or(said))];
    if said.is_none() {
        found.push(Obligation::clarify("time"));
    }
    if event.is_empty() {
        found.push(Obligation::clarify("event"));
    }
    found
}

fn reminded(rest: Clause<'_>, timed: &Timed) -> Option<String> {
    let order = rest.after(REMIND)?;
    let is_question = order.starts("what|who|where|when|how|why|whats|my|if") > 0;
    let vague = rest.starts(OFTEN_OTHERS) > 0;
    let needs_more = vague && timed.said.is_empty() && order.starts("to") == 0;
    if is_question || needs_more {
        return None;
    }
    let mut event = order.trimmed();
    while let Some(shorter) = event.after(ABOUT).or_else(|| event.after(REMIND)) {
        event = shorter.trimmed();
    }
    Some(bare(event).raw().to_owned())
}

fn woken(rest: Clause<'_>) -> Option<String> {
    let order = rest.after(WAKE)?;
    let kind = if rest.until(5).has("alarm") {
        "alarm"
    } else if rest.until(4).has("timer") {
        "timer"
    } else {
        "wake up"
    };
    let purpose = order.trimmed().past("up").after("to|so i can|for|labelled|called");
    Some(match purpose.map(|purpose| bare(purpose).raw()).filter(|purpose| !purpose.is_empty()) {
        Some(purpose) => purpose.to_owned(),
        None => kind.to_owned(),
    })
}

/// Reads "schedule choir practice", "put lunch with Ana on my calendar".
fn planned(rest: Clause<'_>, timed: &Timed) -> Option<String> {
    let order = rest.after(PLAN)?;
    let names_calendar = rest.has(CALENDAR);
    let is_vague =
        rest.starts(VAGUE) > 0 && rest.starts("lets schedule|lets book|make an appointment") == 0;
    let is_quoted = order.token(0).is_some_and(|token| token.kind == Kind::Quoted);
    let is_put = is_quoted
        || order.ends("down|in") > 0
        || rest.starts(
            "make a calendar entry|add a calendar entry|create a calendar entry|put a calendar entry|\
                set something up",
        ) > 0;
    let names_event = !timed.said.is_empty() && (order.has(EVENTS) || is_put);
    let names_event =
        names_event || (!is_vague && !timed.said.is_empty()) || timed.recurs.is_some();
    let meets = order.starts(MEETINGS) > 0;
    let is_sure = rest.starts(SURELY) > 0;
    if order.starts("it|that|reminder|of") > 0
        || !(is_sure || names_calendar || names_event || meets)
    {
        return None;
    }
    let order = order
        .split(CALENDAR)
        .map_or(order, |sides| if sides.before.is_empty() { sides.after } else { sides.before });
    let event = event(order);
    if event.is_empty() && timed.said.is_empty() {
        return None;
    }
    // "Friday's schedule?"
    if event.is_empty() && rest.starts("schedule|calendar|plan") > 0 {
        return None;
    }
    let is_meeting = event.is_empty()
        && rest.starts(
            "lets meet|can we meet|could we meet|shall we meet|want to meet|lets get together|\
                can we get together",
        ) > 0;
    Some(if is_meeting { "meeting".to_owned() } else { event })
}

/// Reads "lunch with Ana, add it please", "I have a dentist appointment", "dentist tomorrow at 3pm".
fn appended(rest: Clause<'_>, timed: &Timed) -> Option<String> {
    if timed.said.is_empty() {
        return None;
    }
    if let Some(before) = rest.before(ADD_IT).filter(|before| !before.is_empty()) {
        return Some(event(before.past(MINE)));
    }
    if let Some(told) = rest.after(TOLD) {
        let is_event = told.has(EVENTS) || rest.starts("im meeting") > 0;
        return is_event.then(|| event(told));
    }
    if let Some(entry) = rest.after(ENTRIES) {
        return Some(event(entry));
    }
    // "dentist tomorrow at 3pm", "tomorrow 9am: call the bank"
    let has_clock = timed
        .said
        .iter()
        .any(|found| matches!(found.clock, SaidClock::At(_) | SaidClock::Between { .. }));
    let begins = timed.said.first().is_some_and(|found| found.bytes.start == 0 && timed.is_apart);
    let is_errand = rest.starts(ERRANDS) > 0
        || ((begins || timed.rest.trim_start().starts_with(',')) && rest.starts("to") > 0);
    if is_errand && rest.len() <= 10 {
        return Some(event(rest.past("to")));
    }
    let is_bare = rest.len() <= 6
        && rest.until(4).has(EVENTS)
        && rest.starts(NO_EVENT) == 0
        && !rest.has(VERBS);
    (has_clock && !rest.is_empty() && (begins || is_bare)).then(|| event(rest))
}

/// Reads "reschedule lunch to Friday at 1pm".
fn moved(rest: Clause<'_>, timed: &Timed) -> Option<String> {
    let order =
        rest.after("reschedule|move|push|push back|postpone|shift|bump|switch|change|delay")?;
    let order = order.past("my|the|our").short_of("to|until|till|back|for|on|at");
    let is_event = order.has(EVENTS) || rest.starts("reschedule|postpone") > 0;
    (is_event && !timed.said.is_empty() && !order.is_empty()).then(|| event(order))
}

/// Returns the name of an event without the words around it.
fn event(clause: Clause<'_>) -> String {
    let mut clause = bare(clause);
    clause = clause.past("me in|me|us|in").trimmed();
    clause = clause.past(BEFORE_EVENT).trimmed();
    bare(clause.short_of("please|in|for|on|at|to|down|up")).unquoted().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, show};

    #[test]
    fn events_are_scheduled_at_their_time() {
        check(
            show,
            &[
                (
                    "remind me in 20 minutes to check the oven",
                    "SCHEDULE schedule event=check the oven time=2025-09-30T14:40:00-05:00",
                ),
                (
                    "schedule choir practice for Thursday at 7pm",
                    "SCHEDULE schedule event=choir practice time=2025-10-02T19:00:00-05:00",
                ),
                (
                    "lunch with Ana friday at noon, add it please",
                    "SCHEDULE schedule event=lunch with Ana time=2025-10-03T12:00:00-05:00",
                ),
                (
                    "in two and a half hours I need a nudge to move the car",
                    "SCHEDULE schedule event=move the car time=2025-09-30T16:50:00-05:00",
                ),
                (
                    "set up a meeting with Bob tomorrow at 3pm",
                    "SCHEDULE schedule event=meeting with Bob time=2025-10-01T15:00:00-05:00",
                ),
                (
                    "put dentist on my calendar for Oct 3 at 9am",
                    "SCHEDULE schedule event=dentist time=2025-10-03T09:00:00-05:00",
                ),
                (
                    "tomorrow at 8am remind me to call mom",
                    "SCHEDULE schedule event=call mom time=2025-10-01T08:00:00-05:00",
                ),
                (
                    "wake me up at 6am",
                    "SCHEDULE schedule event=wake up time=2025-10-01T06:00:00-05:00",
                ),
                (
                    "set an alarm for 6:30am",
                    "SCHEDULE schedule event=alarm time=2025-10-01T06:30:00-05:00",
                ),
                (
                    "I have a dentist appointment tomorrow at 3pm",
                    "SCHEDULE schedule event=dentist appointment time=2025-10-01T15:00:00-05:00",
                ),
                (
                    "remind me to buy milk and eggs at 5pm",
                    "SCHEDULE schedule event=buy milk and eggs time=2025-09-30T17:00:00-05:00",
                ),
                (
                    "remind me to water the plants",
                    "SCHEDULE schedule event=water the plants + CLARIFY slot slot=time",
                ),
                ("schedule a meeting", "SCHEDULE schedule event=meeting + CLARIFY slot slot=time"),
            ],
        );
    }
}
