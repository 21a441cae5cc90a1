//! Torture: kills the process before and after every commit of a scenario, one simulation for each point,
//! and checks that each leaves the same state as a simulation without a crash.
//!
//! [`plan`] chooses the points, [`difference`] compares two states, and [`ordeal`] runs the simulations.

pub mod difference;
pub mod ordeal;
pub mod plan;

pub use ordeal::{Failure, Report, Rules, Trial, torture};
pub use plan::Point;
