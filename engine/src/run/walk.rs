//! The walk of a run over its steps, and the variables that it assigns.

use super::scope::StepScope;
use super::state::RunState;
use crate::base::Value;

/// The variables that a step assigns, in order, as pairs of name and value.
pub type Assigned = Vec<(String, Value)>;

/// A walk of a run over its steps, up to the next call.
pub(super) struct Walk<'w> {
    pub(super) state: &'w mut RunState,
    pub(super) scope: &'w mut StepScope,
    /// Variables assigned on the way.
    pub(super) assigned: &'w mut Assigned,
}

impl Walk<'_> {
    /// Assigns a variable: sets it for the steps that follow, and adds it to the variables to commit.
    pub(super) fn assign(&mut self, name: &str, value: Value) {
        self.scope.set(name, value.clone());
        self.assigned.push((name.to_owned(), value));
    }
}
