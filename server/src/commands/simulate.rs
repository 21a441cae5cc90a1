//! `abide simulate SCENARIO.yaml|METHOD`: a story in virtual time, by the very engine of production.

use std::collections::BTreeSet;
use std::path::Path;

use abide_engine::base::limits;
use abide_engine::library::{Sources, read_text};
use abide_engine::method;
use abide_simulator::play::{self, Options};
use abide_simulator::report::{Line, Report, Unmet};
use abide_simulator::scenario::{self, Scenario};
use serde_json::{Value, json};

use super::{Context, Outcome, casual};
use crate::cli::SimulateArgs;
use crate::exit::Exit;
use crate::output;
use crate::problem::ProblemDocument;

pub(super) async fn run(context: &Context, args: &SimulateArgs) -> Outcome {
    let sources = context.sources()?;
    let story = Story::of(&args.scenario, &sources)?;
    let mut reports = Vec::new();
    for ix in 0..args.runs {
        let (scenario, seed) = story.told(args.seed, ix)?;
        let tell = |line: &Line| output::line(line);
        let alone = args.runs == 1 && !context.global.json;
        let options = Options {
            seed: Some(seed),
            sources: Some(sources.clone()),
            on_line: alone.then_some(&tell as _),
            ..Options::default()
        };
        reports.push(play::simulate(&scenario, &options).await?);
    }
    let met = reports.iter().all(Report::met);
    if context.global.json {
        output::json(&data(&reports));
    } else {
        for report in &reports {
            tell_end(report, args.runs > 1);
        }
    }
    Ok(if met { Exit::Done } else { Exit::Unwell })
}

fn counted(n: u64, what: &str) -> String {
    output::counted(usize::try_from(n).unwrap_or(usize::MAX), what)
}

/// One report by itself, several as a list.
fn data(reports: &[Report]) -> Value {
    match reports {
        [report] => json!(report),
        reports => json!({"items": reports}),
    }
}

fn tell_end(report: &Report, several: bool) {
    if several {
        let end = if report.met() { "as expected" } else { "otherwise than expected" };
        output::line(format_args!("seed {}: {end}", report.seed));
    }
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

fn told(unmet: &Unmet) -> String {
    let Unmet { file, line, col, code, expected, found } = unmet;
    format!("{file}:{line}:{col}: {code}: expected {expected}\n    found {found}")
}

/// What is to be played.
enum Story {
    File(Box<Scenario>),
    Method(String),
}

impl Story {
    /// A scenario file, or a method that is played on an ordinary day.
    fn of(name: &str, sources: &Sources) -> Result<Self, ProblemDocument> {
        if Path::new(name).is_file() {
            let text = read_text(Path::new(name), limits::METHOD_BYTES_MAX).map_err(|e| {
                ProblemDocument::new(422, "unreadable", format!("cannot read `{name}`: {e}"))
                    .with_hint(format!("`abide lint {name}` shows where it breaks"))
            })?;
            return sound(name, &text).map(Box::new).map(Self::File);
        }
        let heads = sources.methods.iter().filter_map(|(file, text)| method::head(file, text));
        let methods: BTreeSet<String> = heads.map(|(name, _)| name).collect();
        if methods.contains(name) {
            return Ok(Self::Method(name.to_owned()));
        }
        let known: Vec<&str> = methods.iter().map(String::as_str).collect();
        let detail = format!("`{name}` is neither a scenario file nor a method");
        Err(ProblemDocument::new(404, "unknown_scenario", detail).with_hint(format!(
            "scenarios stand in `simulator/scenarios/`; the methods are: {}",
            known.join(", ")
        )))
    }

    /// The scenario of the repetition `ix`, and its seed.
    fn told(&self, seed: Option<u64>, ix: u64) -> Result<(Scenario, u64), ProblemDocument> {
        match self {
            Self::File(scenario) => {
                let seed = seed.unwrap_or(scenario.seed).wrapping_add(ix);
                Ok(((**scenario).clone(), seed))
            }
            Self::Method(name) => {
                let seed = seed.unwrap_or(1).wrapping_add(ix);
                Ok((sound(name, &casual::scenario(name, seed))?, seed))
            }
        }
    }
}

/// The scenario of a text, or its first error.
pub(super) fn sound(file: &str, text: &str) -> Result<Scenario, ProblemDocument> {
    let (scenario, findings) = scenario::read(file, text);
    scenario.ok_or_else(|| {
        let first = findings.iter().find(|finding| finding.is_error());
        let detail = first.map_or_else(
            || format!("{file} is no scenario"),
            |f| format!("{file}:{}:{}: {}", f.line, f.col, f.message),
        );
        ProblemDocument::new(422, "scenario_invalid", detail)
            .with_hint(format!("`abide lint {file}` shows every error"))
    })
}
