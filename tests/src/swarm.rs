//! The swarm: stories that seeds draw, under faults that they draw, keep every law.

use abide_engine::library::Sources;
use abide_engine::store::Address;
use abide_simulator::play::Options;
use abide_simulator::scenario::{Scenario, read};
use abide_simulator::shipped::SCENARIOS;
use abide_simulator::swarm::{Fate, Swarm};

use crate::postgres::TestDb;
use crate::process::abide;

/// Seeds of each check; `./check --long` plays ten thousand.
const SEEDS: u64 = 300;
/// Those of them that are played on a server, too; `./check --long` plays five hundred.
const SEEDS_ON_SERVER: u64 = 8;

fn played(seeds: &[u64], db: Option<Address>) -> Vec<Fate> {
    let scenarios: Vec<Scenario> = SCENARIOS
        .iter()
        .map(|(file, text)| read(file, text).0.unwrap_or_else(|| panic!("{file} is a scenario")))
        .collect();
    let options = Options { sources: Some(Sources::builtin()), db, ..Options::default() };
    let swarm = Swarm { scenarios: &scenarios, options: &options, on_line: None };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let played = swarm.play(seeds, &|_| {});
    runtime.expect("a runtime").block_on(played).expect("played")
}

fn told(fates: &[Fate]) -> String {
    let broken = fates.iter().filter(|fate| !fate.breaches.is_empty());
    broken.map(|fate| format!("{}\n  {}\n", fate.story, fate.breaches.join("\n  "))).collect()
}

#[test]
fn no_seed_breaks_a_law() {
    let seeds: Vec<u64> = (1..=SEEDS).collect();
    let fates = played(&seeds, None);
    assert_eq!(told(&fates), "");
    let crashes: u64 = fates.iter().map(|fate| fate.crashes).sum();
    assert!(crashes > SEEDS, "processes die: {crashes}");
}

#[test]
fn a_seed_says_all() {
    assert_eq!(played(&[11, 12], None), played(&[11, 12], None));
}

/// There a process takes what is due by a commit, whose answer may be lost: an embedded file knows no such thing.
#[test]
fn no_seed_breaks_a_law_on_a_server() {
    let seeds: Vec<u64> = (1..=SEEDS_ON_SERVER).collect();
    let server = TestDb::postgres();
    assert_eq!(told(&played(&seeds, Some(Address::parse(server.url())))), "");
}

#[test]
fn faults_that_a_story_asked_for_are_no_errors_of_the_log() {
    let played = abide(&["torture", "--swarm", "25"]);
    assert!(played.status.success(), "{played:?}");
    assert_eq!(String::from_utf8_lossy(&played.stderr).matches("ERROR").count(), 0, "{played:?}");
    let told = abide(&["torture", "--swarm", "25", "-v"]);
    let told = String::from_utf8_lossy(&told.stderr);
    let injected = |line: &str| line.contains("DEBUG") && line.contains("by request of a test");
    assert!(told.lines().any(injected), "they are there for whoever looks closer");
}
