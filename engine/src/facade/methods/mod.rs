//! Publishes, shows, rolls back and deletes versions of methods. No restart is needed: new runs start with
//! the active version, and live runs continue with the version that they started with.

mod change;
mod diff;
mod publish;
mod view;

pub use diff::MethodDiff;
pub use publish::{Publication, Published};
pub use view::{MethodDetail, MethodView, VersionView};
pub(in crate::facade) use view::{current, find, rows_of};
