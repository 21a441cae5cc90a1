//! Reads states that are to be brought about: "turn off the hall light", "move the ball to the center".

use super::predicate::{Amount, Predicate, amount, name, noun, thing};
use super::quantity::{bounded, measured};
use crate::obligations::read::clause::{Clause, Sides};

/// Verbs that bring something into a state, each with the state.
const STATES: &[(&str, &str)] = &[
    ("lock|lock up", "locked"),
    ("unlock", "unlocked"),
    ("open|open up", "open"),
    ("close|shut", "closed"),
    ("start|run|begin|launch", "running"),
    ("stop|halt", "stopped"),
    ("clean|clean up|tidy|tidy up", "clean"),
    ("empty", "empty"),
    ("charge", "charged"),
    ("dim", "dimmed"),
    ("mute", "muted"),
    ("unmute", "unmuted"),
    ("arm", "armed"),
    ("disarm", "disarmed"),
    ("enable|activate", "enabled"),
    ("disable|deactivate", "disabled"),
    ("pause", "paused"),
    ("resume", "running"),
    ("fill|fill up|refill", "filled"),
    ("print", "printed"),
    ("water", "watered"),
    ("feed", "fed"),
    ("wash", "washed"),
    ("fix|repair", "fixed"),
    ("finish|complete", "finished"),
    ("submit", "submitted"),
    ("send", "sent"),
    ("deliver", "delivered"),
    ("order", "ordered"),
    ("cancel", "cancelled"),
    ("delete|erase", "deleted"),
    ("clear", "cleared"),
    ("restart|reboot", "restarted"),
    ("reset", "reset"),
    ("vacuum", "vacuumed"),
    ("pay", "paid"),
    ("confirm", "confirmed"),
    ("center", "at_center"),
    ("preheat", "preheated"),
    ("raise|lift", "raised"),
    ("lower", "lowered"),
    ("publish", "published"),
];
/// Verbs of a movement.
const MOVES: &str = "move|put|bring|roll|take|get|return|place|park|push|drive|send|nudge|shift|slide|steer|carry|guide|position";
/// Verbs of an adjustment.
const SETS: &str = "set|get|bring|heat|heat up|cool|cool down|warm|warm up|raise|lower|adjust|turn|turn up|turn down|crank|crank up|change|make|drop|increase|decrease|reduce|put|dial|bump|lift|take|have";
/// Words before a state that is to be brought about.
const SURE: &str = "make sure that|make sure|ensure that|ensure|see to it that|be sure that|be sure|see that|check that|i want|id like|i would like|i need|we need|get|have|make certain|make certain that|guarantee that|guarantee|please have|let|make|id love|verify that|i want to have|we want";
/// Verbs between a thing and its state.
const IS: &str =
    "is|are|gets|get|be|to be|will be|has been|have been|becomes|to get|ends up|being|was|were";
/// Places of a thing, each with its name.
const PLACES: &[(&str, &str)] = &[
    ("to|at|over to|back to|all the way to", "at"),
    ("into|in|inside", "in"),
    ("onto|on|on top of", "on"),
    ("out of|off|away from", "off"),
];

/// Reads an order that brings about a state.
pub(super) fn read(clause: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    switched(clause, subject)
        .or_else(|| adjusted(clause, subject))
        .or_else(|| moved(clause, subject))
        .or_else(|| changed(clause, subject))
        .or_else(|| ensured(clause, subject))
}

/// Reads a state without a verb: "lights off please".
pub(super) fn said(clause: Clause<'_>) -> Option<Predicate> {
    let state = ["on", "off"].into_iter().find(|state| clause.ends(state) > 0)?;
    let what = clause.until(clause.len() - 1);
    let is_thing = what.len() <= 4 && what.has("light|lights|lamp|lamps|fan|fans|heater|heat|ac|tv|music|radio|oven|alarm|projector|screen|screens|mic|mics|microphone|speaker|speakers|heating|camera|cameras|stove|computer|coffee machine|power|sign");
    is_thing.then(|| Predicate::new(&thing(what, None)?, state)).flatten()
}

/// Reads "turn off the hall light", "switch the fan on".
fn switched(clause: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    let rest = clause.after("turn|switch|shut|power|flip|put|kill|leave|cut|get|flick")?;
    let is_kill = clause.word(0) == "kill" || clause.word(0) == "cut";
    for state in ["on", "off"] {
        let what = rest.after(state).or_else(|| rest.before(state));
        if let Some(what) = what.filter(|what| !what.is_empty() && !what.has("to|at")) {
            return Predicate::new(&thing(short(what), subject)?, state);
        }
    }
    is_kill.then(|| Predicate::new(&thing(short(rest), subject)?, "off")).flatten()
}

/// Reads "get the living room down to 70 degrees", "set the volume to 5".
fn adjusted(clause: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    let is_heat = clause.starts("heat|heat up|cool|cool down|warm|warm up") > 0;
    let rest = clause.after(SETS)?;
    let sides = rest
        .split("down to|up to|back to|back down to|back up to|to|at|=")
        .filter(|sides| !sides.before.is_empty());
    let sides = sides.or_else(|| {
        // "make the kitchen 68 degrees"
        let at = (1..rest.len())
            .find(|at| rest.is_number(*at) && rest.from(at + 1).starts("degrees|degree|°") > 0)?;
        Some(Sides { before: rest.until(at), after: rest.from(at) })
    })?;
    let Amount { value, rest } = amount(sides.after)?;
    let is_warm = is_heat
        || rest.starts("degrees|degree|°|f|c|celsius|fahrenheit") > 0
        || sides.before.has("thermostat|temperature|temp|heat");
    let what = sides.before.short_of("down|up").short_of("temperature|temp");
    let state = if is_warm { "temperature" } else { "level" };
    Some(measured(what, subject, is_warm, state)?.with("value", value))
}

/// Reads "move the ball to the center".
fn moved(clause: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    let rest = clause.after(MOVES)?;
    for way in ["left", "right", "forward", "up", "down", "back"] {
        if let Some(what) = rest.before(way).filter(|what| {
            what.starts("the|my|our|it|that") > 0
                && clause.starts("move|roll|push|slide|shift|nudge|steer|guide|carry") > 0
        }) {
            return Predicate::new(&thing(what, subject)?, way);
        }
    }
    let Sides { before, after } = rest
        .split("to|into|onto|in|on|at|inside|back to|over to|out of|off|all the way to|away from")
        .filter(|sides| !sides.before.is_empty())?;
    let between = rest.slice(before.len()..rest.len() - after.len());
    let (_, place) = PLACES.iter().find(|(words, _)| between.is(words))?;
    let is_place = !amount(after).is_some() && after.len() <= 4;
    let whole = format!("{place}_{}", name(noun(short(after)))?);
    is_place
        .then(|| Predicate::new(&thing(before.short_of("back|over"), subject)?, &whole))
        .flatten()
}

/// Reads "lock the front door".
fn changed(clause: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    let found = STATES.iter().find_map(|(verbs, state)| Some((clause.after(verbs)?, *state)));
    let (what, state) = found?;
    let is_thing = what.starts("the|my|our|all|all the|a|an|this|that|it|them|every|both") > 0;
    let what = short(what);
    (is_thing && !what.is_empty()).then(|| Predicate::new(&thing(what, subject)?, state)).flatten()
}

/// Reads "make sure the report is sent by Friday".
fn ensured(clause: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    let rest = clause.after(SURE)?;
    if let Some(predicate) = bounded(rest) {
        return Some(predicate);
    }
    let is_sure = clause.starts(
        "make sure|ensure|see to it|be sure|see that|check that|make certain|guarantee|verify that",
    ) > 0;
    let sides = rest.split(IS);
    if let Some(sides) = sides.filter(|sides| !sides.before.is_empty() && !sides.after.is_empty()) {
        let is_thing =
            is_sure || sides.before.starts("the|my|our|all|every|this|that|these|a|an") > 0;
        let (end, by) = until_by(sides.after);
        let state = name(noun(short(end.past("fully|all|completely|properly|really|nice and"))))?;
        let predicate =
            is_thing.then(|| Predicate::new(&thing(sides.before, subject)?, &state)).flatten()?;
        return Some(match by {
            Some(by) => predicate.with("by", by.raw()),
            None => predicate,
        });
    }
    // "have the report finished by Friday"
    let is_have = clause.starts("have|get|i want|i need|we need|i want to have|make") > 0
        && rest.starts("the|my|our") > 0;
    let (end, by) = until_by(rest);
    let last = end.len().checked_sub(1).filter(|last| *last > 1)?;
    let state = end.word(last);
    let is_state = state.ends_with("ed")
        || matches!(
            state,
            "done" | "ready" | "sent" | "clean" | "open" | "shut" | "full" | "empty" | "on" | "off"
        );
    let predicate = (is_have && is_state)
        .then(|| Predicate::new(&thing(end.until(last), subject)?, state))
        .flatten()?;
    Some(match by {
        Some(by) => predicate.with("by", by.raw()),
        None => predicate,
    })
}

/// Splits off the time by which something is to be done.
fn until_by(clause: Clause<'_>) -> (Clause<'_>, Option<Clause<'_>>) {
    match clause.split("by|before|no later than|when|until|at|on|tonight|today|tomorrow|this|next")
    {
        Some(sides) if !sides.before.is_empty() => {
            (sides.before, Some(sides.after).filter(|by| !by.is_empty()))
        }
        _ => (clause, None),
    }
}

/// Returns a clause without the time and the purpose behind it.
pub(super) fn short(clause: Clause<'_>) -> Clause<'_> {
    const BEHIND: &str = "by|before|at|after|when|tonight|today|tomorrow|this|next|for me|please|now|right now|immediately|for|until|if|so|because|again|in the morning|as soon as|every|on|,|and";
    let clause = clause.trimmed();
    match (1..clause.len()).find(|at| clause.from(*at).starts(BEHIND) > 0) {
        Some(end) => clause.until(end),
        None => clause,
    }
}
