//! Methods: YAML with positions → syntax tree → checker → step graph.
//!
//! The checker reports every finding. Only a text without errors becomes a [`CheckedMethod`], and only a
//! [`CheckedMethod`] can run.

mod arg;
mod ast;
mod check;
mod compare;
mod compile;
mod formula;
pub mod graph;
mod parse;
mod retry;
mod schema;
#[cfg(test)]
mod tests;

pub use arg::{Arg, TextPart};
pub use compare::{Change, MemberChange, Members, diff, is_named, members, same_kind};
pub use compile::{CheckedMethod, Head, World, compile, head};
pub use graph::{
    Act, Await, Awaited, Block, Call, Case, Fallback, Foreach, GRAPH_V, Graph, MethodCall,
    MethodLimits, Node, NodeIx, Parallel, Repeat,
};
pub use retry::{Backoff, Retry};
pub use schema::schema;

/// Variables that exist in every method without a step that assigns them.
pub const IMPLIED: [&str; 6] = ["goal", "ctx", "req", "run", "timeout", "error"];
