//! `abide torture SCENARIO.yaml…|--all|--swarm N`: plays scenarios with a crash at every commit, and random
//! mixes of scenarios with random faults.

mod swarm;

use std::path::{Path, PathBuf};

use abide_engine::store::{Address, CommitPoint};
use abide_simulator::play::PlayOptions;
use abide_simulator::scenario::Scenario;
use abide_simulator::shipped;
use abide_simulator::torture::{
    CommitCrash, Sampling, TortureOptions, TortureReport, Trial, TrialFailure, torture,
};
use serde_json::json;

use super::{Context, Outcome, simulate};
use crate::cli::{Side, TortureArgs};
use crate::exit::Exit;
use crate::output;
use crate::output::bar::Bar;
use crate::problem::ProblemDocument;

/// Default first seed of a swarm.
const FIRST_SEED: u64 = 1;
/// Maximum number of lines printed per difference; `--json` has all of them.
const LINES_SHOWN: usize = 20;

pub(super) async fn run(context: &Context, args: &TortureArgs) -> Outcome {
    let db = context.global.db.as_deref().map(Address::parse);
    let options = PlayOptions { sources: Some(context.sources()?), db, ..PlayOptions::default() };
    if let Some(stories) = args.swarm {
        return swarm::run(context, &options, (args.seed.unwrap_or(FIRST_SEED), stories)).await;
    }
    let scenarios = scenarios(context.global.home.as_deref(), args)?;
    let mut reports = Vec::new();
    for scenario in &scenarios {
        let report = one(context, args, (scenario, &options)).await?;
        if !context.global.json {
            tell(&report);
        }
        reports.push(report);
    }
    context.json(&json!(reports));
    let points: usize = reports.iter().map(|report| report.points).sum();
    let failures: usize = reports.iter().map(|report| report.failures.len()).sum();
    let seeds: u64 = reports.iter().map(|report| report.seeds).sum();
    output::note(format_args!(
        "{}, {}, {}: {}",
        output::counted(reports.len(), "scenario"),
        output::counted(points, "point"),
        output::counted(seeds, "seed"),
        match failures {
            0 => "same result at each".to_owned(),
            _ => format!("{failures} with a different result"),
        },
    ));
    Ok(if failures == 0 { Exit::Done } else { Exit::Unwell })
}

async fn one(
    context: &Context,
    args: &TortureArgs,
    (scenario, options): (&Scenario, &PlayOptions<'_>),
) -> Result<TortureReport, ProblemDocument> {
    let bar = Bar::counting(&scenario.name, context.global.quiet);
    let tell = |done: usize, of: usize| {
        bar.stretch(of as u64);
        bar.reach(done as u64);
    };
    let side = args.side.map(|side| match side {
        Side::Before => CommitPoint::Before,
        Side::After => CommitPoint::After,
    });
    let point = args.point.zip(side).map(|(nth, side)| CommitCrash { nth, side });
    let torture_options = TortureOptions {
        sampling: Sampling { every_commit: args.every_commit, sample_every: args.one_in },
        seeds: args.seeds,
        only: point.map(Trial::Crash).or(args.seed.map(Trial::Seed)),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        on_trial: Some(&tell),
    };
    let report = torture(scenario, options, &torture_options).await?;
    bar.end();
    Ok(report)
}

/// Loads the scenarios to play: the named files, or all with `--all`.
fn scenarios(home: Option<&Path>, args: &TortureArgs) -> Result<Vec<Scenario>, ProblemDocument> {
    match args.all {
        true => every(home),
        false => args.scenarios.iter().map(|path| simulate::read_story(path)).collect(),
    }
}

/// Loads all built-in scenarios and those of the home folder.
fn every(home: Option<&Path>) -> Result<Vec<Scenario>, ProblemDocument> {
    let mut all = shipped::SCENARIOS
        .iter()
        .map(|(name, text)| simulate::sound(&format!("simulator/scenarios/{name}"), text))
        .collect::<Result<Vec<_>, _>>()?;
    for path in home.map(of_home).unwrap_or_default() {
        all.push(simulate::read_story(&path)?);
    }
    Ok(all)
}

/// Returns the scenario files of a home folder, sorted by name.
fn of_home(home: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home.join("scenarios"));
    let files = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "yaml")).collect();
    files.sort();
    files
}

fn tell(report: &TortureReport) {
    let TortureReport { scenario, commits, points, seeds, failures, skipped, .. } = report;
    let seeds = if *seeds == 0 { String::new() } else { format!(", {seeds} seeds") };
    let head = format!("{scenario}: {commits} commits, {points} points{seeds}");
    match (skipped, failures.len()) {
        (Some(why), _) => output::line(format_args!("{scenario}: skipped, {why}")),
        (None, 0) => output::line(format_args!("{head}: same result at each")),
        (None, n) => output::line(format_args!("{head}: different result at {n}")),
    }
    for failure in failures {
        tell_failure(&report.file, failure);
    }
}

fn tell_failure(file: &str, failure: &TrialFailure) {
    let (place, again) = match (failure.point, failure.side, failure.seed) {
        (Some(nth), Some(side), _) => {
            let kind = failure.kind.as_deref().unwrap_or("no such commit");
            let again = format!("torture {file} --point {nth} --side {side}");
            (format!("{side} commit {nth} ({kind})"), again)
        }
        (_, _, Some(seed)) => {
            (format!("the faults of seed {seed}"), format!("torture {file} --seed {seed}"))
        }
        _ => ("expectations not met without a crash".to_owned(), format!("simulate {file}")),
    };
    output::line(format_args!("  {place}:"));
    for line in failure.difference.iter().take(LINES_SHOWN) {
        output::line(format_args!("    {line}"));
    }
    if failure.difference.len() > LINES_SHOWN {
        let more = failure.difference.len() - LINES_SHOWN;
        output::line(format_args!("    … and {more} more; `--json` shows all"));
    }
    output::line(format_args!("  to repeat: abide {again}"));
}
