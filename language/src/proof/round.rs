//! Loops that enclose a step.

use super::amount::Bound;
use crate::expr::{Expr, ExprKind};

/// A loop that encloses a step.
pub(super) struct Round {
    /// Maximum number of rounds.
    pub times: Bound,
    /// Variable of the item, if the loop is a `foreach`.
    pub variable: Option<String>,
    /// Whether the loop's items are distinct people.
    pub people: bool,
    /// Whether the loop's rounds are child runs.
    pub apart: bool,
}

impl Round {
    /// Whether the expression is just the loop's item.
    pub(super) fn is_item(&self, expr: &Expr) -> bool {
        self.variable.is_some() && variable(expr) == self.variable.as_deref()
    }
}

/// Returns the name of the variable if the expression is just a variable.
fn variable(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Path(path) => match path.as_slice() {
            [name] => Some(name),
            _ => None,
        },
        _ => None,
    }
}
