//! Plays the shipped scenarios in ways that the simulator's own tests do not cover.
//! The scenarios are played on PostgreSQL, and with a crash at commits throughout the scenario.

use abide_engine::library::Sources;
use abide_engine::store::CommitPoint;
use abide_simulator::play::{CommitCrash, PlayOptions};
use abide_simulator::scenario::Scenario;

use crate::postgres::TestDb;
use crate::simulations::{failure, options_on, parse, play};
use crate::support::{read, root, yaml_files};

fn scenario(name: &str) -> Scenario {
    parse(name, &read(format!("simulator/scenarios/{name}.yaml")))
}

#[test]
fn scenarios_are_met_on_postgresql() {
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
        "follow-ups-on-monday",
        "one-lead-for-one-phone",
        "from-call-to-payment",
    ] {
        let database = TestDb::empty_postgres();
        let report = play(&scenario(name), &options_on(&database));
        if let Some(failure) = failure(&report) {
            panic!("{name}: {failure}");
        }
    }
}

#[test]
fn a_scenario_has_the_same_story_on_both_databases() {
    let scenario = scenario("last-call");
    let embedded = play(&scenario, &PlayOptions::default());
    let database = TestDb::empty_postgres();
    let served = play(&scenario, &options_on(&database));
    for (one, other) in embedded.story.iter().zip(&served.story) {
        assert_eq!(one.to_string(), other.to_string(), "SQLite, then PostgreSQL");
    }
    assert_eq!(embedded.story.len(), served.story.len());
}

/// Returns the content of the program with the pack of the trade.
fn trade_pack() -> Option<Sources> {
    Some(Sources::builtin().with_home(&root().join("packs/trade")).expect("reads"))
}

#[test]
fn the_scenarios_of_the_trade_are_met_on_postgresql() {
    for file in yaml_files("packs/trade/scenarios") {
        let scenario = parse(&file.display().to_string(), &read(&file));
        let database = TestDb::empty_postgres();
        let report =
            play(&scenario, &PlayOptions { sources: trade_pack(), ..options_on(&database) });
        if let Some(failure) = failure(&report) {
            panic!("{failure}");
        }
    }
}

/// Number of commits of a scenario at which a crash is tested.
/// The scenario is played once for each of these commits, and each play takes about a second.
const CRASHES: u64 = 12;

#[test]
fn a_crash_at_any_commit_does_not_change_the_result() {
    check_result_survives_crashes(&scenario("nursery-short"), None);
}

#[test]
fn a_crash_between_branches_or_while_undoing_does_not_change_the_result() {
    check_result_survives_crashes(&scenario("branches-and-undo"), None);
}

#[test]
fn a_crash_in_a_sale_does_not_change_its_result() {
    let name = "packs/trade/scenarios/a-trades-year.yaml";
    check_result_survives_crashes(&parse(name, &read(name)), trade_pack());
}

#[test]
fn a_crash_in_a_sale_by_text_does_not_change_its_result() {
    let name = "packs/trade/scenarios/a-trades-year-by-text.yaml";
    check_result_survives_crashes(&parse(name, &read(name)), trade_pack());
}

fn check_result_survives_crashes(scenario: &Scenario, sources: Option<Sources>) {
    let options = || PlayOptions { sources: sources.clone(), ..PlayOptions::default() };
    let commits = play(scenario, &options()).totals.commits;
    assert!(commits > CRASHES, "a story of {commits} commits");
    for nth in 1..=CRASHES {
        let at = nth * commits / CRASHES;
        let side = if nth % 2 == 0 { CommitPoint::Before } else { CommitPoint::After };
        let report =
            play(scenario, &PlayOptions { crashes: &[CommitCrash { nth: at, side }], ..options() });
        if let Some(failure) = failure(&report) {
            panic!("crash at commit {at} of {commits}, {side:?}: {failure}");
        }
    }
}
