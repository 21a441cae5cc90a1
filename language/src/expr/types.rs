//! Static types: what is known about a value before a run starts.

use std::collections::BTreeMap;
use std::fmt;

use crate::base::Value;

/// The static type of a value.
///
/// Types are gradual: [`Type::Any`] is compatible with every type.
/// Null is compatible with every type too, because a variable that no step has assigned yet is null.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// Any value: nothing is known about it.
    Any,
    /// `null` only.
    Null,
    /// `true` or `false`.
    Bool,
    /// A whole number or a fraction.
    Number,
    /// A string.
    Text,
    /// An instant. Its value is an RFC 3339 string.
    Instant,
    /// An elapsed duration. Its value is a `humantime` string.
    Duration,
    /// The id of a person.
    Person,
    /// The open offers that a step made.
    Offers,
    /// A list.
    List(Box<Type>),
    /// An object.
    Object {
        /// The members that are known.
        members: BTreeMap<String, Type>,
        /// Whether the object may have other members.
        open: bool,
    },
}

impl Type {
    /// Returns the type of a list whose items have the type `item`.
    #[must_use]
    pub fn list(item: Self) -> Self {
        Self::List(Box::new(item))
    }

    /// Returns the type of an object with unknown members.
    #[must_use]
    pub fn object() -> Self {
        Self::Object { members: BTreeMap::new(), open: true }
    }

    /// Returns the type of an object that has the members in `members` and no others.
    #[must_use]
    pub fn record<'n>(members: impl IntoIterator<Item = (&'n str, Self)>) -> Self {
        let members = members.into_iter().map(|(name, ty)| (name.to_owned(), ty)).collect();
        Self::Object { members, open: false }
    }

    /// Returns the type that an `x-type` annotation names; `None` if the name is unknown.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "instant" => Self::Instant,
            "duration" => Self::Duration,
            "person" => Self::Person,
            "people" => Self::list(Self::Person),
            "offers" => Self::Offers,
            "text" | "role" | "template" => Self::Text,
            _ => return None,
        })
    }

    /// Returns the type of the values that a JSON Schema accepts; `Any` where it cannot be inferred.
    #[must_use]
    pub fn of_schema(schema: &Value) -> Self {
        if let Some(known) = schema["x-type"].as_str().and_then(Self::named) {
            return known;
        }
        if let Some(constant) = schema.get("const") {
            return Self::of_value(constant);
        }
        match (schema["type"].as_str(), schema["format"].as_str()) {
            (Some("null"), _) => Self::Null,
            (Some("boolean"), _) => Self::Bool,
            (Some("integer" | "number"), _) => Self::Number,
            (Some("string"), Some("date-time")) => Self::Instant,
            (Some("string"), _) => Self::Text,
            (Some("array"), _) => Self::list(Self::of_schema(&schema["items"])),
            (Some("object"), _) => {
                let properties = schema["properties"].as_object().into_iter().flatten();
                let members = properties.map(|(name, of)| (name.clone(), Self::of_schema(of)));
                let closed = schema["additionalProperties"] == Value::Bool(false);
                Self::Object { members: members.collect(), open: !closed }
            }
            _ => Self::Any,
        }
    }

    /// Returns the type of a known value.
    #[must_use]
    pub fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Bool,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::Text,
            Value::Array(items) => {
                let item = items.iter().map(Self::of_value).reduce(Self::or).unwrap_or(Self::Any);
                Self::list(item)
            }
            Value::Object(of) => {
                let members = of.iter().map(|(name, of)| (name.clone(), Self::of_value(of)));
                Self::Object { members: members.collect(), open: false }
            }
        }
    }

    /// Whether a value of type `other` is accepted where a value of type `self` is expected.
    ///
    /// Instants, durations and ids of people are strings in JSON. Therefore each of these types
    /// accepts a string, and the type of strings accepts each of these types.
    #[must_use]
    pub fn accepts(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, _) | (_, Self::Any | Self::Null) => true,
            (Self::Text | Self::Instant | Self::Duration | Self::Person, Self::Text)
            | (Self::Text, Self::Instant | Self::Duration | Self::Person) => true,
            (Self::Offers, Self::Object { .. }) | (Self::Object { .. }, Self::Offers) => true,
            (Self::List(item), Self::List(given)) => item.accepts(given),
            (Self::Object { members, open }, Self::Object { members: given, open: given_open }) => {
                let fits = |(name, ty): (&String, &Self)| match given.get(name) {
                    Some(given) => ty.accepts(given),
                    None => *given_open,
                };
                members.iter().all(fits)
                    && (*open || given.keys().all(|name| members.contains_key(name)))
            }
            _ => self == other,
        }
    }

    /// Returns the type of a value that has one of the two types.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (same, other) if same == other => same,
            (Self::Null, known) | (known, Self::Null) => known,
            (Self::List(a), Self::List(b)) => Self::list(a.or(*b)),
            _ => Self::Any,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any value"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("true or false"),
            Self::Number => f.write_str("a number"),
            Self::Text => f.write_str("a text"),
            Self::Instant => f.write_str("an instant"),
            Self::Duration => f.write_str("a duration"),
            Self::Person => f.write_str("a person"),
            Self::Offers => f.write_str("offers"),
            Self::List(item) => match **item {
                Self::Person => f.write_str("a list of people"),
                Self::Number => f.write_str("a list of numbers"),
                Self::Text => f.write_str("a list of texts"),
                _ => f.write_str("a list"),
            },
            Self::Object { .. } => f.write_str("an object"),
        }
    }
}
