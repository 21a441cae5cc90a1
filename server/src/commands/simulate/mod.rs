//! `abide simulate SCENARIO.yaml|METHOD`: simulates with the real engine, in virtual time.

mod default_scenario;
pub(super) mod ensemble;
mod simulation;

use abide_engine::library::Sources;
use abide_simulator::play::{self, PlayOptions};
use abide_simulator::report::{SimulationReport, StoryLine, UnmetExpectation};
use serde_json::json;

use super::context::{CommandResult, Context};
use crate::cli::SimulateArgs;
use crate::exit::Exit;
use crate::output::{self, counted};
use crate::problem::ProblemDocument;
use simulation::Simulation;
pub(super) use simulation::{crowd_model, parse_scenario, read_scenario};

pub(super) async fn run(context: &Context, args: &SimulateArgs) -> CommandResult {
    let sources = context.sources()?;
    let simulation = Simulation::select(args, &sources)?;
    let several = args.runs > 1 || args.report.is_some() || args.against.is_some();
    let met = match several {
        true => ensemble::run(context, args, &simulation, &sources).await?,
        false => play_once(context, args.seed, simulation, sources).await?,
    };
    Ok(if met { Exit::Success } else { Exit::Failure })
}

async fn play_once(
    context: &Context,
    seed: Option<u64>,
    simulation: Simulation,
    sources: Sources,
) -> Result<bool, ProblemDocument> {
    let print = |line: &StoryLine| output::line(line);
    let options = PlayOptions {
        seed,
        sources: Some(sources),
        crowd: simulation.crowd,
        on_line: (!context.global.json).then_some(&print as _),
        ..PlayOptions::default()
    };
    let report = play::simulate(&simulation.scenario, &options).await?;
    if !context.json(&json!(report)) {
        print_summary(&report);
    }
    Ok(report.met())
}

fn print_summary(report: &SimulationReport) {
    for unmet in &report.unmet {
        output::line(unmet_text(unmet));
    }
    let totals = &report.totals;
    output::note(format_args!(
        "{}: {} in, {} out, {}, {}, {}; {} of {} expectations met",
        report.scenario,
        counted(totals.inbound, "text"),
        totals.outbound,
        counted(totals.runs, "run"),
        counted(totals.fired, "timer"),
        counted(totals.crashes, "crash"),
        totals.expectations.saturating_sub(report.unmet.len() as u64),
        totals.expectations,
    ));
}

pub(super) fn unmet_text(unmet: &UnmetExpectation) -> String {
    let UnmetExpectation { file, line, col, code, expected, found } = unmet;
    format!("{file}:{line}:{col}: {code}: expected {expected}\n    found {found}")
}
