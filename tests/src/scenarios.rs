//! Plays the shipped scenarios in ways that the simulator's own tests do not cover.
//! The scenarios are played on PostgreSQL, and with a crash at commits throughout the scenario.

use abide_engine::store::CommitPoint;
use abide_simulator::play::{CommitCrash, PlayOptions};
use abide_simulator::scenario::Scenario;

use crate::postgres::TestDb;
use crate::simulations::{failure, options_on, parse, play};
use crate::support::read;

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
        let database = TestDb::postgres();
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
    let database = TestDb::postgres();
    let served = play(&scenario, &options_on(&database));
    for (one, other) in embedded.story.iter().zip(&served.story) {
        assert_eq!(one.to_string(), other.to_string(), "SQLite, then PostgreSQL");
    }
    assert_eq!(embedded.story.len(), served.story.len());
}

/// Number of commits of a scenario at which a crash is tested.
/// The scenario is played once for each of these commits, and each play takes about a second.
const CRASHES: u64 = 12;

#[test]
fn a_crash_at_any_commit_does_not_change_the_result() {
    check_result_survives_crashes(&scenario("nursery-short"), CRASHES);
}

#[test]
fn a_crash_between_branches_or_while_undoing_does_not_change_the_result() {
    check_result_survives_crashes(&scenario("branches-and-undo"), CRASHES);
}

fn check_result_survives_crashes(scenario: &Scenario, crashes: u64) {
    let commits = play(scenario, &PlayOptions::default()).totals.commits;
    assert!(commits > crashes, "a story of {commits} commits");
    for nth in 1..=crashes {
        let at = nth * commits / crashes;
        let side = if nth % 2 == 0 { CommitPoint::Before } else { CommitPoint::After };
        let options =
            PlayOptions { crashes: &[CommitCrash { nth: at, side }], ..PlayOptions::default() };
        let report = play(scenario, &options);
        if let Some(failure) = failure(&report) {
            panic!("crash at commit {at} of {commits}, {side:?}: {failure}");
        }
    }
}
