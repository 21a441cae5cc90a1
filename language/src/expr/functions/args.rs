//! The argument values of a pure function. Each value is taken once, as the type that the function needs.

use std::borrow::Cow;

use crate::base::{Span, Timestamp, Value};

use super::super::number::Num;
use super::super::trouble::Trouble;
use super::super::value::{Duration, Instant, Json, Typed};
use super::Function;

/// The values of the arguments of a function call, by parameter.
pub(in crate::expr) struct Args<'a> {
    function: &'static Function,
    values: Vec<Vec<Typed<'a>>>,
}

impl<'a> Args<'a> {
    pub(in crate::expr) fn new(function: &'static Function, values: Vec<Vec<Typed<'a>>>) -> Self {
        Self { function, values }
    }

    /// Takes the value of the parameter at position `at`; null if the function call omits it.
    pub(super) fn take(&mut self, at: usize) -> Typed<'a> {
        self.option(at).unwrap_or_else(|| Value::Null.into())
    }

    /// Takes the value of a parameter that can be omitted; `None` if the function call omits it.
    pub(super) fn option(&mut self, at: usize) -> Option<Typed<'a>> {
        self.values.get_mut(at).and_then(Vec::pop)
    }

    /// Takes all values of a repeated parameter.
    pub(super) fn all(&mut self, at: usize) -> Vec<Typed<'a>> {
        self.values.get_mut(at).map(std::mem::take).unwrap_or_default()
    }

    /// Takes a list; null counts as an empty list.
    pub(super) fn list(&mut self, at: usize) -> Result<Cow<'a, [Value]>, Trouble> {
        match self.take(at) {
            Json(Cow::Borrowed(Value::Array(items))) => Ok(Cow::Borrowed(items)),
            Json(Cow::Owned(Value::Array(items))) => Ok(Cow::Owned(items)),
            Json(value) if value.is_null() => Ok(Cow::Borrowed(&[])),
            other => Err(self.unlike(at, "a list", &other)),
        }
    }

    pub(super) fn text(&mut self, at: usize) -> Result<Cow<'a, str>, Trouble> {
        match self.take(at) {
            Json(Cow::Borrowed(Value::String(text))) => Ok(Cow::Borrowed(text)),
            Json(Cow::Owned(Value::String(text))) => Ok(Cow::Owned(text)),
            other @ (Instant(_) | Duration(_)) => {
                Ok(Cow::Owned(other.into_value().as_str().unwrap_or_default().to_owned()))
            }
            other @ Json(_) => Err(self.unlike(at, "a text", &other)),
        }
    }

    pub(super) fn number(&mut self, at: usize) -> Result<Num, Trouble> {
        let value = self.take(at);
        self.as_number(at, &value)
    }

    pub(super) fn as_number(&self, at: usize, value: &Typed<'_>) -> Result<Num, Trouble> {
        match value {
            Json(json) => match &**json {
                Value::Number(number) => Num::of(number),
                _ => Err(self.unlike(at, "a number", value)),
            },
            _ => Err(self.unlike(at, "a number", value)),
        }
    }

    /// Takes a count; a negative number becomes 0.
    pub(super) fn count(&mut self, at: usize) -> Result<usize, Trouble> {
        let name = self.parameter(at);
        self.number(at)?.count(name)
    }

    pub(super) fn instant(&mut self, at: usize) -> Result<Timestamp, Trouble> {
        match self.take(at).temporal()? {
            Instant(instant) => Ok(instant),
            other => Err(self.unlike(at, "an instant", &other)),
        }
    }

    pub(super) fn duration(&mut self, at: usize) -> Result<Span, Trouble> {
        match self.take(at).temporal()? {
            Duration(span) => Ok(span),
            other => Err(self.unlike(at, "a duration", &other)),
        }
    }

    /// Returns the error for a value that a parameter does not accept.
    pub(super) fn unlike(&self, at: usize, wanted: &str, got: &Typed<'_>) -> Trouble {
        let (function, name) = (self.function.name, self.parameter(at));
        Trouble::new(format!("`{function}` needs {wanted} as `{name}`, got {}", got.describe()))
            .with_hint(self.function.signature())
    }

    fn parameter(&self, at: usize) -> &'static str {
        self.function.parameters.get(at).map_or("argument", |parameter| parameter.name)
    }
}
