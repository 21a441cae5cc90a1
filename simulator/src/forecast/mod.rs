//! A copy of a live run, played forward: what will happen if people behave so.
//!
//! The copy is read in one transaction and put into a file of its own. What is played there can reach
//! nobody: a play knows no gateway but the simulated one. The database that it was read from is not written.

mod live;
mod outlook;

pub use live::Live;
pub use outlook::{Forecast, Outgoing, forecast};
