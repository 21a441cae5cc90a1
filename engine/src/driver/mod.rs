//! The only part that acts: claim → load → step → verb → commit, inbound, outbox, what falls due.
//!
//! ```text
//!  bells ─▶ runs ──▶ claims ─▶ actor ─▶ step ─▶ draft ─▶ Store::commit
//!        ─▶ inbox ─▶ understand ─▶ apply under the lock ─▶ wake
//!        ─▶ outbox ─▶ release ─▶ gateway ─▶ note the answer
//!        ─▶ schedules ─▶ kill switches, schedules, what falls due in the domain
//! ```
//! Each part has a `pump` that does what is due now and says when there is more to do. All of them work side by side, each in the loop of `part`: [`serve`] has them work for as long as the process
//! lives, [`settle`] until nothing is due.
//!
//! The `mod.rs` of a folder is its one entrance. The modules are listed in the order of their layers: each uses only
//! modules that are listed before it.

mod at_work;
mod bell;

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

pub use at_work::part_at_work;
pub use bell::Bells;
pub use core::{Core, Pace, Parts};
pub(crate) use core::{Stranded, answer_within, applied_somewhere, pause, tenant_stream, within};
pub(crate) use outbox::START_WITHIN;
pub(crate) use runs::start_alone;
pub(crate) use schema::look_at_schema;
pub use serve::serve;
pub use settle::{Tick, settle};
pub use start::{ForkRun, Started};
pub(crate) use start::{check, fork, judge, start, started};
pub(crate) use step::{is_asked_for, latest_askings, skip_order, stances};
