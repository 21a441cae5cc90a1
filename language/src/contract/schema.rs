//! A compiled JSON Schema with our annotations: `x-type` and `x-expression`.

use std::fmt;
use std::sync::Arc;

use crate::base::limits::FAULT_CHARS_MAX;
use crate::base::{Value, text};

/// Faults that are named in one message; the rest would not be read.
const FAULTS_SHOWN: usize = 5;

/// What a value means beyond its JSON type: the `x-type` of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XType {
    /// RFC 3339 with an offset.
    Instant,
    /// A `humantime` duration.
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
    /// A method and a goal, as members of these names: a run that will be started.
    Start,
}

impl XType {
    /// By its name in a schema.
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

    /// The annotation of a schema.
    #[must_use]
    pub fn of(schema: &Value) -> Option<Self> {
        schema.get("x-type").and_then(Value::as_str).and_then(Self::parse)
    }
}

/// Why a value is not a JSON Schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct SchemaFault {
    /// Where in it, as a JSON pointer.
    pub pointer: String,
    /// What is wrong there.
    pub what: String,
}

/// A JSON Schema, compiled once and shared.
#[derive(Clone)]
pub struct Schema {
    value: Arc<Value>,
    validator: Arc<jsonschema::Validator>,
}

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// Why it is not one.
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

    /// The schema's own text, as JSON.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The schema of a member of an object.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Value> {
        self.value.get("properties")?.get(name)
    }

    /// Holds a value against it.
    ///
    /// # Errors
    /// Every fault with its place, in one line.
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

/// One fault with its place. What it quotes of the value is cut, the reason behind it is not.
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
