//! Runs many simulations of one scenario, and shows the distribution of the results
//! as text, as JSON and as an HTML report.

use std::num::NonZeroUsize;
use std::path::Path;

use abide_engine::library::Sources;
use abide_simulator::crowd::CrowdModel;
use abide_simulator::ensemble::{
    Comparison, Ensemble, PageHeading, ReportedVersion, Sample, Summary, percent, render_page,
};
use abide_simulator::play::StartDatabase;
use serde_json::{Value, json};

use super::super::context::Context;
use super::simulation::{Simulation, with_method_from};
use crate::cli::SimulateArgs;
use crate::output::progress::Progress;
use crate::problem::ProblemDocument;
use crate::{files, output};

/// The results of all simulations with one version of the method.
pub(in crate::commands) struct Version {
    pub(in crate::commands) name: String,
    pub(in crate::commands) samples: Vec<Sample>,
    pub(in crate::commands) summary: Summary,
}

impl Version {
    /// Runs all simulations of an ensemble, with a progress bar.
    pub(in crate::commands) fn play(
        ensemble: &Ensemble<'_>,
        price: Option<f64>,
    ) -> Result<Self, ProblemDocument> {
        let name = ensemble.scenario.name.clone();
        let progress = Progress::for_items(&name);
        progress.set_total(ensemble.runs);
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let samples = ensemble.play(threads, &|done| progress.set_done(done as u64));
        progress.finish();
        let samples = samples?;
        let summary = Summary::of(&samples, price);
        Ok(Self { name, samples, summary })
    }

    /// Whether every simulation met all its expectations and had a clean audit.
    pub(in crate::commands) fn is_as_expected(&self) -> bool {
        self.summary.unwell.is_empty()
    }
}

/// Runs the simulations. With `--against`, also runs them with the other version of the method.
/// Returns whether every simulation met all its expectations and had a clean audit.
pub(super) async fn run(
    context: &Context,
    args: &SimulateArgs,
    simulation: &Simulation,
    sources: &Sources,
) -> Result<bool, ProblemDocument> {
    let seed = args.seed.unwrap_or(simulation.scenario.seed);
    let start_database = StartDatabase::empty().await?;
    let play = |sources| {
        let ensemble = Ensemble {
            scenario: &simulation.scenario,
            sources,
            start_database: Some(&start_database),
            snapshot: None,
            crowd: simulation.crowd.as_ref(),
            seed,
            runs: args.runs,
        };
        Version::play(&ensemble, args.price)
    };
    let mut versions = vec![play(sources)?];
    if let Some(file) = &args.against {
        let (other, name) = with_method_from(sources, file)?;
        let is_same_method = simulation.method.as_ref().is_none_or(|method| *method == name);
        if !is_same_method {
            let detail = format!("`{file}` contains another method: `{name}`");
            return Err(ProblemDocument::new(422, "not_a_version", detail)
                .with_hint("compare two versions of one method, with the same `method:` in both"));
        }
        let mut second = play(&other)?;
        second.name.clone_from(file);
        versions.push(second);
    }
    if let Some(file) = &args.report {
        let heading = ReportHeading {
            title: &simulation.scenario.name,
            since: "after its start",
            crowd: simulation.crowd.as_ref(),
            seed,
        };
        write_report(file, heading, &versions)?;
    }
    if context.global.json {
        output::json(&to_json(&versions));
    } else {
        versions.iter().for_each(print);
        if let Some(comparison) = compare(&versions) {
            output::line(format_args!("\n{}", comparison.sentence()));
        }
    }
    Ok(versions.iter().all(Version::is_as_expected))
}

fn compare(versions: &[Version]) -> Option<Comparison> {
    match versions {
        [first, second] => Some(Comparison::of(&first.samples, &second.samples)),
        _ => None,
    }
}

/// The heading of an HTML report.
pub(in crate::commands) struct ReportHeading<'a> {
    /// Title of the report: the name of the simulated scenario.
    pub(in crate::commands) title: &'a str,
    /// Words for the moment from which durations are counted, such as `from now`.
    pub(in crate::commands) since: &'a str,
    /// Model of the people who answered at random; `None` if only the scenario says who answers.
    pub(in crate::commands) crowd: Option<&'a CrowdModel>,
    /// Seed of the first simulation.
    pub(in crate::commands) seed: u64,
}

/// Writes an HTML report on the simulated versions to `file`.
pub(in crate::commands) fn write_report(
    file: &Path,
    ReportHeading { title, since, crowd, seed }: ReportHeading<'_>,
    versions: &[Version],
) -> Result<(), ProblemDocument> {
    let reported: Vec<ReportedVersion<'_>> = versions
        .iter()
        .map(|v| ReportedVersion { name: &v.name, samples: &v.samples, summary: &v.summary })
        .collect();
    let people = crowd.map_or_else(
        || "People answer as the scenario says".to_owned(),
        |model| format!("People: {}", model.model),
    );
    let runs = versions.first().map_or(0, |version| version.summary.runs);
    let played = format!(
        "{people}. {}, seeds {seed} to {}.",
        output::counted(runs, "run"),
        seed.wrapping_add(runs.saturating_sub(1))
    );
    let text = render_page(PageHeading { title, played: &played, since }, &reported)?;
    files::write(file, &text, "name a file in an existing folder")?;
    output::note(format_args!("wrote {}", file.display()));
    Ok(())
}

/// Returns `{versions: [{name, summary, items}], compared}` for two versions.
/// Returns `{name, summary, items}` for one version.
pub(in crate::commands) fn to_json(versions: &[Version]) -> Value {
    let mut all: Vec<Value> = versions
        .iter()
        .map(|v| json!({ "name": v.name, "summary": v.summary, "items": v.samples }))
        .collect();
    match compare(versions) {
        Some(compared) => json!({ "versions": all, "compared": compared }),
        None => all.pop().unwrap_or_default(),
    }
}

/// Prints the distribution of the results as a table.
pub(in crate::commands) fn print(version: &Version) {
    let Summary { runs, succeeded, outcomes, .. } = &version.summary;
    output::line(format_args!(
        "{}: {} of {} succeed (95 % confidence: {} to {})",
        version.name,
        percent(succeeded.share),
        output::counted(*runs, "run"),
        percent(succeeded.low),
        percent(succeeded.high)
    ));
    let ends: Vec<String> =
        outcomes.iter().map(|(name, n)| format!("{n} {}", name.replace('_', " "))).collect();
    output::line(format_args!("  outcomes: {}", ends.join(", ")));
    let rows = [
        Some(("hours", version.summary.hours, 1)),
        Some(("texts", version.summary.messages, 0)),
        Some(("segments", version.summary.segments, 0)),
        Some(("most texts to one person", version.summary.most_to_one, 0)),
        version.summary.cost.map(|cost| ("cost", cost, 2)),
    ];
    let header = ["", "mean", "p10", "median", "p90", "max"];
    let rows = rows.into_iter().flatten().map(|(name, distribution, digits)| {
        let [mean, p10, p50, p90, max] = distribution.columns(digits);
        [name.to_owned(), mean, p10, p50, p90, max]
    });
    output::line(output::table(header, rows));
    for step in &version.summary.steps {
        output::line(format_args!("  {:>5}  {}", percent(step.share), step.step));
    }
    if !version.summary.unwell.is_empty() {
        let seeds: Vec<String> =
            version.summary.unwell.iter().take(SEEDS_SHOWN_MAX).map(u64::to_string).collect();
        let all = version.summary.unwell.len();
        output::line(format_args!("  not as expected: {all}, seeds {}", seeds.join(", ")));
    }
}

/// Maximum number of seeds that are printed in one line, for users who want to repeat a simulation.
const SEEDS_SHOWN_MAX: usize = 10;
