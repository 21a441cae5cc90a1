//! Forecasts: simulations that play a copy of a live run forward with simulated people.
//!
//! The copy is read in one transaction and written to a file of its own,
//! so a forecast only reads the source database.
//! No message of a forecast reaches a real person, because a simulation has only the simulated gateway.

mod outlook;

pub use crate::play::{ForecastText, RunSnapshot};
pub use outlook::{Forecast, forecast};
