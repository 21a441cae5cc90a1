//! The shipped scenarios in ways that the simulator's own tests do not cover: on PostgreSQL, and with one
//! more crash, at commits throughout the story.

use std::path::Path;

use abide_engine::store::{Address, CommitPoint};
use abide_simulator::play::{CommitCrash, PlayOptions, simulate};
use abide_simulator::report::SimulationReport;
use abide_simulator::scenario::{Scenario, read};

use crate::postgres::TestDb;

fn scenario(name: &str) -> Scenario {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../simulator/scenarios");
    let file = folder.join(format!("{name}.yaml"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
    let (scenario, found) = read(name, &text);
    scenario.unwrap_or_else(|| panic!("{found:#?}"))
}

fn play(scenario: &Scenario, options: &PlayOptions<'_>) -> SimulationReport {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let played = runtime.expect("a runtime").block_on(simulate(scenario, options));
    played.unwrap_or_else(|e| panic!("{}: {e}: {:?}", scenario.name, e.detail))
}

/// Describes what did not come true, with the story that led there; `None` if the report is good.
fn failure(report: &SimulationReport) -> Option<String> {
    if report.met() && report.audit.is_empty() {
        return None;
    }
    let story: Vec<String> = report.story.iter().map(ToString::to_string).collect();
    Some(format!("{}\n{:#?}\n{:#?}", story.join("\n"), report.unmet, report.audit))
}

#[test]
fn scenarios_come_true_on_postgresql() {
    for name in [
        "demo",
        "nobody-answers",
        "last-place-race",
        "crash-during-offers",
        "kill-switch",
        "rebalance",
        "rebalance-refused",
        "cancel-request",
        "reminder",
        "deadline-during-outage",
        "race-in-the-dark",
        "kill-switch-mid-send",
        "filled-during-last-call",
        "two-roles-at-once",
        "capacity-race",
        "away-in-other-zones",
    ] {
        let db = TestDb::postgres();
        let options = PlayOptions { db: Some(Address::parse(db.url())), ..PlayOptions::default() };
        let report = play(&scenario(name), &options);
        if let Some(failure) = failure(&report) {
            panic!("{name}: {failure}");
        }
    }
}

#[test]
fn both_databases_tell_the_same_story() {
    let scenario = scenario("last-call");
    let embedded = play(&scenario, &PlayOptions::default());
    let db = TestDb::postgres();
    let options = PlayOptions { db: Some(Address::parse(db.url())), ..PlayOptions::default() };
    let served = play(&scenario, &options);
    for (one, other) in embedded.story.iter().zip(&served.story) {
        assert_eq!(one.to_string(), other.to_string(), "SQLite, then PostgreSQL");
    }
    assert_eq!(embedded.story.len(), served.story.len());
}

/// Number of crash points tested along one story; each play takes about a second.
const DEATHS: u64 = 12;

#[test]
fn a_crash_at_any_commit_does_not_change_the_result() {
    dies_without_a_trace(&scenario("nursery-short"), DEATHS);
}

#[test]
fn a_crash_between_branches_or_while_undoing_does_not_change_the_result() {
    dies_without_a_trace(&scenario("branches-and-undo"), DEATHS);
}

fn dies_without_a_trace(scenario: &Scenario, deaths: u64) {
    let commits = play(scenario, &PlayOptions::default()).totals.commits;
    assert!(commits > deaths, "a story of {commits} commits");
    for nth in 1..=deaths {
        let at = nth * commits / deaths;
        let side = if nth % 2 == 0 { CommitPoint::Before } else { CommitPoint::After };
        let options =
            PlayOptions { crashes: &[CommitCrash { nth: at, side }], ..PlayOptions::default() };
        let report = play(scenario, &options);
        if let Some(failure) = failure(&report) {
            panic!("crash at commit {at} of {commits}, {side:?}: {failure}");
        }
    }
}
