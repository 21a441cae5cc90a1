//! The error of an operation, and the limit on the work of one evaluation.

use crate::base::{Value, limits};

/// The error of an operation, without its position. The evaluator adds the position.
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

/// The work that an evaluation may still do, in visited nodes and list items.
#[derive(Debug)]
pub(super) struct Fuel(u64);

/// Number of bytes of a string that cost as much as one list item.
const TEXT_BYTES_AN_ITEM: usize = 16;

impl Fuel {
    pub(super) fn full() -> Self {
        Self(limits::EXPR_FUEL_MAX)
    }

    /// Subtracts the cost of reading `items` list items from the fuel.
    ///
    /// # Errors
    /// An error if the remaining fuel does not cover the cost.
    pub(super) fn spend(&mut self, items: usize) -> Result<(), Trouble> {
        let cost = u64::try_from(items).unwrap_or(u64::MAX);
        self.0 = self.0.checked_sub(cost).ok_or_else(|| {
            Trouble::new("this expression takes too much work to evaluate")
                .with_hint("use shorter lists, or split the expression over several steps")
        })?;
        Ok(())
    }

    /// Subtracts the cost of reading or copying a whole value from the fuel.
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

    /// Subtracts the cost of reading or producing a string of `bytes` bytes from the fuel.
    pub(super) fn spend_text(&mut self, bytes: usize) -> Result<(), Trouble> {
        self.spend(1 + bytes / TEXT_BYTES_AN_ITEM)
    }
}
