//! What expressions of a step may read, and what they still miss.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::{Problem, Timestamp, Value};
use crate::expr::{EvalError, FactCall, Lookup, Need, Scope};
use crate::method::Node;

/// Values at hand for one step. A variable that is known to be unset is present as `None`.
#[derive(Debug, Clone)]
pub struct StepScope {
    /// The step's time.
    pub now: Timestamp,
    /// Variables by name.
    pub variables: BTreeMap<String, Option<Arc<Value>>>,
    /// Answers of the database.
    pub facts: BTreeMap<FactCall, Value>,
}

impl StepScope {
    /// Nothing but the time.
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
    /// These variables must be loaded first; then ask again.
    Variables(Vec<String>),
    /// The database must be asked first; then ask again.
    Fact(FactCall),
    /// The method is wrong for these values.
    Faulty(Problem),
}

impl StepError {
    /// Where a variable is missed, all that the step names are: they are loaded in one query. `req`
    /// is read by itself, under its lock.
    pub(super) fn with_reads(self, node: &Node, scope: &StepScope) -> Self {
        let Self::Variables(mut names) = self else { return self };
        if names != ["req"] {
            let unknown = node.reads.iter().filter(|name| !scope.variables.contains_key(*name));
            let more: Vec<_> = unknown.filter(|name| *name != "req").cloned().collect();
            names.extend(more.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
        }
        Self::Variables(names)
    }

    /// Names the place of an evaluation's failure.
    pub(super) fn from_eval(error: EvalError, place: &str) -> Self {
        match error {
            EvalError::Need(Need::Variable(name)) => Self::Variables(vec![name]),
            EvalError::Need(Need::Fact(call)) => Self::Fact(call),
            EvalError::Fault(fault) => {
                let mut problem =
                    Problem::author("expression_failed", format!("{place}: {}", fault.message));
                problem.hint = fault.hint;
                Self::Faulty(problem)
            }
        }
    }
}
