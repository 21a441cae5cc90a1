//! Obligations: what a text binds the agent to, and how tools discharge it.
//!
//! A text is read as obligations (`abide_agent::obligations`). For each, the conductor chooses tools by their contracts,
//! calls them durably, checks what they promise, and verifies the answer before it leaves. An answer is said from what
//! the tools returned, with its sources, and leaves a trace that can be replayed.

mod adapter;
mod ask;
mod choose;
mod conductor;
pub mod demo;
pub mod plant;
mod replay;
mod say;
pub(crate) mod standing;
mod telling;
mod tools;
mod trace;

pub use adapter::ToolAdapters;
pub use ask::{AskAnswer, AskRequest, Asker};
pub use replay::{Replay, replay};
pub use tools::verbs;
pub use trace::{TRACE_V, Trace, TracedObligation, TracedRun};
