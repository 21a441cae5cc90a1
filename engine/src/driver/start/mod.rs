//! Inserts runs: runs started from outside, children of other runs, and forks of old runs.

mod plan;

mod check;
mod rows;

mod choose;
mod shadow;

mod begin;
mod child;
mod fork;

pub use begin::Started;
pub(super) use begin::{prepare_in_memory, start_unless_running};
pub(crate) use begin::{rehearse, remember_start, start};
pub(super) use check::check_goal;
pub(crate) use check::{check_limits, check_start};
pub(super) use child::{ChildStart, start_child};
pub use fork::ForkRun;
pub(crate) use fork::fork;
pub(in crate::driver) use plan::METHOD_AMBIGUOUS;
pub(super) use rows::{Child, RunStart, first_state, first_vars, new_run};
