//! State that all parts of the driver share: [`Core`], and what it remembers for them from one commit to
//! the next.

mod bundles;
mod endings;
mod pumped;
mod put_off;
mod tenant_turns;
mod tenants;
mod tries;

mod state;

mod fit;
mod streams;
mod wait;

pub(super) use bundles::Chosen;
pub(super) use fit::NO_CAPABLE_NODE;
pub(crate) use fit::Stranded;
pub(super) use pumped::Pumped;
pub(super) use put_off::failed;
pub use state::{Core, Pace, Parts};
pub(crate) use streams::tenant_stream;
pub(super) use tenants::TenantSettings;
pub(super) use tries::TRIED_EVERY;
pub(crate) use wait::{answer_within, applied_somewhere, pause, within};
