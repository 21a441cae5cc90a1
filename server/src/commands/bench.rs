//! `abide bench`: compares the speed of the engine with that of the bare database driver.

use super::context::{CommandResult, Context};
use crate::bench::{Plan, measure};
use crate::cli::BenchArgs;
use crate::database;
use crate::exit::Exit;
use crate::output;

pub(super) async fn run(context: &Context, args: &BenchArgs) -> CommandResult {
    let plan = if args.quick { Plan::quick() } else { Plan::full() };
    if cfg!(debug_assertions) {
        output::note("note: this is a debug build; measure with `cargo run --release -- bench`");
    }
    let address = database::address(context.global.db.as_deref());
    let report = Box::pin(measure(&plan, &address)).await?;
    if !context.json(&report.json()) {
        output::line(report.text());
    }
    Ok(Exit::Success)
}
