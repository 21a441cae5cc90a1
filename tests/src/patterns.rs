//! Checks the workflow control-flow patterns of `docs/patterns/`. No method of a pattern has a finding.
//! The expectations of every scenario are met on both databases and with crashes.
//! Patterns that are out of scope are rejected.

use std::path::{Path, PathBuf};

use abide_engine::base::Span;
use abide_engine::diagnostic::Diagnostic;
use abide_engine::library::{Library, Sources};
use abide_engine::store::CommitPoint;
use abide_simulator::play::{CommitCrash, PlayOptions};
use abide_simulator::report::SimulationReport;
use abide_simulator::scenario::{Action, Scenario, ScenarioStep, read};

use crate::postgres::TestDb;
use crate::simulations::{check_in_parallel, failure, options_on, play};
use crate::support::{self, is_pattern_scenario, yaml_files};

const FOLDER: &str = "docs/patterns";

fn text(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

fn name(file: &Path) -> String {
    file.file_name().expect("a name").to_string_lossy().into_owned()
}

/// Returns the checker's findings about these methods, compiled together with the shipped methods.
fn findings(methods: &[(String, String)]) -> Vec<Diagnostic> {
    let mut sources = Sources::builtin();
    sources.methods.extend(methods.iter().cloned());
    let ours = |file: &str| methods.iter().any(|(name, _)| name == file);
    let library = Library::compile(sources);
    library.findings().iter().filter(|found| ours(&found.file)).cloned().collect()
}

/// A pattern: its scenario, and the content with which the scenario is played.
struct Pattern {
    scenario: Scenario,
    content: Sources,
}

/// Returns every pattern. Each scenario begins with a scenario step that publishes the pattern's method.
/// `abide simulate` needs that scenario step, because the method is not part of the shipped content.
/// This test removes the scenario step, and adds the method to the content instead, which is faster.
fn patterns() -> Vec<Pattern> {
    let pattern = |file: &PathBuf| {
        let (scenario, found) = read(&file.to_string_lossy(), &text(file));
        assert!(found.is_empty(), "{}: {found:#?}", file.display());
        let mut scenario = scenario.expect("a scenario");
        let publishes = |step: &ScenarioStep| matches!(step.action, Action::Publish(_));
        assert!(scenario.steps.first().is_some_and(publishes), "{}", file.display());
        scenario.steps.retain(|step| !publishes(step));
        let method = file.with_file_name(name(file).replace(".scenario.yaml", ".yaml"));
        let mut content = Sources::builtin();
        content.methods.insert(name(&method), text(&method));
        Pattern { scenario, content }
    };
    let files = yaml_files(FOLDER).into_iter();
    files.filter(|file| is_pattern_scenario(file)).map(|file| pattern(&file)).collect()
}

fn play_pattern(pattern: &Pattern, options: PlayOptions<'_>) -> SimulationReport {
    let options = PlayOptions { sources: Some(pattern.content.clone()), ..options };
    play(&pattern.scenario, &options)
}

#[test]
fn every_pattern_has_a_method_without_a_finding_and_a_scenario() {
    let (scenarios, methods): (Vec<PathBuf>, Vec<PathBuf>) =
        yaml_files(FOLDER).into_iter().partition(|file| is_pattern_scenario(file));
    let scenarios: Vec<String> = scenarios.iter().map(|file| name(file)).collect();
    let expected = methods.iter().map(|file| name(file).replace(".yaml", ".scenario.yaml"));
    assert_eq!(expected.collect::<Vec<_>>(), scenarios);
    let texts: Vec<(String, String)> =
        methods.iter().map(|file| (name(file), text(file))).collect();
    assert_eq!(findings(&texts), []);
}

#[test]
fn the_table_has_every_pattern() {
    let table = support::read("docs/patterns/README.md");
    let mut shown = 0;
    for number in 1..=43 {
        let row = table.lines().find(|line| line.starts_with(&format!("| {number} |")));
        let row = row.unwrap_or_else(|| panic!("there is no row for {number}"));
        let start = format!("{number:02}_");
        let file = yaml_files(FOLDER).iter().map(|file| name(file)).find(|n| n.starts_with(&start));
        let refused = REFUSED.iter().any(|(refused, ..)| *refused == number);
        assert_eq!(file.is_none(), refused, "{number} must either have a method or be refused");
        if let Some(file) = file.map(|file| file.replace(".scenario", "")) {
            assert!(row.contains(&format!("({file})")), "{number} links to {file}");
            shown += 1;
        }
    }
    assert_eq!(shown, 34);
}

/// Makes the scenario a minute longer,
/// so that messages whose sending was interrupted by a crash are settled.
/// The engine asks the provider about such a message only after ten seconds.
fn with_time_for_texts_in_doubt(pattern: &Pattern) -> Pattern {
    let mut scenario = pattern.scenario.clone();
    let last = scenario.steps.last().expect("a step").clone();
    let at = last.at + Span::from_secs(60);
    scenario.steps.push(ScenarioStep { at, action: Action::Advance, ..last });
    Pattern { scenario, content: pattern.content.clone() }
}

#[test]
fn patterns_are_met_on_sqlite_also_with_one_more_crash() {
    check_in_parallel(&patterns(), |pattern| {
        let report = play_pattern(pattern, PlayOptions::default());
        // The crash is near the end of the scenario, where the pattern takes effect.
        let at = report.totals.commits.saturating_sub(2).max(1);
        let side = if at.is_multiple_of(2) { CommitPoint::Before } else { CommitPoint::After };
        let options =
            PlayOptions { crashes: &[CommitCrash { nth: at, side }], ..PlayOptions::default() };
        failure(&report).or_else(|| {
            let report = play_pattern(&with_time_for_texts_in_doubt(pattern), options);
            let failure = failure(&report);
            failure.map(|failure| format!("crash at commit {at}, {side:?}: {failure}"))
        })
    });
}

#[test]
fn patterns_are_met_on_postgresql() {
    check_in_parallel(&patterns(), |pattern| {
        let database = TestDb::empty_postgres();
        failure(&play_pattern(pattern, options_on(&database)))
    });
}

/// The patterns that are out of scope: number, how an author might write the pattern, code of the finding.
const REFUSED: &[(u32, &str, &str)] = &[
    (8, "  - { parallel: [ BRANCH, BRANCH ], join: none }", "wrong-value"),
    (10, "  - { id: a, await: { timeout: 1h }, goto: a }", "unknown-key"),
    (28, "  - { parallel: [ BRANCH, BRANCH ], join: { need: 1, block: true } }", "wrong-value"),
    (31, "  - { parallel: [ BRANCH, BRANCH ], join: 1, block: true }", "unknown-key"),
    (33, "  - { parallel: [ BRANCH, BRANCH ], join: each }", "wrong-value"),
    (37, "  - { await: { timeout: 1h }, depends_on: [a, b] }", "unknown-key"),
    (38, "  - { parallel: [ BRANCH, BRANCH ], join: alive }", "wrong-value"),
    (41, "  - { await: { timeout: 1h }, merge: 3 }", "unknown-key"),
    (42, "  - { await: { timeout: 1h }, split: 3 }", "unknown-key"),
];

#[test]
fn patterns_that_are_out_of_scope_are_refused() {
    for (number, step, code) in REFUSED {
        let step = step.replace("BRANCH", "[ { await: { timeout: 1h } } ]");
        let method = format!("method: refused\nsteps:\n{step}\n");
        let found = findings(&[("refused.yaml".to_owned(), method)]);
        let codes: Vec<&str> = found.iter().filter(|f| f.is_error()).map(|f| f.code).collect();
        assert_eq!(codes, [*code], "pattern {number}: {found:#?}");
    }
}

#[test]
fn methods_that_call_each_other_in_a_circle_are_refused() {
    let method = |name: &str, other: &str| {
        (format!("{name}.yaml"), format!("method: {name}\nsteps:\n  - call: {other}\n"))
    };
    for circle in [vec![method("a", "a")], vec![method("a", "b"), method("b", "a")]] {
        let found = findings(&circle);
        assert_eq!(found.len(), circle.len(), "{found:#?}");
        assert!(found.iter().all(|f| f.is_error() && f.code == "recursive-method"), "{found:#?}");
    }
}
