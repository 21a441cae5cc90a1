//! Inserts runs: started from outside, started as the child of another run, or forked from an old run.

mod check;
mod rows;

mod begin;
mod child;
mod fork;

pub use begin::Started;
pub(super) use begin::refused_or_started;
pub(crate) use begin::{start, started};
pub(super) use check::check_goal;
pub(crate) use check::{check, judge};
pub(super) use child::start_child;
pub use fork::ForkRun;
pub(crate) use fork::fork;
pub(super) use rows::{Child, first_vars, new_run};
