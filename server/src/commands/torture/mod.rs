//! `abide torture SCENARIO.yaml…|--all|--swarm N`: plays scenarios with a crash at every commit.
//! With `--swarm`, plays random mixes of scenarios with random faults instead.

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

use super::context::{CommandResult, Context};
use super::simulate;
use crate::cli::{CommitSide, TortureArgs};
use crate::exit::Exit;
use crate::output;
use crate::output::progress::Progress;
use crate::problem::ProblemDocument;

/// Seed with which a swarm begins if the user gives no seed.
const FIRST_SEED: u64 = 1;
/// Maximum number of lines that are printed for a difference. `--json` prints all of them.
const LINES_SHOWN_MAX: usize = 20;

pub(super) async fn run(context: &Context, args: &TortureArgs) -> CommandResult {
    let db = context.global.db.as_deref().map(Address::parse);
    let options = PlayOptions { sources: Some(context.sources()?), db, ..PlayOptions::default() };
    if let Some(seeds) = args.swarm {
        return swarm::run(context, &options, args.seed.unwrap_or(FIRST_SEED), seeds).await;
    }
    let scenarios = select_scenarios(context.global.home.as_deref(), args)?;
    let mut reports = Vec::new();
    for scenario in &scenarios {
        let report = torture_one(args, scenario, &options).await?;
        if !context.global.json {
            print(&report);
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
    Ok(if failures == 0 { Exit::Success } else { Exit::Failure })
}

async fn torture_one(
    args: &TortureArgs,
    scenario: &Scenario,
    options: &PlayOptions<'_>,
) -> Result<TortureReport, ProblemDocument> {
    let progress = Progress::for_items(&scenario.name);
    let on_trial = |done: usize, of: usize| {
        progress.set_total(of as u64);
        progress.set_done(done as u64);
    };
    let side = args.side.map(|side| match side {
        CommitSide::Before => CommitPoint::Before,
        CommitSide::After => CommitPoint::After,
    });
    let point = args.point.zip(side).map(|(nth, side)| CommitCrash { nth, side });
    let torture_options = TortureOptions {
        sampling: Sampling { every_commit: args.every_commit, sample_every: args.one_in },
        seeds: args.seeds,
        only: point.map(Trial::Crash).or(args.seed.map(Trial::Seed)),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        on_trial: Some(&on_trial),
    };
    let report = torture(scenario, options, &torture_options).await?;
    progress.finish();
    Ok(report)
}

/// Loads the scenarios to play: the files named on the command line, or with `--all` all scenarios.
fn select_scenarios(
    home: Option<&Path>,
    args: &TortureArgs,
) -> Result<Vec<Scenario>, ProblemDocument> {
    match args.all {
        true => all_scenarios(home),
        false => args.scenarios.iter().map(|path| simulate::read_scenario(path)).collect(),
    }
}

/// Loads all built-in scenarios and the scenarios of the home folder.
fn all_scenarios(home: Option<&Path>) -> Result<Vec<Scenario>, ProblemDocument> {
    let mut all = shipped::SCENARIOS
        .iter()
        .map(|(name, text)| simulate::parse_scenario(&format!("simulator/scenarios/{name}"), text))
        .collect::<Result<Vec<_>, _>>()?;
    for path in home.map(scenario_files).unwrap_or_default() {
        all.push(simulate::read_scenario(&path)?);
    }
    Ok(all)
}

/// Returns the scenario files of a home folder, sorted by name.
fn scenario_files(home: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home.join("scenarios"));
    let files = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "yaml")).collect();
    files.sort();
    files
}

fn print(report: &TortureReport) {
    let TortureReport { scenario, commits, points, seeds, failures, .. } = report;
    let seeds = if *seeds == 0 { String::new() } else { format!(", {seeds} seeds") };
    let head = format!("{scenario}: {commits} commits, {points} points{seeds}");
    match failures.len() {
        0 => output::line(format_args!("{head}: same result at each")),
        n => output::line(format_args!("{head}: different result at {n}")),
    }
    for failure in failures {
        print_failure(&report.file, failure);
    }
}

fn print_failure(file: &str, failure: &TrialFailure) {
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
    for line in failure.difference.iter().take(LINES_SHOWN_MAX) {
        output::line(format_args!("    {line}"));
    }
    if failure.difference.len() > LINES_SHOWN_MAX {
        let more = failure.difference.len() - LINES_SHOWN_MAX;
        output::line(format_args!("    … and {more} more; `--json` shows all"));
    }
    output::line(format_args!("  to repeat: abide {again}"));
}
