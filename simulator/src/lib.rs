//! The simulator: the same engine, virtual time, scripted people, real crashes.
//!
//! A [`scenario::Scenario`] is a file that says who there is, what happens when and what must then
//! be true. It is played by the engine that production runs; only the clock, the gateway and the
//! people are ours. The same seed gives the same story, byte for byte.

mod abreast;
mod apart;
pub mod cast;
pub mod crowd;
pub mod demo;
pub mod ensemble;
pub mod forecast;
pub mod play;
pub mod report;
pub mod scenario;
pub mod shipped;
pub mod swarm;
pub mod torture;
