//! Many simulations of one scenario: the distribution of the results, as text, JSON and an HTML report.

use std::num::NonZeroUsize;
use std::path::Path;

use abide_engine::library::Sources;
use abide_simulator::crowd::CrowdModel;
use abide_simulator::ensemble::{
    Comparison, Ensemble, PageHeading, ReportedVersion, Sample, Summary, percent, render_page,
};
use abide_simulator::play::StartDatabase;
use serde_json::{Value, json};

use super::Context;
use super::story::{Story, with};
use crate::cli::SimulateArgs;
use crate::output;
use crate::output::bar::Bar;
use crate::problem::ProblemDocument;

/// The results of all simulations with one version of the method.
pub(in crate::commands) struct Version {
    pub(in crate::commands) name: String,
    pub(in crate::commands) samples: Vec<Sample>,
    pub(in crate::commands) summary: Summary,
}

impl Version {
    /// Runs all simulations of an ensemble, with a progress bar.
    pub(in crate::commands) fn play(
        context: &Context,
        ensemble: &Ensemble<'_>,
        price: Option<f64>,
    ) -> Result<Self, ProblemDocument> {
        let name = ensemble.scenario.name.clone();
        let bar = Bar::counting(&name, context.global.quiet);
        bar.stretch(ensemble.runs);
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let samples = ensemble.play(threads, &|done| bar.reach(done as u64));
        bar.end();
        let samples = samples?;
        let summary = Summary::of(&samples, price);
        Ok(Self { name, samples, summary })
    }

    /// Whether every expectation was met and every audit was clean.
    pub(in crate::commands) fn is_well(&self) -> bool {
        self.summary.unwell.is_empty()
    }
}

/// Runs the simulations, and runs them again with the other version of the method if `--against` is given.
/// Returns whether every expectation was met.
pub(super) async fn run(
    context: &Context,
    args: &SimulateArgs,
    (story, sources): (&Story, &Sources),
) -> Result<bool, ProblemDocument> {
    let seed = args.seed.unwrap_or(story.scenario.seed);
    let start_database = StartDatabase::empty().await?;
    let play = |sources| {
        let ensemble = Ensemble {
            scenario: &story.scenario,
            sources,
            start_database: Some(&start_database),
            snapshot: None,
            crowd: story.crowd.as_ref(),
            seed,
            runs: args.runs,
        };
        Version::play(context, &ensemble, args.price)
    };
    let mut versions = vec![play(sources)?];
    if let Some(file) = &args.against {
        let (other, name) = with(sources, file)?;
        let same = story.method.as_ref().is_none_or(|method| *method == name);
        if !same {
            let detail = format!("`{file}` contains another method: `{name}`");
            return Err(ProblemDocument::new(422, "not_a_version", detail)
                .with_hint("compare two versions of one method, with the same `method:` in both"));
        }
        let mut second = play(&other)?;
        second.name.clone_from(file);
        versions.push(second);
    }
    if let Some(file) = &args.report {
        let title = story.scenario.name.as_str();
        write(file, (title, "after its start", story.crowd.as_ref()), seed, &versions)?;
    }
    if context.global.json {
        output::json(&data(&versions));
    } else {
        versions.iter().for_each(tell);
        if let Some(compared) = compared(&versions) {
            output::line(format_args!("\n{}", compared.sentence()));
        }
    }
    Ok(versions.iter().all(Version::is_well))
}

fn compared(versions: &[Version]) -> Option<Comparison> {
    match versions {
        [first, second] => Some(Comparison::of(&first.samples, &second.samples)),
        _ => None,
    }
}

/// Writes the HTML report on these versions. `title` names what was simulated, `since` says what time is
/// counted from, and `crowd` is the model of the people who answered.
pub(in crate::commands) fn write(
    file: &Path,
    (title, since, crowd): (&str, &str, Option<&CrowdModel>),
    seed: u64,
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
    std::fs::write(file, text).map_err(|error| {
        let detail = format!("cannot write `{}`: {error}", file.display());
        ProblemDocument::new(422, "unwritable_file", detail)
            .with_hint("name a file in an existing folder")
    })?;
    output::note(format_args!("wrote {}", file.display()));
    Ok(())
}

/// Returns `{versions: [{name, summary, items}], compared}` for two versions, and `{name, summary, items}`
/// for one.
pub(in crate::commands) fn data(versions: &[Version]) -> Value {
    let mut all: Vec<Value> = versions
        .iter()
        .map(|v| json!({ "name": v.name, "summary": v.summary, "items": v.samples }))
        .collect();
    match compared(versions) {
        Some(compared) => json!({ "versions": all, "compared": compared }),
        None => all.pop().unwrap_or_default(),
    }
}

/// Prints the distribution as a table.
pub(in crate::commands) fn tell(version: &Version) {
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
            version.summary.unwell.iter().take(SEEDS_TOLD_MAX).map(u64::to_string).collect();
        let all = version.summary.unwell.len();
        output::line(format_args!("  not as expected: {all}, seeds {}", seeds.join(", ")));
    }
}

/// Maximum number of seeds printed in a line. Each can be simulated again by itself.
const SEEDS_TOLD_MAX: usize = 10;
