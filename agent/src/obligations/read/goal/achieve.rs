//! Reads states that are to be brought about: "turn off the hall light", "move the ball to the center".

use super::assign::{assigned, removed};
use super::predicate::{Amount, Predicate, amount, located, name, noun, thing};
use super::quantity::{ROOMS, bounded, measured};
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
const MOVES: &str = "move|put|bring|roll|take|get|return|place|park|push|drive|nudge|shift|slide|steer|carry|\
    guide|position";
/// Verbs of an adjustment.
const SETS: &str = "set|get|bring|heat|heat up|cool|cool down|warm|warm up|raise|lower|adjust|turn|turn up|\
    turn down|crank|crank up|change|make|drop|increase|decrease|reduce|put|dial|bump|lift|take|have|i want|\
    id like|i need|we need|we want";
/// Words before a state that is to be brought about.
const SURE: &str = "make sure that|make sure|ensure that|ensure|see to it that|be sure that|be sure|see that|\
    check that|i want|id like|i would like|i need|we need|get|have|make certain|make certain that|\
    guarantee that|guarantee|please have|let|make|id love|verify that|i want to have|we want";
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
/// Things that are on or off.
const APPLIANCES: &str = "light|lights|lamp|lamps|fan|fans|heater|heat|ac|tv|music|radio|oven|alarm|\
    projector|screen|screens|mic|mics|microphone|speaker|speakers|heating|camera|cameras|stove|computer|\
    coffee machine|power|sign";
/// Words before the place to which something is moved.
const TO_PLACE: &str =
    "to|into|onto|in|on|at|inside|back to|over to|out of|off|all the way to|away from";
/// Words before a state of anything.
const SURELY: &str = "make sure|ensure|see to it|be sure|see that|check that|make certain|guarantee|\
    verify that";
/// Words before a time by which something is to be done.
const UNTIL: &str = "by|before|no later than|when|until|at|on|tonight|today|tomorrow|this|next";
/// Words behind a thing that do not belong to its name.
const BEHIND: &str = "by|before|at|after|when|tonight|today|tomorrow|this|next|for me|please|now|right now|\
    immediately|for|until|if|so|because|again|in the morning|as soon as|every|on|,|and|during|through|\
    throughout|while|overnight";

/// Reads an order that brings about a state.
pub(super) fn read(clause: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    switched(clause, subject)
        .or_else(|| adjusted(clause, subject))
        .or_else(|| assigned(clause))
        .or_else(|| removed(clause))
        .or_else(|| recruited(clause))
        .or_else(|| moved(clause, subject))
        .or_else(|| changed(clause, subject))
        .or_else(|| ensured(clause, subject))
}

/// Reads a state without a verb: "lights off please".
pub(super) fn said(clause: Clause<'_>) -> Option<Predicate> {
    let state = ["on", "off"].into_iter().find(|state| clause.ends(state) > 0)?;
    let what = clause.until(clause.len() - 1);
    let is_thing =
        what.len() <= 4 && what.starts("i|we|you|keep|leave|is|are") == 0 && what.has(APPLIANCES);
    is_thing.then(|| Predicate::new(&thing(what, None)?, state)).flatten()
}

/// Reads "get 3 more ushers for Sunday".
fn recruited(clause: Clause<'_>) -> Option<Predicate> {
    let rest = clause.after(
        "get|get me|find|find me|recruit|line up|round up|bring in|find us|get us|schedule",
    )?;
    let Amount { value, rest } = amount(rest)?;
    let who = noun(short(rest.past("more|extra|additional|other")));
    let is_plural = who.word(who.len().checked_sub(1)?).ends_with('s') && who.len() <= 2;
    is_plural
        .then(|| Predicate::new(&name(who)?, "at_least"))
        .flatten()
        .map(|predicate| predicate.with("n", value))
}

/// Reads "turn off the hall light", "switch the fan on".
fn switched(clause: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    let rest = clause.after("turn|switch|shut|power|flip|put|kill|leave|cut|get|flick")?;
    let is_kill = clause.word(0) == "kill" || clause.word(0) == "cut";
    for state in ["on", "off", "up", "down"] {
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
    let Amount { value, rest } =
        amount(sides.after).filter(|said| said.rest.starts("am|pm|oclock|:") == 0)?;
    let is_warm = is_heat
        || is_room(sides.before, &value)
        || rest.starts("degrees|degree|°|f|c|celsius|fahrenheit") > 0
        || sides.before.has("thermostat|temperature|temp|heat");
    let is_setting = clause.starts(
        "set|turn|raise|lower|adjust|increase|decrease|reduce|change|crank|dial|bump|i want",
    ) > 0;
    if !is_warm && !is_setting {
        return None;
    }
    let what = sides.before.short_of("down|up").short_of("temperature|temp");
    let state = if is_warm { "temperature" } else { "level" };
    Some(measured(what, subject, is_warm, state)?.with("value", value))
}

/// Whether a number can only be the temperature of a room.
fn is_room(what: Clause<'_>, value: &serde_json::Value) -> bool {
    let what = what.short_of("down|up");
    let is_warmth = value.as_f64().is_some_and(|value| (10.0..=100.0).contains(&value));
    is_warmth && what.ends(ROOMS) > 0
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
    let Sides { before, after } = rest.split(TO_PLACE).filter(|sides| !sides.before.is_empty())?;
    let between = rest.slice(before.len()..rest.len() - after.len());
    let (_, place) = PLACES.iter().find(|(words, _)| between.is(words))?;
    let is_place = amount(after).is_none() && after.len() <= 4;
    let whole = located(place, short(after))?;
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
    if !is_thing || what.is_empty() {
        return None;
    }
    // "send the report to Ana"
    match what.split("to").filter(|_| matches!(state, "sent" | "delivered")) {
        Some(sides) => Some(
            Predicate::new(&thing(sides.before, subject)?, state)?.with("to", sides.after.raw()),
        ),
        None => Predicate::new(&thing(what, subject)?, state),
    }
}

/// Reads "make sure the report is sent by Friday".
fn ensured(clause: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    let must = clause.starts("the|my|our|all") > 0
        && clause.has("should be|must be|needs to be|has to be|have to be|need to be");
    let rest = if must { clause } else { clause.after(SURE)? };
    if let Some(predicate) = bounded(rest) {
        return Some(predicate);
    }
    let is_sure = clause.starts(SURELY) > 0;
    let sides = rest
        .split("should be|must be|needs to be|has to be|have to be|need to be")
        .or_else(|| rest.split(IS));
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
    let two = end.ends(
        "set up|put away|cleaned up|picked up|printed out|locked up|put out|filled in|handed out|set out|\
            torn down",
    );
    if let Some(what) =
        Some(end.until(end.len() - two)).filter(|what| two > 0 && is_have && !what.is_empty())
    {
        let predicate = Predicate::new(&thing(what, subject)?, &name(end.from(end.len() - two))?)?;
        return Some(match by {
            Some(by) => predicate.with("by", by.raw()),
            None => predicate,
        });
    }
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
    match clause.split(UNTIL) {
        Some(sides) if !sides.before.is_empty() && !sides.after.is_empty() => {
            (sides.before, Some(sides.after).filter(|by| !by.is_empty()))
        }
        _ => (clause, None),
    }
}

/// Returns a clause without the time and the purpose behind it.
pub(super) fn short(clause: Clause<'_>) -> Clause<'_> {
    let clause = clause.trimmed();
    match (1..clause.len()).find(|at| clause.from(*at).starts(BEHIND) > 0) {
        Some(end) => clause.until(end),
        None => clause,
    }
}
