//! Forecasts: a copy of a live run is played forward with simulated people.
//!
//! The copy is read in one transaction and written to a file of its own; the source database is only read.
//! A forecast reaches no real person, because a simulation has no gateway but the simulated one.

mod live;
mod outlook;

pub use live::Live;
pub use outlook::{Forecast, Outgoing, forecast};
