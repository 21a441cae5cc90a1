//! What an operation refuses, and how much work one evaluation may do.

use crate::base::{Value, limits};

/// Why an operation has no result; the evaluator adds the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl Trouble {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The work that one evaluation may still do, in visited nodes and list items.
#[derive(Debug)]
pub(super) struct Fuel(u64);

/// Bytes of a text that cost as much as one item.
const TEXT_BYTES_AN_ITEM: usize = 16;

impl Fuel {
    pub(super) fn full() -> Self {
        Self(limits::EXPR_FUEL_MAX)
    }

    /// Takes the cost of looking at so many items.
    pub(super) fn spend(&mut self, items: usize) -> Result<(), Trouble> {
        let cost = u64::try_from(items).unwrap_or(u64::MAX);
        self.0 = self.0.checked_sub(cost).ok_or_else(|| {
            Trouble::new("this expression asks for too much work")
                .with_hint("work on shorter lists, or split it over several steps")
        })?;
        Ok(())
    }

    /// Takes the cost of looking at the whole of a value, or of copying it.
    pub(super) fn spend_on(&mut self, value: &Value) -> Result<(), Trouble> {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => self.spend(1),
            Value::String(text) => self.spend_text(text.len()),
            Value::Array(items) => {
                self.spend(1)?;
                items.iter().try_for_each(|item| self.spend_on(item))
            }
            Value::Object(members) => {
                self.spend(1)?;
                members.iter().try_for_each(|(name, member)| {
                    self.spend_text(name.len())?;
                    self.spend_on(member)
                })
            }
        }
    }

    /// Takes the cost of making so many bytes of text.
    pub(super) fn spend_text(&mut self, bytes: usize) -> Result<(), Trouble> {
        self.spend(1 + bytes / TEXT_BYTES_AN_ITEM)
    }
}
