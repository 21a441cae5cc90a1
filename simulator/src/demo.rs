//! The demo: a church fills five nursery places by text, through crashes, a timeout and a last call.

use std::path::Path;

use abide_engine::base::Problem;
use abide_engine::store::Address;

use crate::play::{Options, simulate};
use crate::report::{Line, Report};
use crate::scenario::{Scenario, read};

/// The story of the demo, as a scenario file tells it.
pub const TEXT: &str = include_str!("../scenarios/demo.yaml");

/// The scenario of the demo.
///
/// # Errors
/// A bug of ours: the shipped file does not read.
pub fn scenario() -> Result<Scenario, Problem> {
    let (scenario, found) = read("demo.yaml", TEXT);
    scenario.ok_or_else(|| Problem::bug(format!("the demo does not read: {found:?}")))
}

/// Plays the demo and tells each line as it unfolds. The database stays in `keep`, or goes with the
/// temporary folder it is in.
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
