//! The simulator: plays scenarios on the production engine,
//! with a virtual clock, simulated people and simulated crashes.
//!
//! A [`scenario::Scenario`] is read from a file that lists people, scenario steps (events
//! from outside, each with a time) and expectations. The simulator replaces only the clock,
//! the gateway and the people; everything else is the engine that runs in production.
//! Two simulations of one scenario with the same seed have the same output, byte for byte.

pub mod crowd;
pub mod demo;
pub mod domains;
pub mod ensemble;
pub mod forecast;
mod own_database;
mod parallel;
pub mod play;
pub mod report;
pub mod scenario;
pub mod shipped;
pub mod swarm;
pub mod torture;
