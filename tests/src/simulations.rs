//! Plays scenarios in this process.

use abide_engine::library::Sources;
use abide_engine::store::Address;
use abide_simulator::play::{PlayOptions, simulate};
use abide_simulator::report::SimulationReport;
use abide_simulator::scenario::{Scenario, read};
use abide_simulator::shipped::SCENARIOS;

use crate::engines;
use crate::postgres::TestDb;
use crate::support::block_on;

/// Number of scenarios that are played in parallel.
const PARALLEL: usize = 3;

/// Parses a scenario, and panics if the scenario has an error.
pub(crate) fn parse(file: &str, text: &str) -> Scenario {
    let (scenario, findings) = read(file, text);
    scenario.unwrap_or_else(|| panic!("{file}: {findings:#?}"))
}

/// Returns the shipped scenarios.
pub(crate) fn shipped() -> Vec<Scenario> {
    SCENARIOS.iter().map(|(file, text)| parse(file, text)).collect()
}

/// Returns the options to play a scenario on this database.
pub(crate) fn options_on(database: &TestDb) -> PlayOptions<'static> {
    PlayOptions { db: Some(Address::parse(database.url())), ..PlayOptions::default() }
}

/// Plays a scenario, and panics if playing it fails. Compiles the content only once for all plays.
pub(crate) fn play(scenario: &Scenario, options: &PlayOptions<'_>) -> SimulationReport {
    let sources = options.sources.clone().unwrap_or_else(Sources::builtin);
    let library = options.library.cloned().unwrap_or_else(|| engines::library(&sources));
    let options = &PlayOptions { library: Some(&library), ..options.clone() };
    let played = block_on(simulate(scenario, options));
    played.unwrap_or_else(|e| panic!("{}: {e}: {:?}", scenario.name, e.detail))
}

/// Describes which expectations of a scenario were not met and what the audit reported,
/// with the events of the play.
/// Returns `None` if all expectations were met and the audit reported nothing.
pub(crate) fn failure(report: &SimulationReport) -> Option<String> {
    if report.met() && report.audit.is_empty() {
        return None;
    }
    let story: Vec<String> = report.story.iter().map(ToString::to_string).collect();
    let (name, story) = (&report.scenario, story.join("\n"));
    Some(format!("{name}\n{story}\n{:#?}\n{:#?}", report.unmet, report.audit))
}

/// Calls the function `check` for every item. A few calls run in parallel.
/// If any call returns the description of a failure, panics with all these descriptions.
pub(crate) fn check_in_parallel<T: Sync>(items: &[T], check: impl Fn(&T) -> Option<String> + Sync) {
    let failures_of = |worker: usize| {
        let own = items.iter().skip(worker).step_by(PARALLEL);
        own.filter_map(&check).collect::<Vec<_>>()
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let failures_of = &failures_of;
        let workers: Vec<_> =
            (0..PARALLEL).map(|worker| scope.spawn(move || failures_of(worker))).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
