//! Publishes, shows, rolls back and deletes versions of methods. No restart is needed:
//! new runs start with the active version, and live runs continue with the version that they started with.

mod change;
mod publish;
mod view;

pub use publish::{NewVersion, PublishOutcome, Published};
pub use view::{MethodDetail, MethodOrigin, MethodView, VersionView};
pub(in crate::facade) use view::{current_version, find_version, versions_of};
