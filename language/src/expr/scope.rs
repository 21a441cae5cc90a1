//! The values that an expression can read during evaluation,
//! and its requests for values that are not loaded.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::base::{Problem, Timestamp, Value};

use super::ast::Range;
use super::functions;

/// The variables, the time and the facts that an expression can read during evaluation.
pub trait Scope {
    /// Looks up a variable.
    fn variable(&self, name: &str) -> Lookup<'_>;
    /// Returns the time of the step.
    fn now(&self) -> Timestamp;
    /// Returns the database's answer to a question; `None` if it is not loaded yet.
    fn fact(&self, call: &FactCall) -> Option<&Value>;
}

/// The result of looking up a variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lookup<'a> {
    /// The variable has this value.
    Found(&'a Value),
    /// No step has filled the variable; it reads as null.
    Unset,
    /// The variable may have a value, but it is not loaded yet.
    NotLoaded,
}

/// A question to the database: a call of a fact function with evaluated arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactCall {
    /// The name of the function.
    pub function: String,
    /// The positional arguments, in order.
    pub args: Vec<Value>,
    /// The named arguments, sorted by name.
    pub named: Vec<(String, Value)>,
}

/// The reason why an evaluation returned no value.
#[derive(Debug, Clone, PartialEq)]
pub enum EvalError {
    /// A value must be loaded before the expression is evaluated again.
    Need(Need),
    /// The expression has no value for these inputs.
    Fault(ExprFault),
}

/// The value that must be loaded before the expression can be evaluated.
#[derive(Debug, Clone, PartialEq)]
pub enum Need {
    /// The value of a variable.
    Variable(String),
    /// The answer to a question to the database.
    Fact(FactCall),
}

/// The reason why an expression has no value for these inputs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExprFault {
    /// Description of the fault, in lower case, without a full stop.
    pub message: String,
    /// The place in the source of the expression.
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
    /// Returns the argument of a parameter, whether it was given by name or by position.
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
