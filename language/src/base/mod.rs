//! The basic types that every other module uses: typed ids, instants, durations, limits and digests.
//! This module also has the error type that crosses module boundaries.

pub mod calendar;
pub mod cron;
pub mod digest;
pub mod extent;
pub mod id;
pub mod likeness;
pub mod limits;
pub mod problem;
pub mod text;
pub mod time;
pub mod wall;
pub mod words;
pub mod working_day;

pub use digest::Digest;
pub use id::*;
pub use likeness::{did_you_mean, nearest};
pub use problem::{Code, Problem};
pub use time::{Span, Timestamp};

/// The value of variables, arguments and results: plain JSON.
///
/// Instants are RFC 3339 strings and durations are `humantime` strings,
/// so that a value means the same in a database, a template and a receipt.
pub use serde_json::Value;
