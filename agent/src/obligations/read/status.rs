//! Reads questions for what is known of the user: "what's my name", "where do I live".

use super::clause::Clause;
use super::courtesy::bare;
use super::field;
use crate::obligations::Obligation;
use crate::obligations::memory::{Memory, StatusQuestion};

/// Whole questions, each with the field that it asks for.
const QUESTIONS: &[(&str, &str)] = &[
    (
        "name",
        "who this is|who is this|whos this|who are you talking to|who im|who i am talking as|como me llamo|\
            cual es mi nombre|como te llamas|cual es tu nombre|quien soy|who am i|what am i called|\
            what do you call me|what do they call me|what does everyone call me|what does everybody call me|\
            what should you call me|who i am|what are you called|who are you|what should i call you|\
            what do i call you|have a name|you have a name|do you have a name|you got a name|got a name|\
            have you got a name|your name|what is your name|whats your name|what was your name|\
            may i have your name|what do people call me|what do my friends call me|\
            what did i say i was called|what i am called|what im called|what name did i give you|\
            what name do you have for me|what name did i give|do you know me|whats ur name|what is ur name|\
            what did i tell you to call me|what did i ask you to call me|what name do i go by|\
            what do i go by|whats the name|state your name|your name is|whats your name again|\
            what do they call you|name yourself|what am i named|say my name|what should i be called",
    ),
    (
        "city",
        "where did i say i was from|where did i say im from|what town do i call home|\
            which town do i call home|where did i say home was|donde vivo|en que ciudad vivo|where do i live|\
            where am i living|where is home|wheres home|where is my home|wheres my home|\
            what city do i live in|which city do i live in|which city am i in|what city am i in|\
            what town do i live in|which town do i live in|what town am i in|which town am i in|\
            where am i based|where am i|where am i located|where i live|what city i live in|\
            where did i say i live|where did i move|where did i move to|where have i moved|\
            where have i moved to|where am i from|where do i come from|what city am i from|\
            where do you think i live|in which city do i live|in what city do i live|\
            what city do i call home|where was i living|where did i say i lived|where did i tell you i live|\
            where im living|where i am living|what city did i move to|which city did i move to|where am i at|\
            where do i reside|where i am from|what city did i say i live in|what place do i live in|\
            where do i stay|what city am i living in|which city am i living in",
    ),
    (
        "age",
        "how old did i say i am|how old did i say i was|what age am i|cuantos anos tengo|how old am i|\
            how old i am|how many years old am i",
    ),
    (
        "birthday",
        "when was i born|when do i celebrate my birthday|what day was i born|when i was born|\
            what day is my birthday on",
    ),
    ("birthplace", "where was i born"),
    (
        "employer",
        "where do i work|who do i work for|what company do i work for|which company do i work for|\
            where i work",
    ),
    ("job", "what do i do for a living|what do i do for work|what do i work as"),
    (
        "phone",
        "how can i be reached|what number did i give you|what number can i be reached at|\
            which number is mine|what number did i give|whats the number i gave you|\
            what number can you reach me at|what number can you reach me on|what number do i have|\
            how can you reach me",
    ),
    (
        "email",
        "what email did i give you|which email did i give you|where do i get my mail|\
            what email address did i give you|what email do i use|which email do i use",
    ),
    (
        "favourite_colour",
        "what colour do i like best|what colour do i like|what colour do i like most|\
            which colour do i like best|which colour do i like|which colour do i like most|\
            what colour do i love|which colour is my favourite|what colour is my favourite|\
            what colour did i say i like|what colour do i prefer|the colour i like best",
    ),
    ("car", "what car do i drive|which car do i drive|what do i drive"),
    ("allergy", "what am i allergic to"),
];
/// The field of the name that the user gives to the agent.
const ASSISTANT_NAME: &str = "assistant_name";
/// Questions for the name of the agent.
const ASSISTANT: &str = "who are you|what are you called|what should i call you|what do i call you|your name|\
    what is your name|whats your name|whats your name again|do you have a name|have a name";
/// Words before a field.
const BEFORE: &str = "what is my|whats my|what are my|what was my|whos my|who is my|when is my|whens my|\
    where is my|wheres my|which is my|what did i say my|what did i say was my|what did i tell you my|\
    what did i tell you was my|what do you have for my|what do you have as my|what do you have down as my|\
    do you have my|have my|have you got my|did i tell you my|did i give you my|did i ever tell you my|\
    give me my|show me my|read me my|read back my|remind me of my|remind me what my|remind me my|\
    remind me when my|remind me who my|remind me where my|what my|who my|where my|when my|look up my|look my|\
    find my|got my|know my|remember my|recall my|tell me my|what about my|how about my|what day is my|\
    what date is my|what month is my|which day is my|when was my|say my|what does it say for my|\
    what have i told you my|what have you got for my|repeat my|did i mention my|check my|\
    what you have for my|you know my|what you know my|whats the value of my|who was my|\
    what did i tell you about my|have i told you my|did i tell you about my|have i ever told you my|\
    have i given you my|what did i say about my|what do you know about my|do you have a record of my|\
    have a record of my";
/// Words before somebody whose name is asked for.
const NAME_OF: &str = "what is the name of my|whats the name of my|the name of my|what did i name my|\
    what do i call my|what did i call my";
/// Words after a field.
const BEHIND: &str = "is|was|are|were|again|on file|in your records|in the records|that i gave you|\
    i gave you|i told you|that i told you|saved|stored|right now|these days|now|currently|nowadays|\
    at the moment|today|on record|in memory|as|please|known|is again|supposed to be|that you have|you have|\
    you have on file|been|be|for you|do you have|did i say|i said|down|already|or not|around here|here|\
    in this town";
/// Words before a field of which a fact may be known.
const OF_THE: &str = "what is the|whats the|what was the|what is our|whats our|the|when is the";

/// Reads a question for a field. A question for "the" something counts if such a fact was told.
pub(super) fn read(clause: Clause<'_>, memory: &Memory) -> Option<Vec<Obligation>> {
    let is_question = clause.ends("?") > 0;
    let bare = bare(clause);
    let is_asked = is_question || bare.len() < clause.trimmed().len();
    let clause = behind(bare);
    let question = clause.past("remind me|tell me|and|so");
    let whole = QUESTIONS
        .iter()
        .find(|(_, phrases)| clause.is(phrases) || question.is(phrases) || bare.is(phrases));
    if let Some((field, _)) = whole {
        let of_assistant = clause.has("you|your")
            && memory.recall(ASSISTANT_NAME).is_some()
            && clause.is(ASSISTANT);
        return Some(report(if of_assistant { ASSISTANT_NAME } else { field }));
    }
    if let Some(somebody) = clause.after(NAME_OF) {
        return Some(report(&format!("{}_name", field::slug(somebody))));
    }
    if let Some(noun) = clause.after(BEFORE) {
        let noun = noun.past("favourite favourite");
        let (noun, is_name) =
            noun.before("called|named").map_or((noun, false), |noun| (noun, true));
        let field = field::of(behind(noun))?;
        let field =
            if is_name && !field.ends_with("_name") { format!("{field}_name") } else { field };
        return Some(report(&field));
    }
    if let Some(noun) = clause.after("my").filter(|noun| is_asked || field::is_common(*noun)) {
        return field::of(behind(noun)).map(|field| report(&field));
    }
    if let Some(who) =
        clause.after("where does my|where do my|what city does my|which city does my|where is my")
    {
        let who = who.short_of("live|live in|live now|stay|living");
        return field::is_relation(who).then(|| report(&format!("{}_city", field::slug(who))));
    }
    if let Some(noun) =
        clause.after("how many").and_then(|rest| rest.before("do i have|have i got|do we have"))
    {
        let field = field::slug(noun);
        return memory.recall(&field).is_some().then(|| report(&field));
    }
    if let Some(noun) =
        clause.after("what is your|whats your").filter(|noun| field::is_common(*noun))
    {
        return field::of(noun).map(|field| report(&field));
    }
    // "what email do you have for me"
    let asked = bare.after("what|which").and_then(|rest| {
        rest.split(
            "do you have|did i give you|have you got|did i tell you|am i using|do i have|did i say i had",
        )
    });
    if let Some(sides) =
        asked.filter(|sides| field::is_common(sides.before) && sides.after.len() <= 4)
    {
        return field::of(sides.before).map(|field| report(&field));
    }
    if clause.starts("am i") > 0 && clause.is_capital(2) && clause.len() <= 5 {
        return Some(report("name"));
    }
    // "is my name Bob"
    if let Some(asked) = clause.after("is my|did i say my|isnt my") {
        let noun = (1..asked.len())
            .rev()
            .map(|end| asked.until(end))
            .find(|noun| field::is_common(*noun))?;
        return field::of(noun).map(|field| report(&field));
    }
    let noun = clause.after(OF_THE)?;
    let field = field::of(behind(noun)).filter(|field| memory.recall(field).is_some())?;
    Some(report(&field))
}

fn report(field: &str) -> Vec<Obligation> {
    vec![Obligation::report(&StatusQuestion { field: field.to_owned() })]
}

fn behind(clause: Clause<'_>) -> Clause<'_> {
    let mut clause = clause.trimmed();
    while let Some(shorter) = clause.before(BEHIND).filter(|shorter| !shorter.is_empty()) {
        clause = shorter.trimmed();
    }
    clause
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, show};

    #[test]
    fn questions_for_facts_name_the_field() {
        check(
            show,
            &[
                ("What's your name?", "REPORT status field=name"),
                ("what did I say my name was", "REPORT status field=name"),
                ("where do I live these days?", "REPORT status field=city"),
                ("which city am I in", "REPORT status field=city"),
                ("do you know my birthday", "REPORT status field=birthday"),
                ("whats my email", "REPORT status field=email"),
                ("what's my phone number", "REPORT status field=phone"),
                ("what's my fav color", "REPORT status field=favourite_colour"),
                ("what's my dog's name?", "REPORT status field=dog_name"),
                ("what is my dog called", "REPORT status field=dog_name"),
                ("who is my wife?", "REPORT status field=wife_name"),
                ("my name?", "REPORT status field=name"),
                (
                    "remind me what my favourite ice cream flavour is",
                    "REPORT status field=favourite_ice_cream_flavour",
                ),
                ("how old am I", "REPORT status field=age"),
                ("what's the wifi password", "CLARIFY slot slot=request"),
            ],
        );
    }
}
