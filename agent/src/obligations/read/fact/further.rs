//! Reads facts that few people tell: a family, a diet, a change, anything that is to be remembered.

use super::phrase::{DIETS, FAMILY, MONTHS, PREFERENCES};
use super::value;
use crate::number::number;
use crate::obligations::Obligation;
use crate::obligations::read::clause::Clause;
use crate::obligations::read::field;

/// Reads "my favourite colour used to be red, now it's blue".
pub(super) fn changed(clause: Clause<'_>) -> Option<Obligation> {
    let sides = clause.after("my|our")?.split("used to be|was")?;
    let field = field::of(sides.before)?;
    let now = sides
        .after
        .split("now its|now it is|now|its now|it is now|but its|but it is|these days its")?;
    let said = now.after.past("its|it is|is|thats").short_of("now|these days");
    Some(Obligation::save(&field, &value(said)?))
}

/// Reads "I have two kids", "we have a dog named Rex", "I'm vegetarian", "I speak Spanish".
pub(super) fn further(clause: Clause<'_>) -> Option<Obligation> {
    if let Some(age) = clause
        .after("i turned|i just turned|i turn|i am turning")
        .and_then(|rest| number(rest.word(0)))
    {
        return Some(Obligation::save("age", &age.to_string()));
    }
    if let Some(day) = clause.after("i was born|born").filter(|day| day.has(MONTHS)) {
        return Some(Obligation::save("birthday", &value(day)?));
    }
    if let Some(diet) = clause.after("im a|im an|im|i am|i am a").filter(|diet| diet.is(DIETS)) {
        return Some(Obligation::save("diet", diet.raw()));
    }
    for (words, field) in PREFERENCES {
        if let Some(said) = clause.after(words).filter(|said| !said.is_empty() && said.len() <= 6) {
            return Some(Obligation::save(field, &value(said)?));
        }
    }
    let owned = clause.after("i have|ive got|i have got|we have|weve got|i own")?;
    let named =
        owned.past("a|an").split("named|called").filter(|sides| field::is_relation(sides.before));
    if let Some(sides) = named {
        return Some(Obligation::save(
            &format!("{}_name", field::slug(sides.before)),
            &value(sides.after)?,
        ));
    }
    if let Some(allergy) = owned.past("a|an").before("allergy|allergies") {
        return Some(Obligation::save("allergy", &value(allergy)?));
    }
    let is_family = number(owned.word(0)).is_some() && owned.from(1).is(FAMILY);
    is_family.then(|| Obligation::save(&field::slug(owned.from(1)), owned.word(0)))
}

/// Reads a fact that is to be remembered, whatever it is about: "the door code is 4411".
pub(super) fn anything(fact: Clause<'_>) -> Option<Obligation> {
    let named = fact
        .after("the|our")
        .and_then(|fact| fact.split("is|are|=|:"))
        .and_then(|sides| Some(Obligation::save(&field::of(sides.before)?, &value(sides.after)?)));
    let is_sentence = fact.len() > 1
        && fact.starts("to|what|who|me|it|that|this|when|where|how|if|about|us") == 0;
    named.or_else(|| {
        is_sentence.then(|| value(fact)).flatten().map(|note| Obligation::save("note", &note))
    })
}
