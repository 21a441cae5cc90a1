//! The raw limit: how fast the bare database driver can write the rows of a step into the same database.
//!
//! A raw step is one UPDATE of a run's head and one INSERT into the ledger. Its rows have the same size as
//! the engine's rows. The tables, their indexes and the durability settings are the same as the engine's.
//! Either each raw step has its own commit, or 128 raw steps share two set-based statements and one commit.
//! The written rows are read back and counted.

mod bare;
mod conn;
mod copy;
mod inbound;
mod log_meter;
mod rows;
mod server;
mod size;
mod watch;
mod write;

pub(super) use bare::BareTable;
pub(super) use copy::{Copier, CopyWriter, SampleRuns, Stage};
pub(super) use inbound::MessageWatch;
pub(super) use log_meter::{LogMeter, LogVolume};
pub(super) use server::{FreshDatabase, require_durable};
pub(super) use size::{TableSizes, measure_sizes};
pub(super) use watch::{Awaited, RunRange, RunWatch};
pub(super) use write::{MeasureLimit, RawWriter};

use abide_engine::base::Problem;

/// Number of raw steps in a commit that holds several raw steps.
pub(super) const BATCH: usize = 128;

fn failed(what: &str) -> impl Fn(sqlx::Error) -> Problem {
    move |error| {
        Problem::operator("database_unreachable", format!("the benchmark cannot {what}"))
            .with_detail(error.to_string())
            .with_hint("check with `abide doctor` that the database is writable")
    }
}
