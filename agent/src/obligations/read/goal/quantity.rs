//! Reads predicates about numbers: "at least 3 ushers", "within 0.1 of the center", "at 70 degrees".

use serde_json::Value;

use super::predicate::{Amount, Predicate, amount, name, noun, thing};
use crate::obligations::read::clause::Clause;
use crate::obligations::read::field::slug;

/// Bounds of a number of things, each with its name.
const BOUNDS: &[(&str, &str)] = &[
    (
        "at least|no fewer than|no less than|a minimum of|minimum of|not fewer than|not less than|not under",
        "at_least",
    ),
    ("at most|no more than|a maximum of|maximum of|not more than|up to|not over", "at_most"),
    ("exactly|precisely", "exactly"),
];
/// Words behind a number of things that do not belong to their name.
const BEHIND: &str = "signed|on|in|at|for|available|scheduled|present|per|every|all|always|ready|who|that|by|\
    each|confirmed|booked|lined|assigned|to|there|serving|working|before|during|this|next|are|is|or more|\
    minimum|at least|around|from|standing|left|covered";
/// Relations of a thing to a number, each with the name of the argument.
const LIMITS: &[(&str, &str, &str)] = &[
    (
        "above|over|at or above|higher than|more than|greater than|warmer than|hotter than|exceeding|past",
        "above",
        "min",
    ),
    (
        "below|under|at or below|lower than|less than|cooler than|colder than|beneath",
        "below",
        "max",
    ),
    (
        "at|to|around|near|at exactly|exactly at|on|of|down to|up to|about|steady at|constant at",
        "at",
        "value",
    ),
];
/// Rooms, whose temperature is meant by degrees.
pub(super) const ROOMS: &str = "room|hall|kitchen|office|house|sanctuary|basement|garage|lobby|chapel|attic|\
    church|building|bedroom|bathroom|gym|cafe|studio|foyer|greenhouse|apartment|place|upstairs|downstairs|\
    nursery|auditorium|classroom|library|den|lounge|hallway|cellar|vestry|home|annex|narthex";
/// Words for the temperature itself.
const TEMPERATURES: &str = "temperature|temp|thermostat|heat|heating|ac|a c|air conditioning|\
    room temperature|it|air|heater|climate";
const DEGREES: &str = "degrees|degree|°|celsius|fahrenheit|deg";
/// Words before a number of things.
const THERE_ARE: &str = "theres|there are|there is|there be|that there are|we have|we always have|\
    there are always|there is always|always|there will be|there be always|i have|there|have|having";
/// Words for people of whom the place says who they are.
const PEOPLE: &str =
    "people|volunteers|volunteer|helpers|helper|workers|adults|folks|persons|person|someone";
/// Words before the place of people.
const IN_PLACE: &str =
    "in|on|for|at|in the|on the|for the|at the|serving in|working in|signed up for";
/// Words before a distance.
const WITHIN: &str = "in a radius of|inside a radius of|inside of|inside|within a radius of|within radius|\
    within|no further than|no farther than|no more than|closer than|less than";
/// Units of a distance.
const LENGTHS: &str = "m|meters|metres|cm|centimeters|centimetres|mm|millimeters|millimetres|feet|units|\
    unit|meter|metre|foot|inches|in|ft|km|miles|steps|percent|%|degrees";
/// Verbs between a thing and its limit.
const STAYS: &str = "stays|stay|is|are|remains|remain|to stay|to be|be|down|up|get|gets|go|goes|rise|rises|\
    drop|drops|fall|falls|at|climb|climbs|set|always";
/// Words before what is measured.
const MEASURES: &str = "number of|temperature in the|temperature of the|temperature in|temperature of|\
    heat in the|temp in the";

/// Reads bounds of a number of things: "at least 3 ushers signed up".
pub(super) fn bounded(was: Clause<'_>) -> Option<Predicate> {
    let clause = was;
    let clause = clause.past(THERE_ARE);
    for (words, bound) in BOUNDS {
        let Some(rest) = clause.after(words) else { continue };
        let Amount { value, rest } = amount(rest)?;
        return counted(rest, bound).map(|predicate| predicate.with("n", value));
    }
    if let Some(rest) = clause.after("between") {
        let low = amount(rest)?;
        let high = amount(low.rest.after("and|to")?)?;
        return counted(high.rest, "between")
            .map(|predicate| predicate.with("min", low.value).with("max", high.value));
    }
    let is_had = was.len() > clause.len() && was.has("always|at all times");
    let more = amount(clause).filter(|said| is_had || said.rest.starts("or more") > 0)?;
    counted(more.rest.past("or more"), "at_least").map(|predicate| predicate.with("n", more.value))
}

/// Reads the noun that is counted.
pub(super) fn counted(rest: Clause<'_>, bound: &str) -> Option<Predicate> {
    let noun = noun(rest);
    // "at least 2 people in nursery" counts those of the nursery.
    let place = noun.after(PEOPLE).and_then(|rest| rest.after(IN_PLACE));
    let noun = place.filter(|place| !place.is_empty()).unwrap_or(noun);
    let end = (1..noun.len()).find(|at| noun.from(*at).starts(BEHIND) > 0).unwrap_or(noun.len());
    Predicate::new(&name(noun.until(end))?, bound)
}

/// Reads a distance: "the ball within 0.1 of the center".
pub(super) fn within(clause: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    let sides = clause.split(WITHIN)?;
    let is_distance = sides.before.ends("to") == 0;
    let Amount { value, rest } = amount(sides.after)?;
    let value = in_metres(value, rest);
    let around = rest.past(LENGTHS);
    let is_short = around.starts("of|from|around|to|until|till|for") > 0
        || (around.is_empty() && clause.has("within|inside|inside of|in a radius of"));
    // "that ball close to the center, within 0.15"
    let near =
        sides.before.split("close to|near|at|in|,").map_or(sides.before, |sides| sides.before);
    let thing = thing(near.short_of("stays|stay|is|are|remains|always|to stay|to be"), subject)?;
    (is_distance && is_short).then_some(())?;
    Some(Predicate::new(&thing, "within_radius")?.with("r", value))
}

/// Returns a distance in metres, if it was said in a smaller unit of them.
fn in_metres(value: Value, unit: Clause<'_>) -> Value {
    let per_metre = [("cm|centimeters|centimetres", 100.0), ("mm|millimeters|millimetres", 1000.0)];
    let said = per_metre.iter().find(|(words, _)| unit.starts(words) > 0);
    match (said, value.as_f64()) {
        (Some((_, per_metre)), Some(number)) => (number / per_metre).into(),
        _ => value,
    }
}

/// Reads a thing whose number is limited: "the room between 68 and 72 degrees", "the volume below 5".
pub(super) fn limited(clause: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    let said = clause
        .split("stays|stay|is|are|remains|remain|to stay|to be|be|always")
        .map_or(clause, |_| clause);
    let is_warm =
        said.has(DEGREES) || said.has("thermostat|temperature|temp") || ends_with_room(said);
    if let Some(sides) = said.split("between|from") {
        let low = amount(sides.after)?;
        let high = amount(low.rest.past(DEGREES).after("and|to|-")?)?;
        let predicate = measured(before_verb(sides.before), subject, is_warm, "between")?;
        return Some(predicate.with("min", low.value).with("max", high.value));
    }
    let found = (0..said.len()).find_map(|at| {
        let rest = said.from(at);
        LIMITS.iter().find_map(|(words, name, arg)| {
            let amount = amount(rest.after(words)?)?;
            Some(Limit { before: said.until(at), name, arg, amount })
        })
    })?;
    let name = if is_warm { "temperature" } else { found.name };
    let predicate = measured(before_verb(found.before), subject, is_warm, name)?;
    Some(predicate.with(found.arg, found.amount.value))
}

/// A limit that was found in a clause.
struct Limit<'t> {
    before: Clause<'t>,
    name: &'static str,
    arg: &'static str,
    amount: Amount<'t>,
}

/// Whether a number of nothing else limits a room: "the living room between 68 and 72".
fn ends_with_room(clause: Clause<'_>) -> bool {
    let number = (1..clause.len()).find(|at| clause.is_number(*at));
    let what = number
        .map(|at| clause.until(at).short_of("at|between|above|below|under|over|from|around|about"));
    let is_room = what.is_some_and(|what| what.ends(ROOMS) > 0);
    is_room && clause.is_number(clause.len() - 1)
}

fn before_verb(clause: Clause<'_>) -> Clause<'_> {
    clause.short_of(STAYS).short_of("always|temperature|temp|is|are")
}

/// Names what is measured: the temperature of rooms is one predicate, with the room as its argument.
pub(super) fn measured(
    what: Clause<'_>,
    subject: Option<&str>,
    is_warm: bool,
    state: &str,
) -> Option<Predicate> {
    if !is_warm {
        let what = noun(what).past("number of");
        return Predicate::new(&thing(what, subject)?, state);
    }
    let what = noun(what).past(MEASURES);
    let what = noun(what);
    if what.is_empty() || what.is(TEMPERATURES) {
        return Predicate::new("room", "temperature");
    }
    let is_room = what.from(what.len() - 1).is(ROOMS);
    if is_room {
        let predicate = Predicate::new("room", "temperature")?;
        return Some(if what.is("room") {
            predicate
        } else {
            predicate.with("room", slug(what).replace('_', " "))
        });
    }
    Predicate::new(&thing(what, subject)?, "temperature")
}
