//! The loops that enclose a step. Each loop multiplies the messages and the time of the step.

use super::amount::Bound;
use crate::expr::{Expr, ExprKind};

/// A loop that encloses a step.
pub(super) struct Round {
    /// Maximum number of rounds.
    pub times: Bound,
    /// Name of the variable for the item; `None` if the loop is not a `foreach`.
    pub variable: Option<String>,
    /// Whether the loop's items are distinct people.
    pub people: bool,
    /// Whether the loop's rounds are child runs.
    pub apart: bool,
}

impl Round {
    /// Whether the expression is the variable of the loop's item, and nothing else.
    pub(super) fn is_item(&self, expr: &Expr) -> bool {
        self.variable.is_some() && variable(expr) == self.variable.as_deref()
    }
}

/// Returns the variable that the expression consists of; `None` if the expression is anything else.
fn variable(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Path(path) => match path.as_slice() {
            [name] => Some(name),
            _ => None,
        },
        _ => None,
    }
}
