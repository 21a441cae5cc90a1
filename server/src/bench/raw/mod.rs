//! The raw limit: the rows that a step writes, written by the bare driver into the same database.
//!
//! One head UPDATE and one ledger INSERT a step, of the sizes that the engine's own rows have, in
//! the same tables with the same indexes, under the same durability: one commit each, or 128 of them
//! in two set-based statements and one commit. What was written is read back and counted.

mod gauge;
mod rows;
mod server;
mod write;

pub(super) use gauge::{Gauge, Written};
pub(super) use server::{FreshDatabase, durable};
pub(super) use write::{Limit, Raw};

use abide_engine::base::Problem;

/// Steps of one set-based commit.
pub(super) const BATCH: usize = 128;

fn failed(what: &str) -> impl Fn(sqlx::Error) -> Problem {
    move |error| {
        Problem::operator("database_unreachable", format!("the bench could not {what}"))
            .with_detail(error.to_string())
            .with_hint("check with `abide doctor` that the database can be written")
    }
}
