//! Defines the values that the expressions of a step can read, and the error that reports a missing value.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::{Problem, Timestamp, Value};
use crate::expr::{EvalError, FactCall, Lookup, Need, Scope};
use crate::method::{Arg, Node};

/// The values that are loaded for one step.
#[derive(Debug, Clone)]
pub struct StepScope {
    /// Time of the step.
    pub now: Timestamp,
    /// Variables by name. `None` means that the variable was loaded and is unset.
    pub variables: BTreeMap<String, Option<Arc<Value>>>,
    /// Results of fact functions, that is, functions of the expression language that ask the database.
    pub facts: BTreeMap<FactCall, Value>,
}

impl StepScope {
    /// Creates a scope that contains only the time of the step.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self { now, variables: BTreeMap::new(), facts: BTreeMap::new() }
    }

    /// Sets a variable for the expressions that are evaluated with this scope. Stores nothing.
    pub fn set(&mut self, name: &str, value: Value) {
        self.variables.insert(name.to_owned(), Some(Arc::new(value)));
    }

    /// Evaluates an argument of the step `node`.
    pub(super) fn evaluate(&self, arg: &Arg, node: &Node) -> Result<Value, StepError> {
        arg.evaluate(self).map_err(|e| StepError::from_eval(e, &format!("`{}`", node.step_id)))
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
    /// The result of this fact function must be read from the database before the step is computed again.
    MissingFact(FactCall),
    /// An expression failed for the loaded values, so computing the step again would not help.
    Failed(Problem),
}

impl StepError {
    /// Adds to the missing variables all other variables that the step reads,
    /// so that one query loads them all. Leaves out `req`, which is read separately,
    /// with the request locked.
    pub(super) fn with_reads(self, node: &Node, scope: &StepScope) -> Self {
        let Self::MissingVariables(mut names) = self else { return self };
        if names != ["req"] {
            let unknown = node.reads.iter().filter(|name| !scope.variables.contains_key(*name));
            let more: Vec<_> = unknown.filter(|name| *name != "req").cloned().collect();
            names.extend(more.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
        }
        Self::MissingVariables(names)
    }

    /// Converts the error of an evaluation. `place` names the expression in the method,
    /// for the error message.
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
