//! Plays the scenarios of a pack on its content, and prints one line for each.

use abide_engine::diagnostic::Diagnostic;
use abide_engine::library::Library;
use abide_simulator::play::{self, PlayOptions};
use abide_simulator::report::SimulationReport;
use serde_json::{Value, json};

use super::lint::LintedPack;
use crate::commands::context::Context;
use crate::commands::simulate::{parse_scenario, unmet_text};
use crate::commands::{lint as lint_files, lint::FileKind};
use crate::output::{self, counted};
use crate::problem::ProblemDocument;

/// What a test of a pack found.
pub(super) struct TestedPack {
    /// Whether the check of the files found an error. Then no scenario is played.
    has_errors: bool,
    results: Vec<ScenarioResult>,
}

/// A scenario that was played.
struct ScenarioResult {
    file: String,
    report: SimulationReport,
}

/// Plays each scenario of the pack, unless the pack has an error.
/// Prints the findings and the results, unless the command prints JSON.
pub(super) async fn test(
    context: &Context,
    linted: &LintedPack,
) -> Result<TestedPack, ProblemDocument> {
    let prints = !context.global.json;
    let mut tested = TestedPack { has_errors: linted.has_errors(), results: Vec::new() };
    if prints {
        lint_files::print(&linted.findings, &linted.pack.files);
    }
    if tested.has_errors {
        return Ok(tested);
    }
    let library = Library::compile(linted.sources.clone());
    let options = PlayOptions {
        sources: Some(linted.sources.clone()),
        library: Some(&library),
        ..PlayOptions::default()
    };
    for file in linted.pack.files.iter().filter(|file| file.kind == FileKind::Scenario) {
        let scenario = parse_scenario(&file.shown, &file.text)?;
        let report = play::simulate(&scenario, &options).await?;
        let result = ScenarioResult { file: file.shown.clone(), report };
        if prints {
            result.print();
        }
        tested.results.push(result);
    }
    if prints {
        tested.print_total();
    }
    Ok(tested)
}

impl TestedPack {
    /// Whether the pack has no error and each scenario meets its expectations.
    pub(super) fn passed(&self) -> bool {
        !self.has_errors && self.failed() == 0
    }

    fn failed(&self) -> usize {
        self.results.iter().filter(|result| !result.report.met()).count()
    }

    /// Returns the results as JSON.
    pub(super) fn object(&self, findings: &[Diagnostic]) -> Value {
        let results = self.results.iter().map(|ScenarioResult { file, report }| {
            json!({
                "file": file,
                "scenario": report.scenario,
                "met": report.met(),
                "unmet": report.unmet,
            })
        });
        json!({
            "passed": self.passed(),
            "findings": findings,
            "scenarios": results.collect::<Vec<_>>(),
        })
    }

    fn print_total(&self) {
        let total = counted(self.results.len(), "scenario");
        output::note(match self.failed() {
            0 => format!("{total}: all expectations met"),
            n => format!("{total}: {n} failed"),
        });
    }
}

impl ScenarioResult {
    fn print(&self) {
        let mark = if self.report.met() { "ok" } else { "FAILED" };
        output::line(format_args!("{mark}  {}", self.report.scenario));
        for unmet in &self.report.unmet {
            output::line(unmet_text(unmet));
        }
    }
}
