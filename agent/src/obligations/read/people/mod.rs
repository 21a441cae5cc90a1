//! Reads questions about people: "who are my friends in Austin", "ushers that aren't friends of mine".

mod filters;
mod phrase;
mod slot;

use super::clause::Clause;
use super::context::DirectoryWords;
use super::courtesy::bare;
use crate::obligations::Obligation;
use crate::obligations::people::{PeopleFilter, PeopleQuestion, PersonField};
use filters::{Found, conditions, is_city};
pub(super) use slot::{Slot, slot_of};

/// Words that ask for a number.
const COUNTS: &str = "how many|number of|count|count up|the number of|whats the number of|\
    what is the number of|total number of|tally|how many of|count of|give me a count of|whats the count of|\
    the count of|what number of";
/// Words that ask for a yes or a no, if a name is behind them.
const WHETHER: &str = "is|are|does|do|isnt|arent|doesnt|has|have|did|was|were|is it true that|can";
/// Words that ask for mail addresses.
const EMAIL: &str = "email|emails|email address|email addresses|e mail|e mails|mail address|e mail address|\
    mail addresses|emailed|address for|contact info|contact details|contact information";
/// Words that ask where somebody lives.
const WHERE: &str = "where can i find|where could i find|where does|where do|wheres|where is|where are|\
    what city|which city|what town|which town|what cities|which cities|whereabouts|where did|city of|\
    hometown|city|where in the world is|location of|home city";
/// Words that ask what somebody does.
const ROLES: &str = "what does|what do|what role|what roles|which role|which roles|what team|which team|\
    what teams|which teams|role|roles|job of|what is the role|whats the role|what ministry|which ministry|\
    what position";
/// Questions about a name alone.
const ABOUT: &str = "who is|whos|who was|find|look up|show|about|tell me about|do you know|do i know|is|\
    anyone called|anyone named|anybody named|people named|people called|everyone named|who|how many";
/// Words that begin the second half of a question.
const HALF: &str = "is not|isnt|is a|is an|is on|is in|are not|arent|are on|are in|not|on|in|of|among|doesnt|\
    does not|dont|do not|has|have|with|without|live|lives|serve|serves|from|but|except|who is not|who isnt|\
    out of";
/// Words of a whole question.
const ASKS: &str = "who|whos|which|list|show|how many|any|anyone|anybody|name";

/// Words that begin no question about people.
const NO_QUESTION: &str = "my name|i am|im|i live|i moved|i love|i like|i met|i saw|i visited|we|were|its|it|\
    theres|send|tell|sounds good|that";

/// Whether a clause is an order to write to somebody: "email Uma that lunch is at noon".
fn is_message(clause: Clause<'_>) -> bool {
    clause.starts("email|text|call|message|mail") > 0 && clause.has("that|saying|about|to say|if")
}

/// Reads a question about people.
pub(super) fn read(
    clause: Clause<'_>,
    directory: &DirectoryWords,
    last: Option<&Obligation>,
    place: Option<&str>,
) -> Option<Vec<Obligation>> {
    let clause = bare(clause);
    if clause.has("same city|same role|same team|same roles") {
        return None;
    }
    if is_half(clause) || clause.starts(NO_QUESTION) > 0 || is_message(clause) {
        return None;
    }
    let somebody = clause.has("he|she|his|her|hers|him|hes|shes") && !clause.has("them|those");
    if somebody {
        return of_somebody(clause, directory, last);
    }
    let found = conditions(clause, directory);
    let (mut filters, field) = asked(clause, &found)?;
    let is_there = !found.has_city
        && clause.ends("there|over there|out there|up there|down there") > 0
        && !clause.has("are there|is there");
    if let Some(place) = place.filter(|_| is_there) {
        filters.push(PeopleFilter::City(place.to_owned()));
    }
    let before = last
        .filter(|_| clause.has("them|those|of these"))
        .and_then(|last| last.read::<PeopleQuestion>());
    if let Some(before) = before {
        filters.splice(0..0, before.filters);
    }
    let names =
        filters.iter().any(|filter| matches!(filter, PeopleFilter::Name(_) | PeopleFilter::Any(_)));
    let question = PeopleQuestion {
        count: clause.starts(COUNTS) > 0 || clause.has("how many|what number of"),
        whether: names && found.names_first && clause.starts(WHETHER) > 0 && filters.len() > 1,
        field,
        filters,
    };
    Some(vec![Obligation::report(&question)])
}

/// Reads a question about somebody who was named before: "what's her email". If nobody was, the name is asked for.
fn of_somebody(
    clause: Clause<'_>,
    directory: &DirectoryWords,
    last: Option<&Obligation>,
) -> Option<Vec<Obligation>> {
    let found = conditions(clause, directory);
    let field = field(clause, true, &found);
    let is_asked = field.is_some()
        || !found.filters.is_empty()
        || clause.is("who is he|who is she|whos he|whos she");
    let is_known = is_asked && found.unknown == 0 && found.filters.len() <= 2;
    if !is_known || clause.starts("i|my|tell|give") > 0 {
        return None;
    }
    let before = last.and_then(|last| last.read::<PeopleQuestion>());
    let name = before
        .iter()
        .flat_map(|before| &before.filters)
        .find(|filter| matches!(filter, PeopleFilter::Name(_)));
    let Some(name) = name.cloned() else { return Some(vec![Obligation::clarify("name")]) };
    let whether = clause.starts(WHETHER) > 0 && !found.filters.is_empty();
    let filters = [vec![name], found.filters].concat();
    let question = PeopleQuestion { filters, whether, field, ..PeopleQuestion::default() };
    Some(vec![Obligation::report(&question)])
}

/// Whether a clause is only the second half of a question: "and is not an usher".
fn is_half(clause: Clause<'_>) -> bool {
    clause.starts(HALF) > 0 && !clause.has(ASKS)
}

/// Returns the conditions and the member that a question asks for; `None` if it is not about people.
fn asked(clause: Clause<'_>, found: &Found) -> Option<(Vec<PeopleFilter>, Option<PersonField>)> {
    let filters = found.filters.clone();
    let has_name = filters.iter().any(|filter| matches!(filter, PeopleFilter::Name(_)));
    let has_certain = filters.iter().any(|filter| !is_city(filter));
    let is_about_people = found.people_words > 0;
    let field = field(clause, has_name, found);
    if filters.is_empty() {
        return (found.everybody && found.unknown == 0).then_some((filters, field));
    }
    if has_name && filters.len() == 1 && field.is_none() && clause.starts(ABOUT) == 0 {
        return None;
    }
    let tolerated = usize::from(has_certain || is_about_people);
    let is_asked = is_about_people || has_certain || found.role_words > 0;
    (is_asked && found.unknown <= tolerated).then_some((filters, field))
}

/// Returns the member of people that a question asks for.
fn field(clause: Clause<'_>, has_name: bool, found: &Found) -> Option<PersonField> {
    if clause.has(EMAIL) && !found.has_email {
        return Some(PersonField::Email);
    }
    let asks_where = (0..clause.len()).any(|at| clause.from(at).starts(WHERE) > 0);
    if asks_where && !found.has_city {
        return Some(PersonField::City);
    }
    let asks_roles = clause.starts(ROLES) > 0 || clause.has("role|roles|what team|which team");
    (asks_roles && has_name && !found.has_role).then_some(PersonField::Roles)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, show_of_church};

    #[test]
    fn people_are_asked_for_by_conditions() {
        check(
            show_of_church,
            &[
                (
                    "List my friends in Seattle",
                    r#"REPORT query.people filters=[{"is_friend":"user"},{"city":"Seattle"}]"#,
                ),
                ("who are my friends?", r#"REPORT query.people filters=[{"is_friend":"user"}]"#),
                (
                    "Any friends of mine in Reno?",
                    r#"REPORT query.people filters=[{"is_friend":"user"},{"city":"Reno"}]"#,
                ),
                (
                    "who isn't my friend",
                    r#"REPORT query.people filters=[{"not":{"is_friend":"user"}}]"#,
                ),
                (
                    "ushers that aren't friends of mine",
                    r#"REPORT query.people filters=[{"role":"usher"},{"not":{"is_friend":"user"}}]"#,
                ),
                (
                    "who doesn't live in Boise",
                    r#"REPORT query.people filters=[{"not":{"city":"Boise"}}]"#,
                ),
                (
                    "any ushers in Salem or Reno?",
                    r#"REPORT query.people filters=[{"role":"usher"},{"any":[{"city":"Salem"},{"city":"Reno"}]}]"#,
                ),
                (
                    "please list the security folks",
                    r#"REPORT query.people filters=[{"role":"security"}]"#,
                ),
                ("who's on nursery", r#"REPORT query.people filters=[{"role":"nursery"}]"#),
                (
                    "who do I know in St. Paul that isn't a friend",
                    r#"REPORT query.people filters=[{"city":"St. Paul"},{"not":{"is_friend":"user"}}]"#,
                ),
                (
                    "who are the people in seatle",
                    r#"REPORT query.people filters=[{"city":"Seattle"}]"#,
                ),
                ("everyone except Tom", r#"REPORT query.people filters=[{"not":{"name":"Tom"}}]"#),
                ("list everybody", "REPORT query.people filters=[]"),
                (
                    "friends who are neither ushers nor greeters",
                    r#"REPORT query.people filters=[{"is_friend":"user"},{"not":{"any":[{"role":"usher"},{"role":"greeter"}]}}]"#,
                ),
                ("who has no email", r#"REPORT query.people filters=[{"not":{"has":"email"}}]"#),
            ],
        );
    }

    #[test]
    fn people_are_counted_and_asked_for_one_member() {
        check(
            show_of_church,
            &[
                (
                    "how many of my frends are in the cafe team",
                    r#"REPORT query.people count=true filters=[{"is_friend":"user"},{"role":"cafe"}]"#,
                ),
                (
                    "how many people live in Boise",
                    r#"REPORT query.people count=true filters=[{"city":"Boise"}]"#,
                ),
                (
                    "does Pia live in Seattle",
                    r#"REPORT query.people filters=[{"name":"Pia"},{"city":"Seattle"}] whether=true"#,
                ),
                (
                    "is Tom a friend of mine?",
                    r#"REPORT query.people filters=[{"name":"Tom"},{"is_friend":"user"}] whether=true"#,
                ),
                (
                    "where does Joy live?",
                    r#"REPORT query.people field=city filters=[{"name":"Joy"}]"#,
                ),
                (
                    "whats the email for Mia",
                    r#"REPORT query.people field=email filters=[{"name":"Mia"}]"#,
                ),
                (
                    "what's Zoe's email address",
                    r#"REPORT query.people field=email filters=[{"name":"Zoë"}]"#,
                ),
                (
                    "what team is Wes on",
                    r#"REPORT query.people field=roles filters=[{"name":"Wes"}]"#,
                ),
            ],
        );
    }

    #[test]
    fn other_questions_are_not_about_people() {
        for text in [
            "who invented the telephone",
            "who is the president of France",
            "who won the game in Boise",
            "tell me a joke",
        ] {
            let shown = show_of_church(text);
            assert!(!shown.contains("query.people"), "{text}: {shown}");
        }
    }
}
