//! Methods: YAML with spans → syntax tree → checked → step graph.
//!
//! The checker collects every finding; only a text without errors becomes a [`CheckedMethod`],
//! and only a [`CheckedMethod`] can run.

mod ast;
mod check;
mod compile;
mod formula;
pub mod graph;
mod parse;
#[cfg(test)]
mod tests;

pub use compile::{CheckedMethod, World, compile};
pub use graph::{
    Arg, Backoff, Call, Fallback, Foreach, GRAPH_V, Graph, MethodLimits, Node, NodeIx, Retry,
    TextPart,
};

/// Variables that every method has without a step that fills them.
pub const IMPLIED: [&str; 5] = ["goal", "ctx", "req", "run", "timeout"];
