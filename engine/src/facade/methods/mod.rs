//! The versions of methods: published, looked at, taken back, deleted. No restart is needed: new runs
//! begin with what is active, and runs that are at work go on with what they began with.

mod change;
mod diff;
mod publish;
mod view;

pub use diff::MethodDiff;
pub use publish::{Publication, Published};
pub use view::{MethodDetail, MethodView, VersionView};
pub(in crate::facade) use view::{current, find, rows_of};
