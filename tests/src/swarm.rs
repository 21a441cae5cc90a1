//! The swarm: random scenarios under random faults break no law. Scenarios and faults are drawn from seeds.

use abide_engine::library::Sources;
use abide_engine::store::Address;
use abide_simulator::play::PlayOptions;
use abide_simulator::swarm::{SeedResult, Swarm};

use crate::postgres::TestDb;
use crate::process::run_abide;
use crate::simulations::shipped;
use crate::support::block_on;

/// Number of seeds in each check. `./check --long` plays ten thousand seeds.
const SEEDS: u64 = 300;
/// Number of seeds that are also played on a PostgreSQL server. `./check --long` plays five hundred seeds.
const SEEDS_ON_SERVER: u64 = 8;

fn play_swarm(seeds: &[u64], db: Option<Address>) -> Vec<SeedResult> {
    let scenarios = shipped();
    let options = PlayOptions { sources: Some(Sources::builtin()), db, ..PlayOptions::default() };
    let swarm = Swarm { scenarios: &scenarios, options: &options, on_line: None };
    block_on(swarm.play(seeds, &|_| {})).expect("played")
}

fn describe_breaches(results: &[SeedResult]) -> String {
    let broken = results.iter().filter(|result| !result.breaches.is_empty());
    broken.map(|result| format!("{}\n  {}\n", result.story, result.breaches.join("\n  "))).collect()
}

#[test]
fn no_seed_breaks_a_law() {
    let seeds: Vec<u64> = (1..=SEEDS).collect();
    let results = play_swarm(&seeds, None);
    assert_eq!(describe_breaches(&results), "");
    let crashes: u64 = results.iter().map(|result| result.crashes).sum();
    assert!(crashes > SEEDS, "too few crashes: {crashes}");
}

#[test]
fn a_seed_determines_the_whole_story() {
    assert_eq!(play_swarm(&[11, 12], None), play_swarm(&[11, 12], None));
}

/// This test covers claims, which exist only on PostgreSQL: a process claims due work by a commit,
/// and the confirmation of that commit may be lost.
#[test]
fn no_seed_breaks_a_law_on_a_server() {
    let seeds: Vec<u64> = (1..=SEEDS_ON_SERVER).collect();
    let server = TestDb::postgres();
    assert_eq!(describe_breaches(&play_swarm(&seeds, Some(Address::parse(server.url())))), "");
}

#[test]
fn injected_faults_are_not_logged_as_errors() {
    let played = run_abide(&["torture", "--swarm", "25"]);
    assert!(played.status.success(), "{played:?}");
    assert_eq!(String::from_utf8_lossy(&played.stderr).matches("ERROR").count(), 0, "{played:?}");
    let told = run_abide(&["torture", "--swarm", "25", "-v"]);
    let told = String::from_utf8_lossy(&told.stderr);
    let injected = |line: &str| line.contains("DEBUG") && line.contains("by request of a test");
    assert!(told.lines().any(injected), "injected faults are logged at DEBUG");
}
