//! Copies of runs: set-based statements multiply the rows of sample runs that the engine has written.
//!
//! A copy has ids of its own, and its events have a hash chain of their own, which the benchmark computes
//! with the engine's code and the audit can verify. All other columns are those of the sample. The
//! statements are built from the columns that the tables have, so that a new column is copied, too.

mod batch;
mod sample;
mod statements;
mod writer;

pub(in crate::bench) use sample::SampleRuns;
pub(in crate::bench) use statements::Stage;
pub(in crate::bench) use writer::{Copier, CopyWriter};
