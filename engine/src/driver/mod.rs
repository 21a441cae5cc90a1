//! The only module that acts: it claims due runs and takes their steps, applies inbound messages, sends
//! outbound ones, and does what falls due.
//!
//! ```text
//!  bells ─▶ runs ──▶ claims ─▶ actor ─▶ step ─▶ draft ─▶ Store::commit
//!        ─▶ inbox ─▶ understand ─▶ apply under the lock ─▶ wake
//!        ─▶ outbox ─▶ release ─▶ gateway ─▶ record the answer
//!        ─▶ schedules ─▶ kill switches, schedules, what falls due in the domain
//! ```
//! Each part has a `pump` that does what is due now and returns when more is due. All parts run
//! concurrently, each in the loop of `part`: [`serve`] runs them for as long as the process lives,
//! [`settle`] until nothing is due.
//!
//! The `mod.rs` of a folder is its only entrance. The modules are listed in the order of their layers:
//! each uses only modules listed before it.

mod bell;
mod current_part;

mod claims;
mod core;
mod start;
mod step;

mod inbox;
mod outbox;
mod runs;
mod schedules;

mod schema;

mod node;
mod part;

mod serve;
mod settle;

pub use bell::Bells;
pub use core::{Core, CoreConfig, DriveMode};
pub(crate) use core::{Stranded, answer_within, applied_somewhere, pause, tenant_stream, within};
pub use current_part::current_part;
pub(crate) use outbox::START_WITHIN;
pub(crate) use runs::start_in_lane_a;
pub(crate) use schema::check_schema;
pub use serve::serve;
pub use settle::{Settled, settle};
pub use start::{ForkRun, Started};
pub(crate) use start::{check_limits, check_start, fork, remember_start, start};
pub(crate) use step::{is_asked_for, latest_askings, load_move_facts, skip_order};
