//! Compiled JSON Schemas, and their annotation `x-type`.

use std::fmt;
use std::sync::Arc;

use crate::base::limits::FAULT_CHARS_MAX;
use crate::base::{Value, text};

/// Maximum number of violations in one error message; further violations are only counted.
const FAULTS_SHOWN: usize = 5;

/// The meaning of a value beyond its JSON type: the annotation `x-type` of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XType {
    /// An instant: RFC 3339 with an offset.
    Instant,
    /// A duration in the `humantime` format.
    Duration,
    /// The id of a person.
    Person,
    /// A list of ids of people.
    People,
    /// The offers of one wave.
    Offers,
    /// The name of a message template.
    Template,
    /// The name of a role.
    Role,
    /// A run to start later: an object with the members `method` and `goal`.
    Start,
}

impl XType {
    /// Parses the name of a type in an `x-type` annotation; `None` if the name is unknown.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "instant" => Self::Instant,
            "duration" => Self::Duration,
            "person" => Self::Person,
            "people" => Self::People,
            "offers" => Self::Offers,
            "template" => Self::Template,
            "role" => Self::Role,
            "start" => Self::Start,
            _ => return None,
        })
    }

    /// Returns the `x-type` of a schema; `None` if the annotation is missing or unknown.
    #[must_use]
    pub fn of(schema: &Value) -> Option<Self> {
        schema.get("x-type").and_then(Value::as_str).and_then(Self::parse)
    }
}

/// The reason why a value is not a JSON Schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct SchemaFault {
    /// The position of the fault in the schema, as a JSON pointer.
    pub pointer: String,
    /// Description of the fault.
    pub what: String,
}

/// A compiled JSON Schema. Clones share the compiled form.
#[derive(Clone)]
pub struct Schema {
    value: Arc<Value>,
    validator: Arc<jsonschema::Validator>,
}

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// The first fault, if the value is not a JSON Schema.
    pub fn compile(value: Value) -> Result<Self, SchemaFault> {
        let validator =
            jsonschema::options().should_validate_formats(true).build(&value).map_err(|error| {
                SchemaFault {
                    pointer: error.instance_path().to_string(),
                    what: text::shortened(&error.to_string(), FAULT_CHARS_MAX),
                }
            })?;
        Ok(Self { value: Arc::new(value), validator: Arc::new(validator) })
    }

    /// Returns the schema as JSON.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the schema of a member; `None` if the schema does not describe the member.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Value> {
        self.value.get("properties")?.get(name)
    }

    /// Returns the names of the members that the schema describes.
    pub fn members(&self) -> impl Iterator<Item = &str> {
        let members = self.value.get("properties").and_then(Value::as_object);
        members.into_iter().flat_map(|members| members.keys().map(String::as_str))
    }

    /// Returns the hint of the annotation `x-other-members`; `None` if the value has none of the members that
    /// the annotation names. They belong into a call of something else, such as a method.
    #[must_use]
    pub fn hint_at_other_members(&self, value: &Value) -> Option<&str> {
        let other = self.value.get("x-other-members")?;
        let (names, hint) = (other.get("names")?.as_array()?, other.get("hint")?.as_str()?);
        let given = value.as_object()?;
        let is_given = |name: &Value| name.as_str().is_some_and(|name| given.contains_key(name));
        names.iter().any(is_given).then_some(hint)
    }

    /// Whether each value of the schema has this member.
    #[must_use]
    pub fn requires(&self, member: &str) -> bool {
        let required = self.value.get("required").and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|name| name == member))
    }

    /// Checks a value against the schema.
    ///
    /// # Errors
    /// The violations with their positions, in one line. After the first five, violations are only counted.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        if self.validator.is_valid(value) {
            return Ok(());
        }
        let mut faults: Vec<String> = Vec::new();
        let mut more = 0_usize;
        for error in self.validator.iter_errors(value) {
            if faults.len() == FAULTS_SHOWN {
                more += 1;
                continue;
            }
            faults.push(fault(&error));
        }
        if more > 0 {
            faults.push(format!("and {more} more"));
        }
        Err(faults.join("; "))
    }
}

/// Formats one violation with its position. Cuts characters from the middle of a message or a position
/// that is too long.
fn fault(error: &jsonschema::ValidationError<'_>) -> String {
    let place = error.instance_path().to_string();
    let place = text::shortened(place.trim_start_matches('/'), FAULT_CHARS_MAX).replace('/', ".");
    let what = text::shortened(&error.to_string(), FAULT_CHARS_MAX);
    if place.is_empty() { what } else { format!("`{place}`: {what}") }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value)
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}
