//! A method as it was written, with places: what the parser makes and the checker reads.

use std::ops::Range;

use super::formula::Formula;
use super::graph::{MethodLimits, Retry};
use crate::base::{Span, Value};
use crate::yaml::Node;

/// Something and where it stands, in bytes of the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed<T> {
    pub value: T,
    pub at: Range<usize>,
}

/// A whole method.
#[derive(Debug)]
pub(super) struct MethodAst {
    pub name: Placed<String>,
    pub description: Option<String>,
    pub applicable_if: Option<Formula>,
    pub inputs: Option<Placed<Value>>,
    pub limits: MethodLimits,
    /// Where `max_messages` stands.
    pub max_messages_at: Option<Range<usize>>,
    pub steps: Vec<StepAst>,
    pub success_when: Vec<Formula>,
    pub fallbacks: Vec<FallbackAst>,
    /// Variables that are filled by parts of the language which are not read yet.
    pub filled_elsewhere: Vec<String>,
}

/// One entry of `fallbacks`.
#[derive(Debug)]
pub(super) struct FallbackAst {
    pub key: String,
    pub at: Range<usize>,
    pub condition: Formula,
    pub steps: Vec<StepAst>,
}

/// One step that calls a verb.
#[derive(Debug)]
pub(super) struct StepAst {
    pub key: String,
    pub at: Range<usize>,
    pub id: Option<Placed<String>>,
    pub call: Placed<String>,
    /// It hands over a goal, as only the call of a method does.
    pub calls_method: bool,
    pub args: Option<Node>,
    pub out: Option<Placed<String>>,
    pub when: Option<Formula>,
    pub foreach: Option<ForeachAst>,
    pub retry: Retry,
    pub timeout: Option<Span>,
    pub occasion: Option<Placed<String>>,
}

/// `foreach: person in accepted`.
#[derive(Debug)]
pub(super) struct ForeachAst {
    pub variable: Placed<String>,
    pub over: Formula,
}
