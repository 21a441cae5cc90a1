//! The demo: a church fills five nursery places by text, despite crashes, with a timeout and a last call.

use std::path::Path;

use abide_engine::base::Problem;
use abide_engine::store::Address;

use crate::play::{Options, simulate};
use crate::report::{Line, Report};
use crate::scenario::{Scenario, read};

/// The demo's scenario file.
pub const TEXT: &str = include_str!("../scenarios/demo.yaml");

/// Parses the demo's scenario.
///
/// # Errors
/// `internal` if the shipped file is invalid, which is a bug.
pub fn scenario() -> Result<Scenario, Problem> {
    let (scenario, found) = read("demo.yaml", TEXT);
    scenario.ok_or_else(|| Problem::bug(format!("the demo scenario is invalid: {found:?}")))
}

/// Plays the demo and calls `on_line` for each line of its story as it happens. The database is kept in the
/// folder `keep`, or else deleted with its temporary folder.
///
/// # Errors
/// As [`simulate`].
pub async fn demo(
    seed: Option<u64>,
    keep: Option<&Path>,
    on_line: &(dyn Fn(&Line) + Sync),
) -> Result<Report, Problem> {
    let options = Options {
        seed,
        db: keep.map(|folder| Address::Sqlite(folder.join("demo.db"))),
        on_line: Some(on_line),
        ..Options::default()
    };
    simulate(&scenario()?, &options).await
}
