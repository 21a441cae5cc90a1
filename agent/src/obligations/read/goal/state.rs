//! Reads the state of a thing: "the ball within 0.1", "at least 3 ushers", "the door locked".

use super::achieve;
use super::predicate::{Amount, Predicate, amount, located, name, noun, thing};
use super::quantity::{bounded, limited, measured, within};
use crate::obligations::read::clause::Clause;

/// Words of a lower bound.
pub(super) const NEVER_BELOW: &str = "never drops below|never falls below|never goes below|never less than|\
    never fewer than|never drop below|never fall below|never go below|never has fewer than|\
    never has less than|never have fewer than|never have less than|never dips below";
/// Words behind a state that holds from now on.
const FOR_EVER: &str = "at all times|always|all the time|all day|all night|constantly|the whole time|please|\
    around the clock|throughout|forever";

/// Reads the state of a thing: "the ball within 0.1", "at least 3 ushers", "the door locked".
pub(super) fn state(body: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    let body = body.trimmed().past("theres|there is|there are").past("always").short_of(FOR_EVER);
    if let Some(rest) = body.split(NEVER_BELOW) {
        let amount = amount(rest.after)?;
        return Some(
            Predicate::new(&thing(rest.before, subject)?, "at_least")?.with("n", amount.value),
        );
    }
    // "68 degrees in the sanctuary"
    if let Some(Amount { value, rest }) = amount(body)
        && let Some(rest) = rest.after("degrees|degree|°")
    {
        let place = rest.past("fahrenheit|celsius|f|c").past("in|at");
        return Some(measured(place, subject, true, "temperature")?.with("value", value));
    }
    if let Some(predicate) = staffed(body) {
        return Some(predicate);
    }
    if let Some(predicate) =
        bounded(body).or_else(|| within(body, subject)).or_else(|| limited(body, subject))
    {
        return Some(predicate);
    }
    let verbs = "is always|are always|is|are|stays|stay|remains|remain|always stays|always stay|be";
    if let Some(sides) = body.split(verbs).filter(|sides| !sides.before.is_empty()) {
        let after = sides.after.past("always|kept");
        return Predicate::new(&thing(sides.before, subject)?, &named(after)?);
    }
    for (words, place) in [
        ("at", "at"),
        ("in|inside", "in"),
        ("on|on top of", "on"),
        ("away from|clear of|out of|far from", "away_from"),
        ("near|close to|next to", "near"),
    ] {
        if let Some(sides) =
            body.split(words).filter(|sides| !sides.before.is_empty() && !sides.after.is_empty())
        {
            let place = located(place, achieve::short(sides.after))?;
            return Predicate::new(&thing(sides.before, subject)?, &place);
        }
    }
    // "the front door locked", "the lights on"
    let body = if body.ends("on|off") > 0 { body } else { achieve::short(body) };
    let last = body.len().checked_sub(1).filter(|last| *last > 0)?;
    if body.from(last).is("there|here|going|up|it|that|so|away") {
        return None;
    }
    Predicate::new(&thing(body.until(last), subject)?, body.word(last))
}

fn named(after: Clause<'_>) -> Option<String> {
    let after = achieve::short(after.past("fully|all|completely|properly"));
    for (words, place) in [("at", "at"), ("in|inside", "in"), ("on|on top of", "on")] {
        if let Some(rest) = after.after(words).filter(|rest| !rest.is_empty()) {
            return located(place, rest);
        }
    }
    name(noun(after))
}

/// Reads how many are somewhere: "nursery always has 2 helpers", "someone on security".
fn staffed(body: Clause<'_>) -> Option<Predicate> {
    if let Some(place) = body.after(
        "someone on|somebody on|someone in|somebody in|someone at|somebody at|one person on|one person in",
    ) {
        return Some(Predicate::new(&name(noun(achieve::short(place)))?, "at_least")?.with("n", 1));
    }
    let sides = body
        .split("always has|always have|has|have|always has at least|has at least|have at least")
        .filter(|sides| (1..=3).contains(&sides.before.len()))?;
    let Amount { value, .. } = amount(sides.after.past("at least|a minimum of|always"))?;
    let is_place = sides.before.starts("we|i|you|they|there|it") == 0;
    is_place
        .then(|| Predicate::new(&name(noun(sides.before))?, "at_least"))
        .flatten()
        .map(|predicate| predicate.with("n", value))
}
