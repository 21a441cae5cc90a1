//! Torture: kills the process before and after every commit of a scenario,
//! and plays one simulation for each of these points.
//! Checks that each simulation leaves the same state as a simulation without a crash.
//!
//! [`plan`] chooses the points, [`trials`] runs the simulations, and [`difference`] compares two states.

pub mod difference;
pub mod plan;
pub mod trials;

pub use plan::Sampling;
pub use trials::{TortureOptions, TortureReport, Trial, TrialFailure, torture};

pub use crate::play::CommitCrash;
