//! Defines the state that all parts of the driver share: [`Core`], with its caches and counters.

mod archive_pass;
mod awaited;
mod backoff;
mod bundles;
mod domains;
mod pumped;
mod run_ends;
mod tenant_rotation;
mod tenants;
mod tries;

mod preview;
mod proposals;
mod rewordings;
mod state;

mod budget;
mod release_time;

mod ask_model;
mod fit;
mod streams;
mod wait;

pub(super) use archive_pass::ArchivePlace;
pub(crate) use archive_pass::{ArchivePass, archive_cutoffs};
pub(crate) use ask_model::ask_model;
pub(super) use backoff::{SweepItem, failed};
pub(super) use budget::budget_reached;
pub(super) use bundles::Chosen;
pub(crate) use domains::check_names;
pub(super) use domains::{check_bundle, check_tool};
pub(super) use fit::NO_CAPABLE_NODE;
pub(crate) use fit::Stranded;
pub(super) use preview::not_available;
pub use preview::{Preview, PreviewEnd, PreviewTotals};
pub(super) use proposals::Answer;
pub(super) use pumped::Pumped;
pub use release_time::START_WITHIN;
pub(super) use release_time::{ANSWER_WITHIN, ReleaseTime};
pub use state::{Core, CoreConfig, DriveMode, Previewer};
pub(crate) use streams::{records_stream, tenant_stream};
pub(super) use tenants::TenantSettings;
pub(super) use tries::TRIED_EVERY;
pub(crate) use wait::{LOOK_ELSEWHERE, answer_within, applied_somewhere, pause, within};
