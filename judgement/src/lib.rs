//! The judgement of abide: decides what a message asks for, before anything acts.
//!
//! The operator (`operator`) turns a message of staff into classified intent, a plan of calls, gates and receipts. It
//! calls tools only through runs of the engine, which keep their own gates.
//!
//! **Invariant:** only `data/` contains SQL.

pub mod agenda;
pub mod conversation;
mod customer;
pub mod data;
mod follow_ups;
pub mod judge;
mod live_runs;
pub mod obligations;
pub mod operator;

pub use data::migrations;
pub use judge::TextJudge;
