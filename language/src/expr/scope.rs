//! What an expression may read while it is evaluated, and what it asks for when it may not yet.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::base::{Problem, Timestamp, Value};

use super::ast::Range;
use super::functions;

/// What an expression may read while it is evaluated.
pub trait Scope {
    /// The value of a variable.
    fn variable(&self, name: &str) -> Lookup<'_>;
    /// The step's time.
    fn now(&self) -> Timestamp;
    /// The answer of the database to a question, if it was asked already.
    fn fact(&self, call: &FactCall) -> Option<&Value>;
}

/// Whether a variable has a value at hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lookup<'a> {
    /// It has this value.
    Found(&'a Value),
    /// No step has filled it; it reads as `null`.
    Unset,
    /// It may have a value, which is not loaded.
    NotLoaded,
}

/// A question to the database: a function with the values of its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactCall {
    /// The function.
    pub function: String,
    /// The arguments without a name.
    pub args: Vec<Value>,
    /// The arguments with a name, in order of their names.
    pub named: Vec<(String, Value)>,
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq)]
pub enum EvalError {
    /// Something must be loaded first; then evaluate again.
    Need(Need),
    /// It has none for these inputs.
    Fault(Fault),
}

/// What must be loaded first.
#[derive(Debug, Clone, PartialEq)]
pub enum Need {
    /// The value of a variable.
    Variable(String),
    /// The answer of the database.
    Fact(FactCall),
}

/// Why an expression has no value for these inputs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// What is wrong, in lower case, without a full stop.
    pub message: String,
    /// The part of the expression, in its own text.
    pub at: Range,
    /// The remedy.
    pub hint: Option<String>,
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        let problem = Self::author("expression_failed", fault.message);
        match fault.hint {
            Some(hint) => problem.with_hint(hint),
            None => problem,
        }
    }
}

impl FactCall {
    /// The argument of that name, however it was given.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&Value> {
        if let Some((_, value)) = self.named.iter().find(|(known, _)| known == name) {
            return Some(value);
        }
        let function = functions::find(&self.function)?;
        let position = function.parameters.iter().position(|p| p.name == name)?;
        self.args.get(position)
    }

    fn canonical(&self) -> String {
        serde_json::json!([self.function, self.args, self.named]).to_string()
    }
}

impl Eq for FactCall {}

impl PartialOrd for FactCall {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FactCall {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_function = self.function.cmp(&other.function);
        by_function.then_with(|| self.canonical().cmp(&other.canonical()))
    }
}
