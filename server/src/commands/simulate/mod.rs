//! `abide simulate SCENARIO.yaml|METHOD`: a simulation in virtual time, on the engine of production.

mod casual;
pub(super) mod many;
mod story;

use abide_engine::library::Sources;
use abide_simulator::play::{self, PlayOptions};
use abide_simulator::report::{SimulationReport, StoryLine, UnmetExpectation};
use serde_json::json;

use super::{Context, Outcome};
use crate::cli::SimulateArgs;
use crate::exit::Exit;
use crate::output::{self, counted};
use crate::problem::ProblemDocument;
use story::Story;
pub(super) use story::{people, read_story, sound};

pub(super) async fn run(context: &Context, args: &SimulateArgs) -> Outcome {
    let sources = context.sources()?;
    let story = Story::of(args, &sources)?;
    let several = args.runs > 1 || args.report.is_some() || args.against.is_some();
    let met = match several {
        true => many::run(context, args, (&story, &sources)).await?,
        false => once(context, args.seed, (story, sources)).await?,
    };
    Ok(if met { Exit::Done } else { Exit::Unwell })
}

async fn once(
    context: &Context,
    seed: Option<u64>,
    (story, sources): (Story, Sources),
) -> Result<bool, ProblemDocument> {
    let tell = |line: &StoryLine| output::line(line);
    let options = PlayOptions {
        seed,
        sources: Some(sources),
        crowd: story.crowd,
        on_line: (!context.global.json).then_some(&tell as _),
        ..PlayOptions::default()
    };
    let report = play::simulate(&story.scenario, &options).await?;
    if !context.json(&json!(report)) {
        tell_end(&report);
    }
    Ok(report.met())
}

fn tell_end(report: &SimulationReport) {
    for unmet in &report.unmet {
        output::line(told(unmet));
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

fn told(unmet: &UnmetExpectation) -> String {
    let UnmetExpectation { file, line, col, code, expected, found } = unmet;
    format!("{file}:{line}:{col}: {code}: expected {expected}\n    found {found}")
}
