//! Declared variables of templates and their types.

use serde_json::Value;

use crate::base::{Span, Timestamp};

/// A variable that a template declares.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Type of the variable's values.
    pub value_type: VariableType,
    /// Example value for previews and tests.
    pub example: Value,
    /// Whether the variable may be left out. If so, the template uses the variable only inside `{{#if …}}`.
    pub optional: bool,
}

/// The type of a variable. The variable's example and the values that steps pass must match the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableType {
    /// Any string. A number is accepted and shown as written.
    Text,
    /// A number, or a string that is a number.
    Number,
    /// True or false.
    Flag,
    /// An RFC 3339 instant.
    Instant,
    /// A `humantime` duration.
    Duration,
    /// The name of a role.
    Role,
    /// A person. The caller replaces the person's id with the name before rendering.
    Person,
    /// A list of people. The caller replaces each id with the name before rendering.
    People,
    /// A list of strings.
    List,
    /// The asks of a person: a list of `{role, time}`, with `who` if several people were asked.
    Asks,
}

/// Each type, its name in front matter, and the description of its values for error messages.
const TYPES: [(VariableType, &str, &str); 10] = [
    (VariableType::Text, "text", "a text"),
    (VariableType::Number, "number", "a number"),
    (VariableType::Flag, "flag", "true or false"),
    (VariableType::Instant, "instant", "an instant such as `2025-10-05T09:00:00-05:00`"),
    (VariableType::Duration, "duration", "a duration such as `6h`"),
    (VariableType::Role, "role", "the name of a role"),
    (VariableType::Person, "person", "a person"),
    (VariableType::People, "people", "a list of people"),
    (VariableType::List, "list", "a list of texts"),
    (VariableType::Asks, "asks", "a list of `{role, time}`"),
];

impl VariableType {
    /// Returns the type that front matter calls `name`; `None` if there is no such type.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        TYPES.iter().find(|(_, known, _)| *known == name).map(|(kind, ..)| *kind)
    }

    /// Returns the names of all types.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TYPES.iter().map(|(_, name, _)| *name)
    }

    /// Describes a value of this type for an error message, with its article: `a number`.
    #[must_use]
    pub fn description(self) -> &'static str {
        TYPES.iter().find(|(kind, ..)| *kind == self).map_or("a value", |(.., words)| words)
    }

    /// Whether `value` is valid for this type.
    #[must_use]
    pub fn accepts(self, value: &Value) -> bool {
        let text = value.as_str();
        match self {
            Self::Text => value.is_string() || value.is_number(),
            Self::Number => {
                value.is_number() || text.is_some_and(|text| text.parse::<f64>().is_ok())
            }
            Self::Flag => value.is_boolean(),
            Self::Instant => text.is_some_and(|text| text.parse::<Timestamp>().is_ok()),
            Self::Duration => text.is_some_and(|text| text.parse::<Span>().is_ok()),
            Self::Role | Self::Person => value.is_string(),
            Self::People | Self::List => {
                value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
            }
            Self::Asks => value.as_array().is_some_and(|asks| asks.iter().all(is_ask)),
        }
    }

    /// Whether values of this type are ids of people, which must be replaced by names before rendering.
    #[must_use]
    pub const fn names_people(self) -> bool {
        matches!(self, Self::Person | Self::People)
    }
}

fn is_ask(value: &Value) -> bool {
    let holds = |name, kind: VariableType| value.get(name).is_some_and(|value| kind.accepts(value));
    holds("role", VariableType::Role) && holds("time", VariableType::Instant)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn kinds_admit_what_they_mean_and_nothing_else() {
        let time = "2025-10-05T09:00:00-05:00";
        for (name, yes, no) in [
            ("text", json!("x"), json!(["x"])),
            ("text", json!(5), json!(true)),
            ("number", json!(5), json!("five")),
            ("number", json!("5"), json!(null)),
            ("flag", json!(true), json!("true")),
            ("instant", json!(time), json!("Sunday")),
            ("duration", json!("6h"), json!(6)),
            ("role", json!("nursery"), json!(5)),
            ("person", json!("Ana"), json!(["Ana"])),
            ("people", json!(["Ana", "Ben"]), json!("Ana")),
            ("people", json!([]), json!([5])),
            ("list", json!(["a"]), json!([["a"]])),
            ("asks", json!([{"role": "nursery", "time": time}]), json!([{"role": "nursery"}])),
        ] {
            let kind = VariableType::from_name(name).expect("a kind");
            assert!(kind.accepts(&yes), "{name} {yes}");
            assert!(!kind.accepts(&no), "{name} {no}");
        }
        assert_eq!(VariableType::from_name("string"), None);
        assert_eq!(VariableType::names().count(), TYPES.len());
    }
}
