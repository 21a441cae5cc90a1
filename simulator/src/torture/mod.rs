//! Torture: the process is killed at every commit of a story, before it and behind it, and what the
//! story leaves must be what it leaves when nobody is killed.
//!
//! A [`plan`] says where to kill, a [`difference`] is what is shown where two of them are not the same, and
//! [`ordeal`] plays all of it.

pub mod difference;
pub mod ordeal;
pub mod plan;

pub use ordeal::{Failure, Report, Rules, Trial, torture};
pub use plan::Point;
