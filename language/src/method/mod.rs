//! Compiles methods: YAML with positions → syntax tree → checker → step graph.
//!
//! The checker reports every finding.
//! Only a source without errors becomes a [`CheckedMethod`], and only a [`CheckedMethod`] can run.

mod arg;
mod ast;
mod check;
mod compare;
mod compile;
mod deadline;
mod formula;
pub mod graph;
mod parse;
mod retry;
mod schema;
mod spanned;
#[cfg(test)]
mod tests;

pub use arg::{Arg, TextPart};
pub use compare::{
    ChangeKind, MemberChange, Members, MethodChange, diff, has_author_id, same_kind, step_members,
};
pub use compile::{CheckedMethod, Definitions, Signature, compile, read_signature};
pub use deadline::ComputedDeadline;
pub use graph::{
    Await, AwaitedSignal, Block, Call, Case, Fallback, Foreach, GRAPH_V, Graph, MethodCall,
    MethodLimits, Node, NodeIndex, Parallel, Repeat, StepAction,
};
pub use retry::{Backoff, Retry};
pub use schema::schema;

/// Variables that exist in every method, although no step assigns them.
pub const BUILT_IN_VARIABLES: [&str; 6] = ["goal", "ctx", "req", "run", "timeout", "error"];
