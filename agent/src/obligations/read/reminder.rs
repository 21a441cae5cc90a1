//! Reads orders to put something into the calendar: "remind me in 20 minutes to check the oven".

use super::clause::Clause;
use super::context::ReadContext;
use super::courtesy::bare;
use super::token::tokens;
use super::when::{Timed, timed};
use crate::obligations::Obligation;

/// Words that ask for a reminder.
const REMIND: &str = "remind me|remind us|set a reminder|set reminder|set me a reminder|set up a reminder|add a reminder|create a reminder|make a reminder|reminder|give me a reminder|can i get a reminder|i need a reminder|i need reminding|i want a reminder|dont let me forget|do not let me forget|help me remember|dont forget to|nudge me|ping me|alert me|notify me|i need a nudge|\
    give me a nudge|i need a ping|i need a heads up|give me a heads up|poke me|text me|send me a reminder|i need to be reminded|i should be reminded|i want to be reminded|make sure i|make sure that i|make sure i remember|make sure i dont forget|tell me to|i must remember|put a reminder|schedule a reminder|get me to|drop me a reminder|i could use a reminder|please remind me|note to self|bug me|could i get a reminder|call me|buzz me|shoot me a reminder|let me know when its time|warn me|id like a reminder|id like to be reminded|id like a nudge";
/// Words that ask for a signal.
const WAKE: &str = "wake me|wake me up|wake us up|get me up|set an alarm|set alarm|set my alarm|set the alarm|alarm|i need an alarm|set a timer|set timer|timer|start a timer|set me a timer|set me an alarm|set a wake up call|i need to wake up|i need to be up|give me a wake up call";
/// Words that ask for an event.
const PLAN: &str = "schedule|book|book me|put me down|put us down|sign me up|book me in|plan|set up|arrange|create|pencil in|pencil me in|block|block off|block out|reserve|organise|organize|make|slot in|put in|put down|put|add|set|log|mark|calendar|get me|note|enter|save|lets schedule|lets book|lets have|lets plan|lets do|lets meet|lets set up|i want to schedule|i want to book|i need to schedule|i need to book|id like to schedule|id like to book|id like to plan|id like to set up|we need to schedule|make me|fit in|insert|register|record";
/// Words of which the order needs more to be about a calendar.
const VAGUE: &str = "create|make|put|add|set|log|mark|get me|note|enter|save|put in|put down|make me|insert|register|record";
/// Words that say that the clause is about a calendar.
const CALENDAR: &str = "on my calendar|to my calendar|in my calendar|on the calendar|to the calendar|in the calendar|into my calendar|into the calendar|on calendar|to calendar|in my diary|in the diary|on my schedule|to my schedule|on the schedule|to the schedule|on my agenda|to my agenda|in my schedule|on the books|in the books|in my planner|in my agenda";
/// Orders after an event.
const ADD_IT: &str = "add it|put it in|book it|schedule it|save it|add that|pencil it in|put it on my calendar|add it to my calendar|add to calendar|add to my calendar|put that in|put that on my calendar|put it down|note it|add it to the calendar|put it on the calendar|lock it in|get it on the calendar|calendar it|mark it down|can you add it|schedule that|book that|pencil that in|write it down|add this|put this in|please add|set it up|make it happen|add it in|put it on there|get that scheduled|make a note of it|save the date|remind me|please schedule it|put it in my calendar|put it in the calendar|on my calendar|to my calendar|in my calendar|on the calendar|to the calendar|in the calendar|in my diary|in the diary|on my schedule|to my schedule|on the schedule|on my agenda";
/// Events by which a statement with a time is an order: "I have a dentist appointment tomorrow at 3".
const EVENTS: &str = "meeting|appointment|lunch|dinner|breakfast|practice|rehearsal|call|interview|party|class|dentist|doctor|choir|flight|session|lesson|brunch|coffee|haircut|checkup|reservation|wedding|visit|prayer|study|game|date|conference|service|event|shift|training|workout|drinks";
/// Words before what is to be remembered.
const ABOUT: &str = "to|that i need to|that i have to|that i should|that i must|that|about|of|i need to|i have to|:|-|,|with a text to|by text to|saying|for the|for|when its time to|so i can|regarding|and|not to forget to|it is time to|its time to|im supposed to|to go|up";

/// Reads an order for the calendar. What the order does not say is asked for.
pub(super) fn read(clause: Clause<'_>, context: &ReadContext) -> Option<Vec<Obligation>> {
    let whole = bare(clause);
    if whole.starts("what|whats|who|whos|when|whens|where|wheres|which|how|hows|am i|is my|is there|do i|any|anything|have i") > 0 {
        return None;
    }
    let text = if whole.has("timer") {
        whole.raw().replace(" for ", " in ")
    } else {
        whole.raw().to_owned()
    };
    let mut timed = timed(&text, context.now.as_ref());
    let tokens = tokens(&timed.rest);
    let rest = bare(Clause::new(&timed.rest, &tokens));
    let woken = woken(rest);
    let event = reminded(rest, &timed)
        .or_else(|| woken.clone())
        .or_else(|| planned(rest, &timed))
        .or_else(|| appended(rest, &timed))?;
    if let (Some(_), Some(now)) = (woken, &context.now) {
        timed.wake(now);
    }
    Some(scheduled(&event, &timed, context))
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
    let vague = rest.starts("text me|call me|tell me to|make sure i|make sure that i|ping me|alert me|notify me|warn me|bug me|buzz me|get me to") > 0;
    let needs_more = vague && timed.said.is_empty() && order.starts("to") == 0;
    if is_question || needs_more {
        return None;
    }
    let mut event = order.trimmed();
    while let Some(shorter) = event.after(ABOUT) {
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
    let names_event = !timed.said.is_empty() && order.has(EVENTS);
    let names_event =
        names_event || (!is_vague && !timed.said.is_empty()) || timed.recurs.is_some();
    let meets = order.starts(
        "a meeting|an appointment|a reservation|meeting|appointment|a call|an event|a time",
    ) > 0;
    let is_sure = rest.starts("schedule|book|calendar|pencil|block|reserve|lets schedule|lets book|i want to schedule|i need to schedule|id like to schedule|i want to book|i need to book|id like to book|put me down|put us down") > 0;
    if order.starts("it|that|reminder|of") > 0
        || !(is_sure || names_calendar || names_event || meets)
    {
        return None;
    }
    let order = order
        .split(CALENDAR)
        .map_or(order, |sides| if sides.before.is_empty() { sides.after } else { sides.before });
    Some(event(order))
}

/// Reads "lunch with Ana, add it please", "I have a dentist appointment".
fn appended(rest: Clause<'_>, timed: &Timed) -> Option<String> {
    if timed.said.is_empty() {
        return None;
    }
    if let Some(before) = rest.before(ADD_IT).filter(|before| !before.is_empty()) {
        return Some(event(
            before.past("i have|ive got|theres|there is|i have got|we have|weve got"),
        ));
    }
    let told = rest.after("i have|ive got|i have got|we have|weve got|theres|there is|i got|im having|were having|we are having|i am having|im meeting|i booked|lets do|lets have");
    let told = told.or_else(|| {
        rest.after("new event|event|appointment|meeting").map(|_| rest.past("new event|event"))
    });
    let told = told.filter(|told| told.has(EVENTS) || rest.starts("im meeting") > 0)?;
    Some(event(told))
}

/// Returns the name of an event without the words around it.
fn event(clause: Clause<'_>) -> String {
    let mut clause = bare(clause);
    clause = clause.past("me in|me|us|in").trimmed();
    clause = clause.past("a|an|the|some time for|time for|some time to|time to|an event for|an event called|a slot for|a time for|my|:|down|for|new event|new").trimmed();
    bare(clause.short_of("please|in|for|on|at|to|down|up")).raw().to_owned()
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
