//! Reads questions for what the calendar holds: "what do I have today?", "am I busy on Friday".

use jiff::ToSpan;
use jiff::civil::Date;

use super::clause::Clause;
use super::context::ReadContext;
use super::courtesy::bare;
use super::when::{Timed, timed};
use crate::obligations::Obligation;
use crate::obligations::calendar::CalendarQuestion;
use crate::times::{FoundTime, SaidClock, SaidDay};

/// Questions that are about a calendar, whether they name a time or not.
const ASKS: &str = "whats next|what is next|whats up next|whats next on my calendar|what events are there|\
    what events do we have|what meetings are there|whats on my calendar|what is on my calendar|\
    whats on my schedule|what is on my schedule|whats on my agenda|what is on my agenda|whats my schedule|\
    what is my schedule|whats my agenda|what is my agenda|hows my schedule|how is my schedule|\
    hows my calendar|show my calendar|show me my calendar|show my schedule|show me my schedule|\
    check my calendar|check my schedule|what does my day look like|what does my week look like|\
    what does my calendar look like|what does my schedule look like|how does my day look|\
    how does my week look|hows my day looking|hows my week looking|hows my day|hows my week|am i busy|\
    am i free|am i available|am i booked|do i have anything|do i have any plans|do i have plans|\
    have i got anything|have i got plans|anything on my calendar|anything on my schedule|\
    anything on my agenda|anything scheduled|anything planned|anything booked|anything coming up|\
    anything lined up|what do i have scheduled|what do i have planned|what do i have coming up|\
    what do i have lined up|what do i have on my calendar|what do i have to do|what have i got planned|\
    what have i got scheduled|what am i doing|whats coming up|what is coming up|whats scheduled|\
    what is scheduled|whats planned|what is planned|when is my next meeting|whens my next meeting|\
    when is my next appointment|whens my next appointment|whats my next meeting|whats my next appointment|\
    what is my next meeting|what is my next appointment|what meetings do i have|which meetings do i have|\
    what appointments do i have|which appointments do i have|any meetings|any appointments|any plans|\
    any events|any reminders|do i have any meetings|do i have any appointments|do i have any events|\
    do i have a meeting|do i have an appointment|do i have meetings|do i have appointments|\
    how many meetings do i have|how many appointments do i have|list my appointments|list my meetings|\
    list my events|list my reminders|show my appointments|show me my appointments|show me my meetings|\
    read me my schedule|read me my calendar|my schedule|my calendar|my agenda|the agenda|whats the agenda|\
    what is the agenda|whats the schedule|what is the schedule|the schedule|whats the plan|what is the plan|\
    when am i free|when am i busy|when am i available|is there anything on my calendar|\
    is there anything on my schedule|is there anything scheduled|is there anything planned|is my calendar|\
    is my schedule|is my day|is my week|is my evening|is my morning|is my afternoon|whats my day like|\
    what is my day like|what events do i have|which events do i have|whats happening on my calendar|\
    what reminders do i have|what is on the calendar|whats on the calendar|whats on the schedule|\
    what is on the schedule|whats on the agenda|what is on the agenda|anything on the calendar|\
    anything on the schedule|anything on the agenda|got anything planned|got anything scheduled|\
    got any plans|got any meetings|have i any plans|have i any meetings|have i any appointments|\
    do i have something|is anything scheduled|is anything on|is anything planned|look at my calendar|\
    look at my schedule|pull up my calendar|pull up my schedule|what are my plans|what are my appointments|\
    what are my meetings|calendar for|schedule for today|agenda for|free on|busy on";
/// Questions that are about a calendar only with a time.
const ASKS_WITH_TIME: &str = "what do i have|what have i got|whats on|what is on|anything on|anything|\
    whats happening|what is happening|whats going on|what is going on|what do we have|what have we got|\
    whats up|do i have|have i got|is there anything|am i|got anything|what about|whats my|what is my|\
    what are we doing|what do i need to do|what should i do|where do i need to be|do i need to be|\
    do i have to|anything i need to do|who am i meeting|who do i meet|hows|how does|what does|are there any|\
    what else do i have|what else is";
/// Questions for the time of an event.
const WHEN: &str = "when is|whens|what time is|what time does|when does|when do i have|what day is|when will|\
    what time do i have|when are|what time are|whats the time of|when was";
/// Words of an event.
const EVENTS: &str = "meeting|appointment|lunch|dinner|breakfast|practice|rehearsal|call|interview|service|\
    party|class|game|event|dentist|doctor|choir|flight|session|lesson|brunch|coffee|shift|reservation|\
    wedding|checkup|haircut";

/// Words that begin a question.
const QUESTIONS: &str = "what|whats|which|when|whens|where|wheres|who|whos|how|hows|do|does|did|am|is|are|\
    have|has|will|can i|could i|should i|any|anything|list|show|show me|read|read me|give me|tell me|check|\
    look at|look up|pull up|see|view|my|our|the|calendar|agenda|schedule for|appointments|meetings|events|\
    got|if|whether|display";
/// Words for the calendar and what it holds.
const CALENDAR: &str = "calendar|calendars|schedule|agenda|diary|planner|appointment|appointments|meeting|\
    meetings|events|reminders|conflicts|conflict|bookings|plans|gaps|openings|commitments|engagements|\
    itinerary|to do list|todo list|todos|tasks|scheduled|booked|free time|free slots|time slots|lineup|\
    obligations";
/// Words for the user and those around.
const WE: &str = "i|we|im|ive|me|my|our|us|ill|am i|were";
/// Words of what the user does at a time.
const BUSY: &str = "busy|free|available|booked|open|have|got|doing|going|meeting|serving|serve|working|work|\
    scheduled|supposed|need|due|on|meet|happening|planned|look|looks|looking|expected|clear|up|coming|\
    tied up|full|go|attend|attending|teaching|leading|preaching|singing|playing|volunteering|left|next|else";
/// Words of other questions, about people or the time of day.
const OTHERS: &str = "friend|friends|who do i know|people|contacts|time is it|letters|letter|remind|live|\
    lives|name|email|percent|plus|minus|much|cost|city|weather|birthday|colour|phone|address|old|sure|right|\
    favourite|rain";
/// Words behind an event that do not belong to its name.
const BEHIND: &str = "start|starts|begin|begins|at|on|again|happening|scheduled|next|over|end|ends|\
    take place|this week|going to be|supposed to be|set for|set|for|happen";

/// Reads a question for what the calendar holds.
pub(super) fn read(clause: Clause<'_>, context: &ReadContext) -> Option<Vec<Obligation>> {
    let bare = bare(clause);
    let asked = bare;
    let bare = bare.past(
        "see if|check if|check whether|find out if|tell me if|know if|whether|if|look if|check and see if",
    );
    let is_whether = bare.len() < asked.len();
    let timed = timed(bare.raw(), context.now.as_ref());
    let is_question = is_whether || clause.ends("?") > 0;
    if is_asked(bare, is_question, &timed) {
        return Some(vec![Obligation::report(&question(&timed))]);
    }
    let event = bare.after(WHEN)?;
    let named = event.past("my|the|our|the next|my next|our next|next").short_of(BEHIND);
    let is_event = event.has(EVENTS)
        || (bare.starts("when was") == 0
            && event.starts("the|our|the next|my next|our next|next") > 0
            && (1..=4).contains(&named.len())
            && !named.has(OTHERS));
    let event = Some(named.raw().to_owned()).filter(|event| is_event && !event.is_empty())?;
    Some(vec![Obligation::report(&CalendarQuestion { event: Some(event), ..question(&timed) })])
}

/// Whether a clause asks for days or times of the calendar.
fn is_asked(bare: Clause<'_>, is_question: bool, timed: &Timed) -> bool {
    let has_time = !timed.said.is_empty();
    if bare.starts(ASKS) > 0 && !bare.has("friend|friends|ushers|team") {
        return true;
    }
    if bare.has(OTHERS) {
        return false;
    }
    if bare.starts(ASKS_WITH_TIME) > 0 && has_time {
        return true;
    }
    // "is Friday free"
    let is_open = bare
        .short_of("for me|for us|at all")
        .ends("open|free|clear|busy|booked|available|full|taken|empty|packed")
        > 0;
    if bare.starts("is|how") > 0 && is_open && has_time {
        return true;
    }
    let asks = bare.starts(QUESTIONS) > 0 || is_question;
    let is_when = bare.starts(WHEN) > 0;
    let names_calendar = bare.has(CALENDAR) && (has_time || bare.has("my|our|me|i|next"));
    if asks && names_calendar && !is_when {
        return true;
    }
    // "what am I supposed to do today", "is anything happening on Friday"
    let is_own = bare.has(WE) && bare.has(BUSY);
    let is_any = bare.starts("is|are|is there|are there|whats|what is|how|hows|does|do") > 0
        && bare.has(
            "anything|something|happening|going on|look like|looking|practice|rehearsal|service|look|planned|\
                up",
        );
    asks && has_time && !is_when && (is_own || is_any)
}

/// Returns the question for the time that was said: a day, several days, or an instant.
fn question(timed: &Timed) -> CalendarQuestion {
    let mut question = CalendarQuestion::default();
    let Some(found) = timed.said.first() else { return question };
    let Some(reading) = &found.reading else { return question };
    // "between October 6 and October 10"
    if let [first, .., last] = &timed.said[..]
        && let (Some(first), Some(last)) = (date(first), date(last))
        && let Ok(last) = if last <= first { last.checked_add(7.days()) } else { Ok(last) }
    {
        question.range = Some(format!("{first}/{last}"));
        return question;
    }
    let clock = matches!(found.clock, SaidClock::At(_) | SaidClock::Between { .. });
    let first = reading.start.date();
    match found.day {
        SaidDay::Period { first, after } => {
            let last = after.checked_sub(1.day()).unwrap_or(first);
            question.range = Some(format!("{first}/{last}"));
        }
        _ if clock => question.time = timed.instant(),
        _ => question.date = Some(first.to_string()),
    }
    question
}

/// Returns the day of a time, if it is one day.
fn date(found: &FoundTime) -> Option<Date> {
    let is_day = matches!(found.day, SaidDay::Exact(_) | SaidDay::Weekday(_));
    found.reading.as_ref().filter(|_| is_day).map(|reading| reading.start.date())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, show};

    #[test]
    fn the_calendar_is_asked_for_days() {
        check(
            show,
            &[
                ("anything scheduled for thursday", "REPORT schedule date=2025-10-02"),
                ("what do I have today?", "REPORT schedule date=2025-09-30"),
                (
                    "am I busy at all between October 6 and October 10",
                    "REPORT schedule range=2025-10-06/2025-10-10",
                ),
                ("what's on my calendar tomorrow", "REPORT schedule date=2025-10-01"),
                ("what's on my calendar", "REPORT schedule"),
                ("am I free Friday at 3pm?", "REPORT schedule time=2025-10-03T15:00:00-05:00"),
                ("what's my schedule this weekend", "REPORT schedule range=2025-10-04/2025-10-05"),
                ("when is my dentist appointment", "REPORT schedule event=dentist appointment"),
            ],
        );
    }
}
