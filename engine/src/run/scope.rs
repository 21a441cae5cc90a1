//! The values that the expressions of a step can read, and the error that names a missing value.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::{Problem, Timestamp, Value};
use crate::expr::{EvalError, FactCall, Lookup, Need, Scope};
use crate::method::Node;

/// The values loaded for one step. A variable that is known to be unset is present as `None`.
#[derive(Debug, Clone)]
pub struct StepScope {
    /// Time of the step.
    pub now: Timestamp,
    /// Variables by name.
    pub variables: BTreeMap<String, Option<Arc<Value>>>,
    /// Results of fact functions, read from the database.
    pub facts: BTreeMap<FactCall, Value>,
}

impl StepScope {
    /// Creates a scope that has only the time.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self { now, variables: BTreeMap::new(), facts: BTreeMap::new() }
    }

    /// Sets a variable.
    pub fn set(&mut self, name: &str, value: Value) {
        self.variables.insert(name.to_owned(), Some(Arc::new(value)));
    }
}

impl Scope for StepScope {
    fn variable(&self, name: &str) -> Lookup<'_> {
        match self.variables.get(name) {
            Some(Some(value)) => Lookup::Found(value),
            Some(None) => Lookup::Unset,
            None => Lookup::NotLoaded,
        }
    }

    fn now(&self) -> Timestamp {
        self.now
    }

    fn fact(&self, call: &FactCall) -> Option<&Value> {
        self.facts.get(call)
    }
}

/// Why a step could not be computed.
#[derive(Debug, Clone, PartialEq)]
pub enum StepError {
    /// These variables must be loaded before the step is computed again.
    MissingVariables(Vec<String>),
    /// This fact must be read from the database before the step is computed again.
    MissingFact(FactCall),
    /// The method fails for these values.
    Failed(Problem),
}

impl StepError {
    /// Extends the missing variables to all variables that the step reads, so that one query loads them.
    /// `req` is read separately, under the lock of the request.
    pub(super) fn with_reads(self, node: &Node, scope: &StepScope) -> Self {
        let Self::MissingVariables(mut names) = self else { return self };
        if names != ["req"] {
            let unknown = node.reads.iter().filter(|name| !scope.variables.contains_key(*name));
            let more: Vec<_> = unknown.filter(|name| *name != "req").cloned().collect();
            names.extend(more.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
        }
        Self::MissingVariables(names)
    }

    /// Converts an error of an evaluation; `place` names the place in the method where the error occurred.
    pub(super) fn from_eval(error: EvalError, place: &str) -> Self {
        match error {
            EvalError::Need(Need::Variable(name)) => Self::MissingVariables(vec![name]),
            EvalError::Need(Need::Fact(call)) => Self::MissingFact(call),
            EvalError::Fault(fault) => {
                let mut problem =
                    Problem::author("expression_failed", format!("{place}: {}", fault.message));
                problem.hint = fault.hint;
                Self::Failed(problem)
            }
        }
    }
}
