//! The only module with side effects: it claims due runs and takes their steps, applies inbound messages,
//! sends outbound messages, and does other work when it falls due.
//!
//! ```text
//!  bells ─▶ runs ──▶ claims ─▶ actor ─▶ step ─▶ draft ─▶ Store::commit
//!        ─▶ inbox ─▶ understand ─▶ apply under the lock ─▶ wake
//!        ─▶ outbox ─▶ release ─▶ gateway ─▶ record the answer
//!        ─▶ schedules ─▶ kill switches, schedules, what falls due in the domain
//! ```
//! Each part has a `pump` that does the work that is due now and returns when more falls due.
//! All parts run concurrently, each in the loop of `part.rs`. [`serve`] runs them until the process stops.
//! [`settle`] runs them until no work is due.
//!
//! Other folders use a folder only through its `mod.rs`.
//! The modules are listed in the order of their layers: each uses only modules listed before it.

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
