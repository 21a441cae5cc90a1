//! Forecasts: a copy of a live run is played forward with simulated people.
//!
//! The copy is read in one transaction and written to a file of its own; the source database is only read.
//! A forecast reaches no real person, because a simulation has no gateway but the simulated one.

mod outlook;
mod snapshot;

pub use outlook::{Forecast, ForecastText, forecast};
pub use snapshot::RunSnapshot;
