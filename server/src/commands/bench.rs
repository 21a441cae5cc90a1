//! `abide bench`: compares the speed of the engine with that of the bare database driver.

use super::context::{CommandResult, Context};
use crate::bench::{
    HttpPlan, Plan, WaitingPlan, measure, measure_over_http, measure_waiting, reopen,
};
use crate::cli::BenchArgs;
use crate::database;
use crate::exit::Exit;
use crate::{files, output};

/// Runs one of the benchmarks. With `--reopen`, serves a benchmark that another process runs.
///
/// # Errors
/// Any problem of the benchmark.
pub(super) async fn run(context: &Context, args: &BenchArgs) -> CommandResult {
    let address = database::address(context.global.db.as_deref());
    if args.reopen {
        Box::pin(reopen(&address)).await?;
        return Ok(Exit::Success);
    }
    if cfg!(debug_assertions) {
        output::note("note: this is a debug build; measure with `cargo run --release -- bench`");
    }
    let (json, text) = if args.http {
        let plan = if args.quick { HttpPlan::quick() } else { HttpPlan::full() };
        let report = Box::pin(measure_over_http(plan, &address)).await?;
        (report.json(), report.text())
    } else if let Some(waiting) = args.waiting {
        let plan =
            if args.quick { WaitingPlan::quick(waiting) } else { WaitingPlan::full(waiting) };
        let report = Box::pin(measure_waiting(&plan, &address)).await?;
        if let Some(path) = &args.plot {
            files::write(path, &report.plot()?, "name a file in a writable folder")?;
        }
        (report.json(), report.text())
    } else {
        let plan = if args.quick { Plan::quick() } else { Plan::full() };
        let report = Box::pin(measure(&plan, &address)).await?;
        (report.json(), report.text())
    };
    if !context.json(&json) {
        output::line(text);
    }
    Ok(Exit::Success)
}
