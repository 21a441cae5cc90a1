//! Walks over the steps of a run to its next action, and collects the variables that are assigned on the
//! way.

use super::scope::StepScope;
use super::state::RunState;
use crate::base::Value;

/// The variables that the steps assign, as pairs of name and value, in the sequence of the assignments.
pub type Assigned = Vec<(String, Value)>;

/// A walk over a run's steps, up to the next action.
pub(super) struct Walk<'w> {
    pub(super) state: &'w mut RunState,
    pub(super) scope: &'w mut StepScope,
    /// The variables assigned since the beginning of the walk, which the next commit stores.
    pub(super) assigned: &'w mut Assigned,
}

impl Walk<'_> {
    /// Assigns a variable: sets its value for the following steps, and adds it to the variables to commit.
    pub(super) fn assign(&mut self, name: &str, value: Value) {
        self.scope.set(name, value.clone());
        self.assigned.push((name.to_owned(), value));
    }
}
