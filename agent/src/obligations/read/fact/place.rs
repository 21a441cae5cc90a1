//! Reads where users tell that they live: "I moved to Boise", "we left Denver for Boise".

use super::phrase::NO_PLACE;
use super::value;
use crate::obligations::read::clause::Clause;

/// Those who live somewhere.
const WE: &str = "i|we|ive|weve|i have|we have|im|i am|were|we are|my family|my family and i|my wife and i|\
    my husband and i|we all";
/// Words that say when, before the verb.
const WHEN: &str = "now|nowadays|these days|currently|recently|just|actually|still|presently|finally|\
    at the moment|right now|also|all|so|officially|since|today|as of today|, ";
/// Verbs before a city.
const LIVE: &str = "live in|live over in|live out in|live near|live at|living in|living over in|\
    living out in|reside in|residing in|based in|based out of|located in|settled in|moved to|moved back to|\
    moved over to|moved out to|moved up to|moved down to|moved on to|relocated to|been living in|come from|\
    make my home in|call|have moved to|got a place in|bought a house in";
/// Verbs before a city that is left.
const LEAVE: &str = "moved from|relocated from|left|moved out of|moved away from|came from|moved here from|\
    moved over from|relocated here from";
/// Whole openings before a city.
const HOME: &str = "my home is in|our home is in|my home is|my new home is|our new home is|home is|\
    home is in|home is now|home for me is|the city i live in is|the city where i live is|\
    the town i live in is|the place i live is|where i live is|my city is now|i call|we call|my new city is|\
    you can find me in|vivo en|ahora vivo en|me mude a|soy de";
/// Words behind a city that is said first.
const IS_HOME: &str = "is where i live|is where im living|is where we live|is my home|is home|is my city|\
    is my home town|is home now|is my new home|is where im based|is where i live now";
/// Words behind a city.
const BEHIND: &str = "for|since|with|near|because|home|after|where|(|from";

/// Reads the city where a user tells to live.
pub(super) fn city(clause: Clause<'_>) -> Option<String> {
    let clause = passed(clause, WHEN);
    if let Some(place) = clause.after(HOME).or_else(|| clause.before(IS_HOME)) {
        let is_name = place.is_capital(0) && place.len() <= 4;
        return is_name.then(|| named(place)).flatten();
    }
    let who = clause.starts(WE);
    let verb = passed(clause.from(who), WHEN);
    let is_told = who > 0 || verb.starts("moved|relocated") > 0;
    if let Some(left) = verb.after(LEAVE).filter(|_| is_told) {
        return left.split("to|for").and_then(|sides| named(sides.after));
    }
    if let Some(place) = verb.after(LIVE).filter(|place| is_told && is_place(*place)) {
        return named(place.past("the city of|beautiful|sunny|lovely|good old"));
    }
    // "I'm in Boise", "I'm from Boise"
    let place = verb.after("in|from").filter(|place| place.is_capital(0) && is_place(*place))?;
    let is_being = clause.starts("im|i am|were|we are") > 0;
    is_being.then(|| named(place)).flatten()
}

fn named(place: Clause<'_>) -> Option<String> {
    let end = (1..place.len()).find(|at| place.from(*at).starts(BEHIND) > 0);
    value(place.until(end.unwrap_or(place.len())))
}

/// Whether a clause can name a place: "I live in Boise", but not "I live in a house".
fn is_place(clause: Clause<'_>) -> bool {
    clause.starts(NO_PLACE) == 0 && !clause.is_number(0) && !clause.is_empty()
}

fn passed<'t>(clause: Clause<'t>, phrases: &str) -> Clause<'t> {
    let mut clause = clause.trimmed();
    while let Some(rest) = clause.after(phrases) {
        clause = rest.trimmed();
    }
    clause
}
