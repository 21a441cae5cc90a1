//! Finds people by what is known of them: their name, city and roles, and who is a friend of the user.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::wire::Payload;
use crate::words;

/// Maximum number of people whom one question is asked of, because every filter visits each of them.
pub const PEOPLE_MAX: usize = 10_000;
/// Maximum depth of filters in filters. A text has one `not` around one `any`.
const DEPTH_MAX: usize = 8;

/// What is known of a person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownPerson {
    /// The name.
    pub name: String,
    /// Where the person lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// Whether the person is a friend of the user.
    #[serde(default)]
    pub is_friend: bool,
    /// What the person does.
    #[serde(default)]
    pub roles: Vec<String>,
    /// The address for mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// A condition on a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeopleFilter {
    /// Is a friend of this person; only `user` has known friends.
    IsFriend(String),
    /// Lives in this city.
    City(String),
    /// Has this role.
    Role(String),
    /// Has this name, or this first name.
    Name(String),
    /// Has a value in this member.
    Has(PersonField),
    /// Does not meet the condition.
    Not(Box<PeopleFilter>),
    /// Meets at least one of the conditions.
    Any(Vec<PeopleFilter>),
}

words! {
    /// What is known of a person.
    pub enum PersonField {
        /// The name.
        Name = "name",
        /// Where the person lives.
        City = "city",
        /// What the person does.
        Roles = "roles",
        /// The address for mail.
        Email = "email",
    }
}

words! {
    /// What a question about people is answered with.
    pub enum PeopleShape {
        /// The people, or a member of them.
        List = "list",
        /// How many they are.
        Count = "count",
        /// Whether there are any.
        Whether = "whether",
    }
}

/// The payload of a `REPORT` about people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeopleQuestion {
    /// The conditions, all of which must be met.
    pub filters: Vec<PeopleFilter>,
    /// Whether the number of people is asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub count: bool,
    /// Whether a yes or a no is asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whether: bool,
    /// What of them is asked for; `None` for the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<PersonField>,
}

impl Payload for PeopleQuestion {
    const KIND: &'static str = "query.people";
}

impl PeopleQuestion {
    /// Returns what the question is answered with.
    #[must_use]
    pub fn shape(&self) -> PeopleShape {
        match (self.count, self.whether) {
            (true, _) => PeopleShape::Count,
            (false, true) => PeopleShape::Whether,
            (false, false) => PeopleShape::List,
        }
    }
}

/// Returns the people who meet all conditions, in the order in which they are given.
#[must_use]
pub fn select<'p>(filters: &[PeopleFilter], people: &'p [KnownPerson]) -> Vec<&'p KnownPerson> {
    let meets = |person: &&KnownPerson| filters.iter().all(|filter| meets(person, filter, 0));
    people.iter().take(PEOPLE_MAX).filter(meets).collect()
}

/// Answers a question. Returns `None` if people were found and none of them has what is asked for.
#[must_use]
pub fn answer(question: &PeopleQuestion, people: &[KnownPerson]) -> Option<String> {
    let found = select(&question.filters, people);
    match question.shape() {
        PeopleShape::Count => Some(found.len().to_string()),
        PeopleShape::Whether => {
            let expected = question.filters.iter().map(names_in).sum::<usize>().max(1);
            Some(if found.len() >= expected { "yes" } else { "no" }.to_owned())
        }
        PeopleShape::List if found.is_empty() => Some("nobody".to_owned()),
        PeopleShape::List => listed(&found, question.field.unwrap_or(PersonField::Name)),
    }
}

/// Returns the number of people whom a filter names: "are Pia and Omar in Reno" asks for two.
fn names_in(filter: &PeopleFilter) -> usize {
    match filter {
        PeopleFilter::Name(_) => 1,
        PeopleFilter::Any(filters) => filters.iter().map(names_in).sum(),
        _ => 0,
    }
}

/// Writes one member of people, each value once.
fn listed(found: &[&KnownPerson], field: PersonField) -> Option<String> {
    let mut values: Vec<&str> = Vec::new();
    for person in found {
        match field {
            PersonField::Name => values.push(&person.name),
            PersonField::City => values.extend(person.city.as_deref()),
            PersonField::Email => values.extend(person.email.as_deref()),
            PersonField::Roles => values.extend(person.roles.iter().map(String::as_str)),
        }
    }
    let mut shown: Vec<&str> = Vec::new();
    for value in values {
        if field == PersonField::Name || !shown.contains(&value) {
            shown.push(value);
        }
    }
    (!shown.is_empty()).then(|| shown.join(", "))
}

fn meets(person: &KnownPerson, filter: &PeopleFilter, depth: usize) -> bool {
    if depth > DEPTH_MAX {
        return false;
    }
    match filter {
        PeopleFilter::IsFriend(whose) => whose == "user" && person.is_friend,
        PeopleFilter::City(city) => {
            person.city.as_deref().is_some_and(|lives| folded(lives) == folded(city))
        }
        PeopleFilter::Role(role) => person.roles.iter().any(|has| singular(has) == singular(role)),
        PeopleFilter::Name(name) => has_name(&person.name, name),
        PeopleFilter::Has(field) => match field {
            PersonField::Name => !person.name.is_empty(),
            PersonField::City => person.city.as_ref().is_some_and(|city| !city.is_empty()),
            PersonField::Roles => !person.roles.is_empty(),
            PersonField::Email => person.email.as_ref().is_some_and(|email| !email.is_empty()),
        },
        PeopleFilter::Not(inner) => depth < DEPTH_MAX && !meets(person, inner, depth + 1),
        PeopleFilter::Any(filters) => filters.iter().any(|filter| meets(person, filter, depth + 1)),
    }
}

/// Whether a name is the whole name of a person, or the first words of it.
fn has_name(full: &str, said: &str) -> bool {
    let (full, said) = (folded(full), folded(said));
    full == said || full.strip_prefix(&said).is_some_and(|rest| rest.starts_with(' '))
}

/// Returns a name as it is compared: in lower case, without accents and marks.
pub(crate) fn folded(name: &str) -> String {
    let plain = name.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
    let plain: String = plain.map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a role as it is compared: "Ushers" is "usher".
pub(crate) fn singular(role: &str) -> String {
    let role = folded(role);
    match role.strip_suffix('s') {
        Some(stem) if stem.len() >= 3 && !stem.ends_with('s') => stem.to_owned(),
        _ => role,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn church() -> Vec<KnownPerson> {
        let people = json!([
            { "name": "Tom", "city": "Salem", "is_friend": true, "roles": ["usher"] },
            { "name": "Zoë Ann", "city": "St. Paul", "is_friend": false, "roles": ["worship", "usher"],
              "email": "zoe@example.com" },
            { "name": "Wes", "city": "Boise", "is_friend": true, "roles": [], "phone": "unknown members are ignored" },
            { "name": "Annette", "is_friend": false, "roles": ["cafe"], "email": "annette@example.org" },
        ]);
        serde_json::from_value(people).expect("people")
    }

    #[track_caller]
    fn check(question: serde_json::Value, expected: &str) {
        let read: PeopleQuestion = serde_json::from_value(question.clone()).expect("a question");
        assert_eq!(serde_json::to_value(&read).expect("JSON"), question);
        let found = answer(&read, &church());
        assert_eq!(found.as_deref().unwrap_or("unknown"), expected, "{question}");
    }

    #[test]
    fn people_are_found_by_conditions() {
        check(json!({ "filters": [] }), "Tom, Zoë Ann, Wes, Annette");
        check(json!({ "filters": [{ "is_friend": "user" }] }), "Tom, Wes");
        check(json!({ "filters": [{ "is_friend": "Tom" }] }), "nobody");
        check(json!({ "filters": [{ "city": "st paul" }] }), "Zoë Ann");
        check(
            json!({ "filters": [{ "role": "Ushers" }, { "not": { "is_friend": "user" } }] }),
            "Zoë Ann",
        );
        check(json!({ "filters": [{ "not": { "city": "Salem" } }] }), "Zoë Ann, Wes, Annette");
        check(
            json!({ "filters": [{ "any": [{ "city": "Boise" }, { "role": "cafe" }] }] }),
            "Wes, Annette",
        );
        check(json!({ "filters": [{ "not": { "has": "roles" } }] }), "Wes");
        check(json!({ "filters": [{ "name": "zoe" }] }), "Zoë Ann");
        check(json!({ "filters": [{ "name": "Ann" }] }), "nobody");
    }

    #[test]
    fn a_question_can_ask_how_many_whether_and_for_a_member() {
        check(json!({ "filters": [{ "role": "usher" }], "count": true }), "2");
        check(json!({ "filters": [{ "city": "Reno" }], "count": true }), "0");
        check(
            json!({ "filters": [{ "name": "Tom" }, { "city": "Salem" }], "whether": true }),
            "yes",
        );
        check(json!({ "filters": [{ "name": "Tom" }, { "city": "Reno" }], "whether": true }), "no");
        let both = json!([{ "any": [{ "name": "Tom" }, { "name": "Wes" }] }, { "city": "Salem" }]);
        check(json!({ "filters": both, "whether": true }), "no");
        check(json!({ "filters": [{ "name": "Zoë" }], "field": "email" }), "zoe@example.com");
        check(json!({ "filters": [{ "name": "Zoë" }], "field": "roles" }), "worship, usher");
        check(json!({ "filters": [{ "name": "Tom" }], "field": "email" }), "unknown");
        check(json!({ "filters": [{ "has": "email" }], "field": "city" }), "St. Paul");
    }

    #[test]
    fn filters_in_filters_end_somewhere() {
        let mut filter = PeopleFilter::Role("usher".to_owned());
        for _ in 0..1_000 {
            filter = PeopleFilter::Not(Box::new(filter));
        }
        assert!(select(&[filter], &church()).is_empty());
    }
}
