//! Torture: kills the process before and after every commit of a scenario, one simulation for each point,
//! and checks that each leaves the same state as a simulation without a crash.
//!
//! [`plan`] chooses the points, [`difference`] compares two states, and [`trials`] runs the simulations.

pub mod difference;
pub mod plan;
pub mod trials;

pub use plan::Sampling;
pub use trials::{TortureOptions, TortureReport, Trial, TrialFailure, torture};

pub use crate::play::CommitCrash;
