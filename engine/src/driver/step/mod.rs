//! Takes one step of a run: turns the run in memory ([`RunInMemory`]) into a draft
//! of its next commit ([`Draft`]).
//!
//! The same code runs in both lanes. In lane B it runs inside a transaction,
//! for verbs that use the database. In lane A it runs without a transaction, for verbs that only compute;
//! such steps are committed in groups. Only `lane.rs` decides which lane a step takes.
//! This folder commits nothing.
//!
//! ```text
//!  take ─▶ orders ─▶ upgrade, skip
//!       ─▶ invoke ─▶ wait ─┐
//!                 ─▶ external
//!       ─▶ awaits ─────────┼─▶ park
//!       ─▶ fan ─▶ children ┘
//!       ─▶ closing ─▶ undo
//! ```
//! All of these files change the [`Step`] of `context.rs`, and use `call.rs`, `askings.rs` and `load.rs`.

mod draft;
mod lane;
mod run_in_memory;

mod context;

mod approval;
mod askings;
mod call;
mod load;
mod park;
mod undo;

mod awaits;
mod children;
mod external;
mod fan;
mod gate;
mod invoke;
mod joint;
mod key;
mod wait;

mod closing;
mod failed;
mod orders;
mod outside_plan;
mod shadow;
mod shown;
mod skip;
mod states;
mod upgrade;

mod take;

pub(crate) use askings::{is_asked_for, latest as latest_askings};
pub(super) use context::{CallFailure, Step, StepNews, Stepped};
pub(super) use draft::Draft;
pub(crate) use external::completion_signal;
pub(super) use failed::follow;
pub(crate) use key::clash as key_clash;
pub(super) use lane::{Lane, Learned, first_lane};
pub(super) use run_in_memory::{FirstValues, RunInMemory, unreadable};
pub(crate) use skip::order as skip_order;
pub(crate) use upgrade::load_move_facts;
