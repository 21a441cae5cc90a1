//! Values inside the evaluator: JSON values, and also instants and durations, which JSON does not have.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::base::{Span, Timestamp, Value};

use super::number::Num;
use super::trouble::Trouble;

/// A value. Values of the scope are borrowed, so that a long list is read without being copied.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Typed<'a> {
    Json(Cow<'a, Value>),
    Instant(Timestamp),
    Duration(Span),
}

pub(super) use Typed::{Duration, Instant, Json};

impl<'a> From<Value> for Typed<'a> {
    fn from(value: Value) -> Self {
        Json(Cow::Owned(value))
    }
}

impl<'a> From<&'a Value> for Typed<'a> {
    fn from(value: &'a Value) -> Self {
        Json(Cow::Borrowed(value))
    }
}

impl From<Num> for Typed<'_> {
    fn from(number: Num) -> Self {
        Value::from(number).into()
    }
}

impl From<bool> for Typed<'_> {
    fn from(truth: bool) -> Self {
        Value::Bool(truth).into()
    }
}

impl From<String> for Typed<'_> {
    fn from(text: String) -> Self {
        Value::String(text).into()
    }
}

impl Typed<'_> {
    /// Converts to JSON: instants become RFC 3339 strings, durations become `humantime` strings.
    pub(super) fn into_value(self) -> Value {
        match self {
            Json(value) => value.into_owned(),
            Instant(at) => at.to_string().into(),
            Duration(span) => span.to_string().into(),
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Json(value) if value.is_null())
    }

    /// Describes the value for an error message.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Instant(_) => "an instant",
            Duration(_) => "a duration",
            Json(value) => match &**value {
                Value::Null => "null",
                Value::Bool(true) => "`true`",
                Value::Bool(false) => "`false`",
                Value::Number(_) => "a number",
                Value::String(_) => "a text",
                Value::Array(_) => "a list",
                Value::Object(_) => "an object",
            },
        }
    }

    /// Returns the truth value of a condition. An unset variable reads as null, and null counts as false.
    ///
    /// # Errors
    /// An error if the value is neither null nor a boolean.
    pub(super) fn truth(&self) -> Result<bool, Trouble> {
        match self {
            Json(value) if value.is_null() => Ok(false),
            Json(value) if value.is_boolean() => Ok(**value == Value::Bool(true)),
            _ => Err(Trouble::new(format!("expected true or false, got {}", self.describe()))
                .with_hint("write a comparison, such as `len(people) > 0`")),
        }
    }

    /// Converts a string that represents an instant or a duration to an instant or a duration.
    /// Other values stay unchanged.
    ///
    /// # Errors
    /// An error if the value is a string that represents neither an instant nor a duration.
    pub(super) fn temporal(self) -> Result<Self, Trouble> {
        let Json(value) = &self else { return Ok(self) };
        let Value::String(text) = &**value else { return Ok(self) };
        if let Ok(at) = text.parse() {
            return Ok(Instant(at));
        }
        duration(text).map(Duration).ok_or_else(|| {
            Trouble::new(format!("`{}` is neither an instant nor a duration", shown(text)))
                .with_hint("write `2025-10-05T09:00:00-05:00` or `6h`")
        })
    }

    /// Returns the same value without copying a list or an object.
    fn borrowed(&self) -> Typed<'_> {
        match self {
            Json(value) => (&**value).into(),
            Instant(at) => Instant(*at),
            Duration(span) => Duration(*span),
        }
    }

    /// Whether the value is an instant or a duration.
    pub(super) fn is_temporal(&self) -> bool {
        !matches!(self, Json(_))
    }
}

/// Parses a duration.
/// A leading `-` makes it negative, because the difference of two instants can be negative.
pub(super) fn duration(text: &str) -> Option<Span> {
    match text.strip_prefix('-') {
        Some(rest) => rest.parse::<Span>().ok().map(|span| Span::from_micros(-span.micros())),
        None => text.parse().ok(),
    }
}

/// Shortens a string to its first 40 characters and an ellipsis, for an error message.
pub(super) fn shown(text: &str) -> String {
    const CHARS: usize = 40;
    let mut cut: String = text.chars().take(CHARS).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

/// A key for comparing values: two values are equal if their keys are equal.
///
/// Numbers are compared by value (`1` equals `1.0`).
/// Strings that represent instants are compared as instants, so their offsets do not matter.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key<'v> {
    Null,
    Bool(bool),
    Number(Num),
    Text(&'v str),
    Instant(Timestamp),
    List(Vec<Key<'v>>),
    Object(Vec<(&'v str, Key<'v>)>),
}

impl<'v> Key<'v> {
    pub(super) fn of(value: &'v Value) -> Result<Self, Trouble> {
        Ok(match value {
            Value::Null => Self::Null,
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Number(number) => Self::Number(Num::of(number)?),
            Value::String(text) => instant_like(text).map_or(Self::Text(text), Self::Instant),
            Value::Array(items) => {
                Self::List(items.iter().map(Self::of).collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let key = |(name, member): (&'v String, &'v Value)| {
                    Self::of(member).map(|key| (name.as_str(), key))
                };
                Self::Object(members.iter().map(key).collect::<Result<_, _>>()?)
            }
        })
    }
}

/// Parses a string as an instant.
/// The function first checks three bytes, which is a cheap way to rule out nearly every other string.
fn instant_like(text: &str) -> Option<Timestamp> {
    let bytes = text.as_bytes();
    let shaped = bytes.len() >= "2025-10-05T09:00:00Z".len()
        && (bytes[4], bytes[7], bytes[10]) == (b'-', b'-', b'T');
    if shaped { text.parse().ok() } else { None }
}

/// Converts a string to an instant or a duration if the other value is an instant or a duration.
///
/// # Errors
/// An error if the string represents neither an instant nor a duration.
pub(super) fn align<'a>(
    left: Typed<'a>,
    right: Typed<'a>,
) -> Result<(Typed<'a>, Typed<'a>), Trouble> {
    if left.is_temporal() || right.is_temporal() {
        return Ok((left.temporal()?, right.temporal()?));
    }
    Ok((left, right))
}

/// Whether two values are equal.
pub(super) fn equal(left: &Typed<'_>, right: &Typed<'_>) -> Result<bool, Trouble> {
    match (left, right) {
        (Json(a), Json(b)) => Ok(Key::of(a)? == Key::of(b)?),
        _ => Ok(match align(left.borrowed(), right.borrowed()) {
            Ok((Instant(a), Instant(b))) => a == b,
            Ok((Duration(a), Duration(b))) => a == b,
            _ => false,
        }),
    }
}

/// Compares two values.
///
/// # Errors
/// An error if the values are not both numbers, both strings, both instants or both durations.
pub(super) fn order(left: &Typed<'_>, right: &Typed<'_>) -> Result<Ordering, Trouble> {
    let unlike =
        || {
            let (a, b) = (left.describe(), right.describe());
            let trouble = Trouble::new(format!("cannot compare {a} with {b}"));
            match left.is_null() || right.is_null() {
                true => trouble
                    .with_hint("set a default for a value that may be missing: `default(x, 0)`"),
                false => trouble
                    .with_hint("compare two numbers, two texts, two instants or two durations"),
            }
        };
    if left.is_null() || right.is_null() {
        return Err(unlike());
    }
    match align(left.borrowed(), right.borrowed())? {
        (Instant(a), Instant(b)) => Ok(a.cmp(&b)),
        (Duration(a), Duration(b)) => Ok(a.cmp(&b)),
        (Json(a), Json(b)) => match (Key::of(&a)?, Key::of(&b)?) {
            (Key::Number(a), Key::Number(b)) => Ok(a.cmp(&b)),
            (Key::Instant(a), Key::Instant(b)) => Ok(a.cmp(&b)),
            _ => match (&*a, &*b) {
                (Value::String(a), Value::String(b)) => Ok(a.cmp(b)),
                _ => Err(unlike()),
            },
        },
        _ => Err(unlike()),
    }
}
