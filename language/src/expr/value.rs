//! Values inside the evaluator: JSON, and the two kinds of time that JSON has no words for.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::base::{Span, Timestamp, Value};

use super::number::Num;
use super::trouble::Trouble;

/// A value. Lists and objects of the scope are borrowed, so that reading one costs nothing.
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
    /// The value outside the evaluator: instants as RFC 3339, durations as `humantime`.
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

    /// What it is, for a message.
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

    /// The truth of a condition; what no step has filled yet is not true.
    pub(super) fn truth(&self) -> Result<bool, Trouble> {
        match self {
            Json(value) if value.is_null() => Ok(false),
            Json(value) if value.is_boolean() => Ok(**value == Value::Bool(true)),
            _ => Err(Trouble::new(format!("expected true or false, got {}", self.describe()))
                .with_hint("compare it with something, such as `len(people) > 0`")),
        }
    }

    /// A text that stands for an instant or a duration as that; anything else as it is.
    ///
    /// # Errors
    /// Where it is a text that stands for neither.
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

    /// The same value, without copying a list or an object.
    fn borrowed(&self) -> Typed<'_> {
        match self {
            Json(value) => (&**value).into(),
            Instant(at) => Instant(*at),
            Duration(span) => Duration(*span),
        }
    }

    /// True for an instant or a duration.
    pub(super) fn is_temporal(&self) -> bool {
        !matches!(self, Json(_))
    }
}

/// A duration's text, also of a negative one, as the difference of two instants may be.
pub(super) fn duration(text: &str) -> Option<Span> {
    match text.strip_prefix('-') {
        Some(rest) => rest.parse::<Span>().ok().map(|span| Span::from_micros(-span.micros())),
        None => text.parse().ok(),
    }
}

/// A text cut to a length that fits into a message.
pub(super) fn shown(text: &str) -> String {
    const CHARS: usize = 40;
    let mut cut: String = text.chars().take(CHARS).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

/// What makes two values the same, in an order of its own.
///
/// Numbers count by their worth (`1` is `1.0`) and texts of instants by the instant, whatever the
/// offset in which they are written.
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

/// An instant in a text that has the shape of one; nearly every other text is told by three bytes.
fn instant_like(text: &str) -> Option<Timestamp> {
    let bytes = text.as_bytes();
    let shaped = bytes.len() >= "2025-10-05T09:00:00Z".len()
        && (bytes[4], bytes[7], bytes[10]) == (b'-', b'-', b'T');
    if shaped { text.parse().ok() } else { None }
}

/// Brings a text next to an instant or a duration to its kind.
pub(super) fn align<'a>(
    left: Typed<'a>,
    right: Typed<'a>,
) -> Result<(Typed<'a>, Typed<'a>), Trouble> {
    if left.is_temporal() || right.is_temporal() {
        return Ok((left.temporal()?, right.temporal()?));
    }
    Ok((left, right))
}

/// True where two values are the same.
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

/// Which of two values comes first.
///
/// # Errors
/// Where they are not both numbers, texts, instants or durations.
pub(super) fn order(left: &Typed<'_>, right: &Typed<'_>) -> Result<Ordering, Trouble> {
    let unlike = || {
        let (a, b) = (left.describe(), right.describe());
        let trouble = Trouble::new(format!("cannot tell whether {a} or {b} comes first"));
        match left.is_null() || right.is_null() {
            true => trouble.with_hint("give what may be missing a value: `default(x, 0)`"),
            false => trouble.with_hint("compare numbers, texts, instants or durations"),
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
