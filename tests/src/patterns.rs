//! The workflow control-flow patterns of `docs/patterns/`: no method has a finding, and every story comes
//! true on both databases and with crashes. Patterns that are out of scope are refused.

use std::path::{Path, PathBuf};

use abide_engine::base::Span;
use abide_engine::diagnostic::Diagnostic;
use abide_engine::library::{Library, Sources};
use abide_engine::store::{Address, CommitPoint};
use abide_simulator::play::{CommitCrash, PlayOptions, simulate};
use abide_simulator::report::SimulationReport;
use abide_simulator::scenario::{Action, Scenario, ScenarioStep, read};

use crate::postgres::TestDb;

/// Number of stories that are played in parallel.
const ABREAST: usize = 3;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/patterns")
}

/// Returns the files of the folder whose names have this ending, sorted.
fn files(ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder of the patterns");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(ending));
    files.sort();
    files
}

fn text(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

fn name(file: &Path) -> String {
    file.file_name().expect("a name").to_string_lossy().into_owned()
}

/// Returns the checker's findings about these methods, compiled together with the shipped ones.
fn findings(methods: &[(String, String)]) -> Vec<Diagnostic> {
    let mut sources = Sources::builtin();
    sources.methods.extend(methods.iter().cloned());
    let ours = |file: &str| methods.iter().any(|(name, _)| name == file);
    let library = Library::compile(sources);
    library.findings().iter().filter(|found| ours(&found.file)).cloned().collect()
}

/// One pattern: its story, and the content that the story is played with.
struct Pattern {
    story: Scenario,
    content: Sources,
}

/// Returns every pattern. The stories publish their methods, so that `abide simulate` can play them. Here the
/// methods are part of the content and the step that publishes them is dropped, which saves a process each.
fn patterns() -> Vec<Pattern> {
    let pattern = |file: &PathBuf| {
        let (story, found) = read(&file.to_string_lossy(), &text(file));
        assert!(found.is_empty(), "{}: {found:#?}", file.display());
        let mut story = story.expect("a scenario");
        let publishes = |step: &ScenarioStep| matches!(step.action, Action::Publish(_));
        assert!(story.steps.first().is_some_and(publishes), "{}", file.display());
        story.steps.retain(|step| !publishes(step));
        let method = file.with_file_name(name(file).replace(".scenario.yaml", ".yaml"));
        let mut content = Sources::builtin();
        content.methods.insert(name(&method), text(&method));
        Pattern { story, content }
    };
    files(".scenario.yaml").iter().map(pattern).collect()
}

fn play(pattern: &Pattern, options: PlayOptions<'_>) -> SimulationReport {
    let options = PlayOptions { sources: Some(pattern.content.clone()), ..options };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let played = runtime.expect("a runtime").block_on(simulate(&pattern.story, &options));
    played.unwrap_or_else(|e| panic!("{}: {e}: {:?}", pattern.story.name, e.detail))
}

/// Describes what did not come true, with the story that led there; `None` if the report is good.
fn failure(pattern: &Pattern, report: &SimulationReport) -> Option<String> {
    if report.met() && report.audit.is_empty() {
        return None;
    }
    let story: Vec<String> = report.story.iter().map(ToString::to_string).collect();
    let (name, told) = (&pattern.story.name, story.join("\n"));
    Some(format!("{name}\n{told}\n{:#?}\n{:#?}", report.unmet, report.audit))
}

/// Plays every story, a few in parallel, and panics with all failures.
fn all_come_true(tell: impl Fn(&Pattern) -> Option<String> + Sync) {
    let patterns = patterns();
    let told = |worker: usize| {
        let own = patterns.iter().skip(worker).step_by(ABREAST);
        own.filter_map(&tell).collect::<Vec<_>>()
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let told = &told;
        let workers: Vec<_> =
            (0..ABREAST).map(|worker| scope.spawn(move || told(worker))).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a story")).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn every_pattern_has_a_method_without_a_finding_and_a_story() {
    let stories: Vec<String> = files(".scenario.yaml").iter().map(|file| name(file)).collect();
    let mut methods = files(".yaml");
    methods.retain(|file| !file.to_string_lossy().ends_with(".scenario.yaml"));
    let told = methods.iter().map(|file| name(file).replace(".yaml", ".scenario.yaml"));
    assert_eq!(told.collect::<Vec<_>>(), stories);
    let texts: Vec<(String, String)> =
        methods.iter().map(|file| (name(file), text(file))).collect();
    assert_eq!(findings(&texts), []);
}

#[test]
fn the_table_has_every_pattern() {
    let table = text(&folder().join("README.md"));
    let mut shown = 0;
    for number in 1..=43 {
        let row = table.lines().find(|line| line.starts_with(&format!("| {number} |")));
        let row = row.unwrap_or_else(|| panic!("there is no row for {number}"));
        let start = format!("{number:02}_");
        let file = files(".yaml").iter().map(|file| name(file)).find(|n| n.starts_with(&start));
        let refused = REFUSED.iter().any(|(refused, ..)| *refused == number);
        assert_eq!(file.is_none(), refused, "{number} must either have a method or be refused");
        if let Some(file) = file.map(|file| file.replace(".scenario", "")) {
            assert!(row.contains(&format!("({file})")), "{number} links to {file}");
            shown += 1;
        }
    }
    assert_eq!(shown, 34);
}

/// Makes the story a minute longer: for a text whose sending a crash interrupted, the provider is asked only
/// ten seconds later.
fn with_time_for_texts_in_doubt(pattern: &Pattern) -> Pattern {
    let mut story = pattern.story.clone();
    let last = story.steps.last().expect("a step").clone();
    let at = last.at + Span::from_secs(60);
    story.steps.push(ScenarioStep { at, action: Action::Advance, ..last });
    Pattern { story, content: pattern.content.clone() }
}

#[test]
fn patterns_come_true_on_sqlite_also_with_one_more_crash() {
    all_come_true(|pattern| {
        let told = play(pattern, PlayOptions::default());
        // The crash is late in the story, where the pattern takes effect.
        let at = told.totals.commits.saturating_sub(2).max(1);
        let side = if at.is_multiple_of(2) { CommitPoint::Before } else { CommitPoint::After };
        let dies =
            PlayOptions { crashes: &[CommitCrash { nth: at, side }], ..PlayOptions::default() };
        let failed = failure(pattern, &told);
        failed.or_else(|| {
            let told = failure(pattern, &play(&with_time_for_texts_in_doubt(pattern), dies));
            told.map(|told| format!("crash at commit {at}, {side:?}: {told}"))
        })
    });
}

#[test]
fn patterns_come_true_on_postgresql() {
    all_come_true(|pattern| {
        let db = TestDb::postgres();
        let options = PlayOptions { db: Some(Address::parse(db.url())), ..PlayOptions::default() };
        failure(pattern, &play(pattern, options))
    });
}

/// How somebody might write the patterns that are out of scope, and the code of the finding that refuses it.
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
