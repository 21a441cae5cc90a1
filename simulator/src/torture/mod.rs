//! Torture: plays a scenario twice for each of its commits. One simulation kills
//! the process just before the commit, and the other one just after the commit.
//! Checks that each simulation leaves the same state as a simulation without a crash.
//!
//! [`plan`] chooses the commits before and after which the process is killed,
//! [`trials`] runs the simulations, and [`difference`] compares two states.

pub mod difference;
pub mod plan;
pub mod trials;

pub use plan::Sampling;
pub use trials::{TortureOptions, TortureReport, Trial, TrialFailure, torture};

pub use crate::play::CommitCrash;
