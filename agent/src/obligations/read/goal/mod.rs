//! Reads orders about the state of the world: what to bring about, to keep, and to avoid.

mod achieve;
mod assign;
mod avoid;
mod predicate;
mod quantity;
mod release;
mod state;

use serde_json::Value;

use super::clause::Clause;
use super::courtesy::bare;
use crate::obligations::{Obligation, ObligationType};
use predicate::{Predicate, name, noun, thing};
use quantity::{bounded, within};
use state::{NEVER_BELOW, state};

/// Words that keep something as it is.
const KEEP: &str = "keep|maintain|hold|always keep|please keep|keep on|preserve|leave|continue to keep|\
    make sure to keep|make sure you keep|be sure to keep|try to keep|you should keep|you must keep|\
    make sure we keep|i want you to keep|i need you to keep|ensure you keep|always maintain|always have|\
    always hold|always leave";
/// Words before a state that holds from now on.
const SURE: &str = "make sure that|make sure|ensure that|ensure|see to it that|i want|i need|we need|we want|\
    id like|there must|there should|guarantee that|guarantee|make certain that|make certain|be sure that|\
    be sure|always make sure that|always make sure|always ensure that|always ensure|see that|\
    its important that|it is important that|its crucial that|its essential that|it is essential that|\
    please make it so that|its vital that";
/// Words that say that a state holds from now on.
const ALWAYS: &str = "always|at all times|constantly|continuously|stays|stay|remains|remain|the whole time|\
    all the time|throughout|forever|until further notice|all day|all night|never drops below|\
    never falls below|never goes below|never less than|never fewer than|every time|around the clock|\
    each sunday|every sunday|every week|each week|permanently|consistently|for the whole|for the entire|\
    the entire time|24 7|never drop below|never fall below|never go below|never has fewer than|\
    never has less than|never have fewer than|never have less than|never dips below|any time|at any time|\
    at every moment";
/// Words behind "keep" that keep nothing.
const TALK: &str = "going|in mind|me posted|up the|track|doing|calm|quiet|it up|in touch";
/// Words that begin an order that holds from now on.
const OPENS: &str = "always|at all times|at least|no fewer than|no more than|at most|there must always|\
    there should always";
/// Words between a thing and what always holds of it.
const MUST_ALWAYS: &str = "must always|should always|needs to always|has to always|must stay|should stay|\
    must remain|should remain|needs to stay|has to stay|is to stay|always has to|always needs to|\
    always have to|always stays|must be kept|should be kept";

/// The beginnings of predicates that count people of any kind.
const PEOPLE: [&str; 6] = ["people.", "adults.", "helpers.", "volunteers.", "workers.", "persons."];

/// Reads an order about a state. `subject` is the thing that was named before.
pub(super) fn read(clause: Clause<'_>, subject: Option<&str>) -> Option<Vec<Obligation>> {
    if clause.ends("?") > 0
        && bare(clause).starts("what|whats|who|when|where|how|why|is|are|does|am|which") > 0
    {
        return None;
    }
    let clause = bare(clause);
    let found = |obligation_type, predicate: Predicate| {
        vec![Obligation::of_predicate(
            obligation_type,
            &predicate.name,
            Value::Object(predicate.args),
        )]
    };
    if let Some(predicate) = release::read(clause, subject) {
        return Some(found(ObligationType::Achieve, predicate));
    }
    if let Some(predicate) = kept(clause, subject) {
        return Some(found(ObligationType::Maintain, predicate));
    }
    if let Some(predicate) = avoid::read(clause, subject) {
        return Some(found(ObligationType::Avoid, predicate));
    }
    achieve::read(clause, subject)
        .or_else(|| achieve::said(clause))
        .map(|predicate| found(ObligationType::Achieve, predicate))
}

/// Reads a state that is to be kept.
fn kept(clause: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    if let Some(body) = clause.after(KEEP) {
        let is_other = clause.starts("leave") > 0 && body.has("on|off|open") && !clause.has(ALWAYS);
        let is_prevention =
            body.split("from").is_some_and(|sides| sides.after.word(0).ends_with("ing"));
        let is_talk = body.starts(TALK) > 0;
        return if is_other || is_prevention || is_talk { None } else { state(body, subject) };
    }
    let is_denied = clause.starts("always avoid|always never") > 0;
    let is_bare = clause.after("always|at all times").is_some_and(|rest| {
        rest.starts("the|my|our|have|keep|at least|leave|maintain|at most|no") == 0
    });
    if is_denied || is_bare {
        return None;
    }
    let sure = clause.after(SURE).or_else(|| clause.starts(OPENS).gt(&0).then_some(clause));
    if let Some(body) = sure.filter(|_| clause.has(ALWAYS)) {
        let is_denied = body.has("never|dont|not") && !body.has(NEVER_BELOW);
        return if is_denied {
            None
        } else {
            state(body.past("be|that").past("always|at all times").past("be"), subject)
        };
    }
    if clause.starts("no more than|at most|at least|no fewer than|no less than|not more than") > 0 {
        return bounded(clause);
    }
    // "ball within 0.1 at all times"
    if clause.has(ALWAYS) && clause.has("within") {
        return within(clause.short_of("at all times|always|all the time|throughout"), subject);
    }
    // "the nursery must always have 2 helpers"
    let sides = clause.split(MUST_ALWAYS)?;
    let is_thing = sides.before.starts("the|my|our|all|every|a|an|it|there|we") > 0;
    if !is_thing {
        return None;
    }
    let rest = sides.after.past("be|have|stay|remain|there be");
    // "the nursery should always have at least two adults" is about the nursery
    if let Some(bound) = bounded(rest) {
        let is_general = PEOPLE.iter().any(|people| bound.name.starts_with(people));
        let place = thing(sides.before, subject)
            .filter(|_| is_general && sides.before.starts("there|it|we") == 0);
        let Some((place, (_, state))) = place.zip(bound.name.split_once('.')) else {
            return Some(bound);
        };
        return Some(Predicate { name: format!("{place}.{state}"), args: bound.args.clone() });
    }
    let is_we = sides.before.is("we");
    let state = name(noun(achieve::short(rest)))?;
    (!is_we).then(|| Predicate::new(&thing(sides.before, subject)?, &state)).flatten()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, show};

    #[test]
    fn states_are_brought_about() {
        check(
            show,
            &[
                ("turn off the hall light", "ACHIEVE hall_light.off args={} pred=hall_light.off"),
                ("switch the fan on please", "ACHIEVE fan.on args={} pred=fan.on"),
                (
                    "move the ball to the center",
                    "ACHIEVE ball.at_center args={} pred=ball.at_center",
                ),
                ("lock the front door", "ACHIEVE front_door.locked args={} pred=front_door.locked"),
                (
                    "get the living room down to 70 degrees",
                    r#"ACHIEVE room.temperature args={"room":"living room","value":70} pred=room.temperature"#,
                ),
                (
                    "set the thermostat to 68",
                    r#"ACHIEVE room.temperature args={"value":68} pred=room.temperature"#,
                ),
                (
                    "set the volume to 5",
                    r#"ACHIEVE volume.level args={"value":5} pred=volume.level"#,
                ),
                (
                    "make sure the report is sent by Friday",
                    r#"ACHIEVE report.sent args={"by":"Friday"} pred=report.sent"#,
                ),
            ],
        );
    }

    #[test]
    fn states_are_kept() {
        check(
            show,
            &[
                (
                    "keep the ball within 0.1",
                    r#"MAINTAIN ball.within_radius args={"r":0.1} pred=ball.within_radius"#,
                ),
                (
                    "make sure there are always at least 3 ushers signed up",
                    r#"MAINTAIN ushers.at_least args={"n":3} pred=ushers.at_least"#,
                ),
                (
                    "keep the front door locked",
                    "MAINTAIN front_door.locked args={} pred=front_door.locked",
                ),
                (
                    "keep the nursery between 68 and 72 degrees",
                    r#"MAINTAIN room.temperature args={"max":72,"min":68,"room":"nursery"} pred=room.temperature"#,
                ),
                (
                    "make sure the door stays closed",
                    "MAINTAIN door.closed args={} pred=door.closed",
                ),
                ("keep the ball in the box", "MAINTAIN ball.in_box args={} pred=ball.in_box"),
            ],
        );
    }

    #[test]
    fn what_must_not_happen_is_avoided() {
        check(
            show,
            &[
                (
                    "don't ever put Dana on nursery",
                    r#"AVOID assign.nursery args={"name":"Dana"} pred=assign.nursery"#,
                ),
                (
                    "never text people after 9pm",
                    r#"AVOID text.after args={"time":"9pm","who":"people"} pred=text.after"#,
                ),
                (
                    "never let the ball touch the wall",
                    "AVOID ball.touch_wall args={} pred=ball.touch_wall",
                ),
                (
                    "the ball must never touch the wall",
                    "AVOID ball.touch_wall args={} pred=ball.touch_wall",
                ),
                (
                    "keep the dog from entering the kitchen",
                    "AVOID dog.enter_kitchen args={} pred=dog.enter_kitchen",
                ),
                ("don't turn off the heater", "AVOID heater.off args={} pred=heater.off"),
                ("never share my number", "AVOID share.number args={} pred=share.number"),
                (
                    "keep the ball within 0.2 of the center and never let it touch the wall",
                    r#"MAINTAIN ball.within_radius args={"r":0.2} pred=ball.within_radius + AVOID ball.touch_wall args={} pred=ball.touch_wall"#,
                ),
                ("never mind", "CLARIFY slot slot=request"),
                ("don't worry about it", "CLARIFY slot slot=request"),
            ],
        );
    }
}
