//! The values that an expression can read during evaluation,
//! and the error that names a value that is not loaded.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::base::{Problem, Timestamp, Value};

use super::ast::Range;
use super::functions;

/// The variables, the time and the query results that an expression can read during evaluation.
pub trait Scope {
    /// Looks up a variable.
    fn variable(&self, name: &str) -> Lookup<'_>;
    /// Returns the time of the step.
    fn now(&self) -> Timestamp;
    /// Returns the result of a database query; `None` if the result is not loaded yet.
    fn fact(&self, call: &FactCall) -> Option<&Value>;
}

/// The result of looking up a variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lookup<'a> {
    /// The variable has this value.
    Found(&'a Value),
    /// No step has assigned the variable, so it reads as null.
    Unset,
    /// The variable may have a value, but it is not loaded yet.
    NotLoaded,
}

/// A database query: a function that reads the database, with its evaluated arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactCall {
    /// The name of the function.
    pub function: String,
    /// The positional arguments, from left to right.
    pub args: Vec<Value>,
    /// The named arguments, sorted by name.
    pub named: Vec<(String, Value)>,
}

/// The reason why an evaluation returned no value.
#[derive(Debug, Clone, PartialEq)]
pub enum EvalError {
    /// A value must be loaded before the expression is evaluated again.
    Need(Need),
    /// The expression has no value for the values of its variables: for example, it divides by zero.
    Fault(ExprFault),
}

/// The value that must be loaded before the expression can be evaluated.
#[derive(Debug, Clone, PartialEq)]
pub enum Need {
    /// The value of a variable.
    Variable(String),
    /// The result of a database query.
    Fact(FactCall),
}

/// The reason why an expression has no value, such as a division by zero.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExprFault {
    /// Description of the fault, in lower case, without a full stop.
    pub message: String,
    /// The byte range of the fault in the source of the expression.
    pub at: Range,
    /// The remedy.
    pub hint: Option<String>,
}

impl From<ExprFault> for Problem {
    fn from(fault: ExprFault) -> Self {
        let problem = Self::author("expression_failed", fault.message);
        match fault.hint {
            Some(hint) => problem.with_hint(hint),
            None => problem,
        }
    }
}

impl FactCall {
    /// Returns the argument of a parameter, whether it is a named or a positional argument.
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
