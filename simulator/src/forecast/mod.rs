//! Makes forecasts: simulations that play a copy of a live run forward with simulated people.
//!
//! The copy is read in one transaction and written to a database file of its own.
//! The simulation uses only that file, so a forecast never writes to the source database.
//! No message of a forecast reaches a real person, because a simulation has only the simulated gateway.

mod outlook;

pub use crate::play::{ForecastText, RunSnapshot};
pub use outlook::{Forecast, forecast};
