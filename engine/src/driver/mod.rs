//! The only part that acts: claim → load → step → verb → commit, inbound, outbox, what falls due.
//!
//! ```text
//!  bells ─▶ runs ──▶ actor ─▶ step ─▶ call / look ─▶ draft ─▶ Store::commit
//!        ─▶ inbox ─▶ understand ─▶ apply under the lock ─▶ wake
//!        ─▶ outbox ─▶ release ─▶ gateway ─▶ note the answer
//!        ─▶ chores ─▶ schedules
//! ```
//! Each part has a `pump` that does what is due now and says when there is more to do. All of them work side by side, each in the loop of `part`: [`serve`] has them work for as long as the process
//! lives, [`settle`] until nothing is due.

mod actor;
pub(crate) mod answers;
mod awaits;
mod bell;
mod bundles;
mod call;
mod chores;
mod closing;
mod core;
mod draft;
mod endings;
mod fan;
mod fit;
mod fork;
mod inbox;
mod live;
mod load;
mod look;
mod node;
mod outbox;
mod part;
mod pumped;
mod put_off;
mod runs;
mod schedules;
mod schema;
mod serve;
mod settle;
mod skip;
mod standing;
mod start;
mod step;
mod switch;
mod tenant_turns;
mod tries;
mod undo;
mod unsettled;
mod upgrade;

pub use bell::Bells;
pub use core::{Core, Pace, Parts};
pub(crate) use fit::Stranded;
pub use fork::ForkRun;
pub(crate) use fork::fork;
pub(crate) use inbox::tenant_stream;
pub(crate) use node::take_over;
pub(crate) use outbox::START_WITHIN;
pub use part::part_at_work;
pub(crate) use schema::look_at_schema;
pub use serve::serve;
pub(crate) use serve::{answer_within, applied_somewhere, pause, within};
pub use settle::{Tick, settle};
pub(crate) use skip::order as skip_order;
pub use start::Started;
pub(crate) use start::{check, judge, start, start_alone, started};
pub(crate) use upgrade::stances;
