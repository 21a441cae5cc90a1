//! Reads what users tell about themselves: "my name is Sam", "I moved to Boise", "actually it's Katherine".

mod correction;
mod further;
mod phrase;
mod place;

pub(super) use correction::correction;

use super::clause::Clause;
use super::courtesy::bare;
use super::field;
use super::token::Kind;
use crate::number::number;
use crate::obligations::Obligation;
use further::{anything, changed, further};
use phrase::{
    ANSWERS, BEHIND, CALLED, COLOURS, FIRST_NAMES, IS, KEEP, LIVES_IN, NO_NAME, ORDERS, REACHED,
    REMEMBER, TOLD,
};

/// Maximum length of a value in characters: an address fits.
const VALUE_CHARS_MAX: usize = 120;

/// Reads a fact that a clause tells.
pub(super) fn read(clause: Clause<'_>) -> Option<Vec<Obligation>> {
    if clause.ends("?") > 0 || clause.has("dont you|right ?") {
        return None;
    }
    let clause = bare(clause);
    if let Some(fact) = changed(clause) {
        return Some(vec![fact]);
    }
    if clause.has("used to") {
        return None;
    }
    if let Some(rest) = clause.after("forget|delete|erase|remove|clear|unlearn|wipe") {
        let noun = rest.after("my")?;
        return field::of(noun).map(|field| vec![Obligation::forget(&field)]);
    }
    if clause.after("i no longer live in|i dont live in").is_some() {
        return Some(vec![Obligation::forget("city")]);
    }
    let fact = bare(clause.past(REMEMBER));
    let is_ordered = clause.starts(KEEP) > 0;
    let told = told(fact).or_else(|| if is_ordered { anything(fact) } else { None });
    told.map(|fact| vec![fact])
}

fn told(clause: Clause<'_>) -> Option<Obligation> {
    if let Some(at) = clause.after(REACHED) {
        let value = value(at)?;
        let field = if value.contains('@') { "email" } else { "phone" };
        return Some(Obligation::save(field, &value));
    }
    let short = clause.after("names").filter(|_| clause.until(1).raw().contains(['\'', '’']));
    if let Some(name) = short.or_else(|| clause.after(CALLED)).filter(|name| is_name(*name)) {
        return value(name).map(|name| Obligation::save("name", &name));
    }
    if let Some(city) = place::city(clause) {
        return Some(Obligation::save("city", &city));
    }
    if let Some(known) = TOLD
        .iter()
        .find_map(|(words, field)| Some(Obligation::save(field, &value(clause.after(words)?)?)))
    {
        return Some(known);
    }
    myself(clause)
        .or_else(|| further(clause))
        .or_else(|| mine(clause))
        .or_else(|| turned(clause))
        .or_else(|| ordered(clause))
}

/// Reads "I'm Sam", "this is Sam", "Sam here", "I'm 34".
fn myself(clause: Clause<'_>) -> Option<Obligation> {
    if let Some(name) = clause.before("here|speaking").filter(|name| name.len() <= 2) {
        let is_said = is_name(name) && (0..name.len()).all(|at| name.is_capital(at));
        return is_said.then(|| Obligation::save("name", name.raw()));
    }
    if let Some(colour) = clause
        .after("i like|i love|i prefer")
        .and_then(|rest| rest.before("best|most|the most|the best"))
    {
        let is_colour = colour.past("the colour").is(COLOURS);
        return is_colour
            .then(|| Obligation::save("favourite_colour", colour.past("the colour").raw()));
    }
    let rest = clause.after("im|i am|this is|its|hi im")?;
    let age = number(rest.word(0)).filter(|age| (1..150).contains(age));
    let is_age = rest.len() == 1 || rest.from(1).starts("years|yrs|yo|and|year|now|today") > 0;
    if let Some(age) = age.filter(|_| is_age && clause.starts("im|i am") > 0) {
        return Some(Obligation::save("age", &age.to_string()));
    }
    let rest = if clause.word(0) == "its" { rest.past("me") } else { rest };
    let is_known = clause.word(0) != "its" && rest.until(1).is(FIRST_NAMES);
    let is_said = is_name(rest) && (rest.is_capital(0) || is_known) && rest.len() <= 3;
    is_said.then(|| value(rest)).flatten().map(|name| Obligation::save("name", &name))
}

/// Reads "my favourite colour is orange", "my brother lives in Reno", "name: Sam".
fn mine(clause: Clause<'_>) -> Option<Obligation> {
    let Some(owned) = clause.after("my|our") else {
        let sides = clause.split(":|=")?;
        let field = field::of(sides.before).filter(|_| field::is_common(sides.before))?;
        return Some(Obligation::save(&field, &value(sides.after)?));
    };
    // "my brother lives in Reno", "my sister Ann lives in Reno"
    if let Some(sides) = owned.split(LIVES_IN)
        && let Some(who) = (1..=sides.before.len())
            .rev()
            .map(|end| sides.before.until(end))
            .find(|who| field::is_relation(*who))
    {
        let field = format!("{}_city", field::slug(who));
        return Some(Obligation::save(&field, &value(sides.after)?));
    }
    if let Some(sides) = owned.split("is called|is named|goes by|are called|are named") {
        let field = field::of(sides.before).filter(|_| field::is_relation(sides.before))?;
        return Some(Obligation::save(&field, &value(sides.after)?));
    }
    // "my name's Sam"
    if let Some(name) = owned.after("names").filter(|name| !name.is_empty() && name.word(0) != "is")
    {
        return Some(Obligation::save("name", &value(name)?));
    }
    if let Some(fact) = with_short_is(owned) {
        return Some(fact);
    }
    let sides = owned.split(IS)?;
    let field = field::of(sides.before)?;
    let is_somebody = field::is_relation(sides.before);
    let has_value = !is_somebody || sides.after.is_capital(0);
    let is_denied =
        sides.after.starts("spelled|spelt|pronounced|not|what|who|where|when|which|how|unknown to")
            > 0
            || owned.has("isnt");
    if !has_value || is_denied {
        return None;
    }
    Some(Obligation::save(&field, &value(sides.after.past("the colour|on"))?))
}

/// Reads "my favourite colour's teal".
fn with_short_is(owned: Clause<'_>) -> Option<Obligation> {
    (0..owned.len().min(3)).find_map(|at| {
        let is_short = owned.slice(at..at + 1).raw().contains(['\'', '’']);
        let noun = owned.until(at + 1).plain();
        let noun = noun.strip_suffix('s').filter(|_| is_short)?;
        let field = field::of_common(noun)?;
        Some(Obligation::save(&field, &value(owned.from(at + 1))?))
    })
}

/// Reads "orange is my favourite colour".
fn turned(clause: Clause<'_>) -> Option<Obligation> {
    // "Dana, that's my name"
    if let Some(sides) =
        clause.split("thats my|that is my").filter(|sides| !sides.before.is_empty())
    {
        let field = field::of(sides.after).filter(|_| field::is_common(sides.after))?;
        return Some(Obligation::save(&field, &value(sides.before)?));
    }
    // "green's my favourite colour"
    let short = (1..clause.len().min(4))
        .find(|at| clause.word(*at) == "my" && clause.slice(at - 1..*at).raw().ends_with("'s"));
    let short =
        short.filter(|_| clause.starts("whats|whos|wheres|whens|hows|its|thats|heres|theres") == 0);
    if let Some(at) = short {
        let field =
            field::of(clause.from(at + 1)).filter(|_| field::is_common(clause.from(at + 1)))?;
        let said = clause.until(at).raw();
        return Some(Obligation::save(&field, said.strip_suffix("'s").unwrap_or(said)));
    }
    let sides = clause.split("is my|are my|is also my")?;
    let field = field::of(sides.after.past("new"))?;
    let is_question =
        sides.before.starts("what|who|which|where|when|how|whats|whos|that|this|it|here") > 0;
    let value = value(sides.before).filter(|_| !is_question && sides.before.len() <= 4)?;
    Some(Obligation::save(&field, &value))
}

/// Reads "change my email to sam@example.com", "use 555-0101 as my number".
fn ordered(clause: Clause<'_>) -> Option<Obligation> {
    let rest = clause.past("you can|you should|you may|i").after(ORDERS)?;
    if let Some(owned) = rest.after("my") {
        let sides = owned.split("to|as|to be|:|is|from")?;
        // "my name from Kim to Kay"
        let (noun, said) = match owned.split("from") {
            Some(from) => (from.before, from.after.split("to")?.after),
            None => (sides.before, sides.after),
        };
        let field = field::of(noun).filter(|_| field::is_common(noun))?;
        let value = value(said.past("be"))?;
        return Some(Obligation::save(&field, &value));
    }
    let sides = rest.split("as my|for my|to my")?;
    let field = field::of(sides.after).filter(|_| field::is_common(sides.after))?;
    Some(Obligation::save(&field, &value(sides.before)?))
}

/// Reads a bare value as the answer to a question for a field: "Sam".
pub(super) fn answer(clause: Clause<'_>, field: &str) -> Option<Vec<Obligation>> {
    let clause = bare(clause);
    let said = clause.past(ANSWERS);
    let is_short = said.len() <= 12 && clause.ends("?") == 0 && said.starts(NO_NAME) == 0;
    Some(vec![Obligation::save(field, &value(said).filter(|_| is_short)?)])
}

/// Whether a text is nothing but a name, as an answer to "what's your name?" is.
pub(super) fn is_bare_name(clause: Clause<'_>) -> bool {
    let clause = bare(clause);
    let is_word = |at: usize| {
        clause.is_capital(at) && clause.token(at).is_some_and(|token| token.kind == Kind::Word)
    };
    !clause.is_empty() && clause.len() <= 3 && is_name(clause) && (0..clause.len()).all(is_word)
}

fn is_name(clause: Clause<'_>) -> bool {
    let is_word =
        clause.token(0).is_some_and(|token| matches!(token.kind, Kind::Word | Kind::Quoted));
    is_word && clause.starts(NO_NAME) == 0 && !clause.word(0).ends_with("ing")
}

/// Returns a value without the words behind it.
fn value(clause: Clause<'_>) -> Option<String> {
    let clause = clause.trimmed();
    if clause.token(0).is_some_and(|token| token.kind == Kind::Quoted) {
        return Some(clause.until(1).unquoted().to_owned());
    }
    let ends = |at: usize| {
        let rest = clause.from(at);
        let after_comma = rest.after(",").is_some_and(|rest| rest.starts(BEHIND) > 0);
        (rest.starts(BEHIND) > 0 && !clause.is_glued(at)) || after_comma
    };
    // "Kit, K-I-T"
    let is_spelled = |at: usize| {
        clause.word(at) == ","
            && (at + 1..clause.len()).step_by(1).all(|at| clause.word(at).chars().count() == 1)
            && clause.len() > at + 2
    };
    let end = (1..clause.len()).find(|at| ends(*at) || is_spelled(*at)).unwrap_or(clause.len());
    let value = clause.until(end).trimmed().raw();
    let is_short = value.chars().nth(VALUE_CHARS_MAX).is_none();
    (!value.is_empty() && is_short).then(|| value.to_owned())
}

#[cfg(test)]
mod tests;
