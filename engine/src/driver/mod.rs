//! The only module of the engine with side effects: it takes the steps of runs that are due, applies
//! inbound messages, sends outbound messages, fires schedules, and does the work that remains after a kill
//! switch is turned.
//!
//! ```text
//!  bells ─▶ runs ──▶ claims ─▶ actor ─▶ step ─▶ draft ─▶ Store::commit
//!        ─▶ inbox ─▶ understand ─▶ apply under the lock ─▶ wake
//!        ─▶ outbox ─▶ release ─▶ gateway ─▶ record the result
//!        ─▶ schedules ─▶ kill switches, schedules, offers that expire, requests that close
//! ```
//! The driver consists of five parts: runs, inbox, outbox, answers and schedules. Each part has a function
//! `pump`, which does the work that is due now and returns the time at which more work falls due.
//! All parts run concurrently, each in the loop of `part.rs`.
//! [`serve`] runs the parts until the process stops, [`settle`] until no work is due.
//!
//! A folder is used from outside only through its `mod.rs`.
//! The modules are listed from the lowest layer to the highest: each uses only modules listed before it.

mod bell;
mod current_part;

mod claims;
mod core;
mod start;
mod step;

mod archive;
mod inbox;
mod outbox;
mod runs;
mod schedules;

mod schema;

mod node;
mod part;

mod serve;
mod settle;

pub(crate) use archive::{ArchiveStep, record_seal, seal as seal_archive, step as archive_step};
pub use bell::Bells;
pub use core::START_WITHIN;
pub(crate) use core::{
    ArchivePass, LOOK_ELSEWHERE, Stranded, answer_within, applied_somewhere, archive_cutoffs,
    ask_model, check_names, pause, records_stream, tenant_stream, within,
};
pub use core::{Core, CoreConfig, DriveMode, Preview, PreviewEnd, PreviewTotals, Previewer};
pub use current_part::current_part;
pub(crate) use runs::start_in_lane_a;
pub(crate) use schema::check_schema;
pub use serve::serve;
pub use settle::{Settled, settle};
pub use start::{ForkRun, Started};
pub(crate) use start::{check_limits, check_start, fork, rehearse, remember_start, start};
pub(crate) use step::{
    completion_signal, is_asked_for, key_clash, latest_askings, load_move_facts, skip_order,
};
