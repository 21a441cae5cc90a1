//! The swarm: randomly generated stories under random faults, both drawn from seeds, break no law.

use abide_engine::library::Sources;
use abide_engine::store::Address;
use abide_simulator::play::PlayOptions;
use abide_simulator::scenario::{Scenario, read};
use abide_simulator::shipped::SCENARIOS;
use abide_simulator::swarm::{SeedResult, Swarm};

use crate::postgres::TestDb;
use crate::process::abide;

/// Number of seeds in each check; `./check --long` plays ten thousand.
const SEEDS: u64 = 300;
/// Number of seeds that are also played on a server; `./check --long` plays five hundred.
const SEEDS_ON_SERVER: u64 = 8;

fn played(seeds: &[u64], db: Option<Address>) -> Vec<SeedResult> {
    let scenarios: Vec<Scenario> = SCENARIOS
        .iter()
        .map(|(file, text)| read(file, text).0.unwrap_or_else(|| panic!("{file} is a scenario")))
        .collect();
    let options = PlayOptions { sources: Some(Sources::builtin()), db, ..PlayOptions::default() };
    let swarm = Swarm { scenarios: &scenarios, options: &options, on_line: None };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let played = swarm.play(seeds, &|_| {});
    runtime.expect("a runtime").block_on(played).expect("played")
}

fn told(results: &[SeedResult]) -> String {
    let broken = results.iter().filter(|result| !result.breaches.is_empty());
    broken.map(|result| format!("{}\n  {}\n", result.story, result.breaches.join("\n  "))).collect()
}

#[test]
fn no_seed_breaks_a_law() {
    let seeds: Vec<u64> = (1..=SEEDS).collect();
    let results = played(&seeds, None);
    assert_eq!(told(&results), "");
    let crashes: u64 = results.iter().map(|result| result.crashes).sum();
    assert!(crashes > SEEDS, "too few crashes: {crashes}");
}

#[test]
fn a_seed_determines_the_whole_story() {
    assert_eq!(played(&[11, 12], None), played(&[11, 12], None));
}

/// On a server, a process claims due work by a commit whose answer may be lost; on an embedded file there are
/// no claims.
#[test]
fn no_seed_breaks_a_law_on_a_server() {
    let seeds: Vec<u64> = (1..=SEEDS_ON_SERVER).collect();
    let server = TestDb::postgres();
    assert_eq!(told(&played(&seeds, Some(Address::parse(server.url())))), "");
}

#[test]
fn injected_faults_are_not_logged_as_errors() {
    let played = abide(&["torture", "--swarm", "25"]);
    assert!(played.status.success(), "{played:?}");
    assert_eq!(String::from_utf8_lossy(&played.stderr).matches("ERROR").count(), 0, "{played:?}");
    let told = abide(&["torture", "--swarm", "25", "-v"]);
    let told = String::from_utf8_lossy(&told.stderr);
    let injected = |line: &str| line.contains("DEBUG") && line.contains("by request of a test");
    assert!(told.lines().any(injected), "injected faults are logged at DEBUG");
}
