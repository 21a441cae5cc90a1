//! Takes one step of a run: turns the run in memory ([`RunInMemory`]) into a draft
//! of its next commit ([`Draft`]).
//!
//! The same code runs inside a transaction, for verbs that touch the database, and without one,
//! for verbs that only compute and are committed in groups. [`needs_tx`] alone decides which.
//! This folder commits nothing.
//!
//! ```text
//!  take ─▶ orders ─▶ upgrade, skip
//!       ─▶ invoke ─▶ wait ─┐
//!       ─▶ awaits ─────────┼─▶ park
//!       ─▶ fan ─▶ children ┘
//!       ─▶ closing ─▶ undo
//! ```
//! All these files work on the step of `context.rs`, and share `call.rs`, `askings.rs` and `load.rs`.

mod draft;
mod lane;
mod run_in_memory;

mod context;

mod askings;
mod call;
mod load;
mod park;
mod undo;

mod awaits;
mod children;
mod fan;
mod invoke;
mod wait;

mod closing;
mod failed;
mod orders;
mod skip;
mod upgrade;

mod take;

pub(crate) use askings::{is_asked_for, latest as latest_askings};
pub(super) use context::{CallFailure, Step, Stepped};
pub(super) use draft::Draft;
pub(super) use failed::follow;
pub(super) use lane::{Action, needs_tx};
pub(super) use run_in_memory::{RunInMemory, unreadable};
pub(crate) use skip::order as skip_order;
pub(crate) use upgrade::load_move_facts;
