//! Mutation test of the swarm's laws. A planted fault disables one rule of the engine.
//! One of a few hundred seeds must then break a law.
//! `./check --long` runs this test in a separate build, because no other build can plant faults.
//!
//! If planted faults are given as arguments, the test plants only these faults,
//! and prints the events of the seed that breaks the law.

use std::process::ExitCode;

use abide_engine::library::Sources;
use abide_engine::planted::PlantedFault;
use abide_engine::store::Address;
use abide_simulator::play::PlayOptions;
use abide_simulator::report::StoryLine;
use abide_simulator::scenario::{Scenario, read};
use abide_simulator::shipped::SCENARIOS;
use abide_simulator::swarm::{SeedResult, Swarm, law_names};

/// Maximum number of seeds that may be needed to find a planted fault.
const SEEDS: u64 = 300;
/// Number of seeds that are played together. All these seeds are played to the end, even if the first seed
/// already breaks the law. So a small number saves time.
const ROUND: usize = 10;
/// Environment variable with the URL of the PostgreSQL server.
const SERVER: &str = "ABIDE_TEST_POSTGRES";

/// The planted faults that the swarm finds on an embedded file, each with a law that the fault breaks.
const FOUND_BY: [(PlantedFault, &str); 37] = [
    // The swarm misses this fault at present: something else soon wakes a run that has missed a wake-up.
    (PlantedFault::WakeUpLost, "invariants_hold"),
    (PlantedFault::SignalWakesNobody, "everything_ends"),
    (PlantedFault::SignalNeverConsumed, "signals_are_read_once"),
    (PlantedFault::DeadlineBeforeReply, "deadlines_wait_for_replies"),
    (PlantedFault::EndedRunContinues, "calls_have_one_receipt"),
    (PlantedFault::EventUnlinked, "ledger_is_intact"),
    (PlantedFault::DuplicateStored, "replies_are_kept"),
    (PlantedFault::ReplyDropped, "texts_have_an_effect"),
    (PlantedFault::UnmatchedNotShown, "texts_have_an_effect"),
    (PlantedFault::OneRequestLocked, "nothing_fails_inside"),
    (PlantedFault::OtherTenantsNotSwept, "tenants_make_progress"),
    (PlantedFault::SweepWhilePaused, "nothing_falls_due_while_paused"),
    (PlantedFault::TargetExceeded, "invariants_hold"),
    (PlantedFault::WaitEndsEarly, "timers_fire_once"),
    (PlantedFault::UnsentInvitationWithdrawn, "only_the_asked_are_told"),
    (PlantedFault::SuppressionIgnored, "refusals_are_kept"),
    (PlantedFault::KillSwitchIgnored, "invariants_hold"),
    // The swarm misses this fault at present.
    (PlantedFault::SwitchAnsweredEarly, "refusals_are_kept"),
    (PlantedFault::ResumeReleasesNothing, "invariants_hold"),
    (PlantedFault::QuietHoursIgnored, "refusals_are_kept"),
    (PlantedFault::BudgetIgnored, "budgets_are_kept"),
    (PlantedFault::EndedCauseIgnored, "invitations_have_a_reason"),
    // The swarm misses this fault at present.
    (PlantedFault::OfferExpiryNotMoved, "offers_outlive_their_hold"),
    (PlantedFault::LookupIgnored, "messages_leave_once"),
    (PlantedFault::ExpiryApproves, "approvals_serve_one_call"),
    (PlantedFault::GateStaysOpen, "nothing_acts_unasked"),
    (PlantedFault::ApproverNotChecked, "approvals_serve_one_call"),
    (PlantedFault::KeyIgnored, "keys_act_once"),
    // The swarm misses this fault at present.
    (PlantedFault::OutcomeIgnored, "outside_systems_act_once"),
    (PlantedFault::RefusedPlanRuns, "plans_call_what_they_list"),
    (PlantedFault::PlanRunsUnasked, "plans_wait_for_consent"),
    (PlantedFault::LayerForgotten, "layers_follow_each_other"),
    (PlantedFault::RequestKeyForgotten, "requests_act_once"),
    (PlantedFault::AnswerNotVerified, "answers_are_verified"),
    (PlantedFault::GoalEndsUnnoted, "agendas_are_complete"),
    (PlantedFault::TurnDropped, "turns_are_evaluated_once"),
    (PlantedFault::OrderNotSettled, "orders_follow_their_runs"),
];
/// The planted faults that the swarm finds with several nodes on a PostgreSQL server,
/// each with a law that the fault breaks.
const FOUND_BY_NODES: [(PlantedFault, &str); 3] = [
    (PlantedFault::StaleOwnerAccepted, "invariants_hold"),
    (PlantedFault::HeadNotLocked, "invariants_hold"),
    (PlantedFault::SettingsNeverRefreshed, "refusals_are_kept"),
];

/// What is printed about the seed in which a law is broken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// The first broken law.
    Breach,
    /// All events of the seed, and all broken laws.
    Story,
}

/// Scenarios and the database that they are played on.
struct SwarmSetup {
    scenarios: Vec<Scenario>,
    /// The PostgreSQL server that several nodes share; `None` for one process on an embedded file.
    server: Option<Address>,
}

fn main() -> ExitCode {
    let named: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let scenarios: Vec<Scenario> = SCENARIOS
        .iter()
        .map(|(file, text)| read(file, text).0.unwrap_or_else(|| panic!("{file} is a scenario")))
        .collect();
    let embedded = SwarmSetup { scenarios: scenarios.clone(), server: None };
    let server = std::env::var(SERVER).ok().map(|url| Address::parse(&url));
    let on_server = server.map(|server| SwarmSetup { scenarios, server: Some(server) });
    let table = || FOUND_BY.iter().chain(&FOUND_BY_NODES);
    let has_law = |fault| table().any(|(known, _)| *known == fault);
    assert!(PlantedFault::ALL.into_iter().all(has_law), "every fault must be in a table");
    let has_fault = |law: &str| table().any(|(_, known)| *known == law);
    assert!(law_names().all(has_fault), "every law must be in a table");
    let shown = if named.is_empty() { Shown::Breach } else { Shown::Story };
    let (mut tried, mut missed) = (0, 0);
    for (setup, table) in [(Some(&embedded), &FOUND_BY[..]), (on_server.as_ref(), &FOUND_BY_NODES)]
    {
        let Some(setup) = setup else { continue };
        for (fault, law) in table {
            let wanted = named.is_empty() || named.contains(&format!("{fault:?}"));
            if wanted {
                tried += 1;
                missed += usize::from(!setup.finds(*fault, law, shown));
            }
        }
    }
    println!("{tried} faults planted, {missed} of them missed");
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl SwarmSetup {
    /// Returns whether a planted fault breaks this law. Prints the first seed in which the law is broken.
    fn finds(&self, fault: PlantedFault, law: &str, shown: Shown) -> bool {
        let name = format!("{fault:?}");
        let Some((seed, breach)) = self.first_found(fault, law) else {
            println!("{name:<26} no seed of {SEEDS} breaks `{law}`");
            return false;
        };
        if shown == Shown::Story {
            let results = self.play(fault, &[seed], Some(&|line| println!("{line}")));
            results
                .iter()
                .flat_map(|result| &result.breaches)
                .for_each(|breach| println!("{breach}"));
        }
        println!("{name:<26} seed {seed:>3}  {breach}");
        true
    }

    /// Returns the first seed in which a planted fault breaks this law, with a description of the breach.
    fn first_found(&self, fault: PlantedFault, law: &str) -> Option<(u64, String)> {
        let is_of_law = |breach: &String| breach.split(':').next() == Some(law);
        let seeds: Vec<u64> = (1..=SEEDS).collect();
        seeds.chunks(ROUND).find_map(|round| {
            let mut results = self.play(fault, round, None).into_iter();
            results.find_map(|result| {
                Some((result.seed, result.breaches.into_iter().find(is_of_law)?))
            })
        })
    }

    /// Plays seeds with a planted fault.
    fn play(
        &self,
        fault: PlantedFault,
        seeds: &[u64],
        on_line: Option<&(dyn Fn(&StoryLine) + Sync)>,
    ) -> Vec<SeedResult> {
        let options = PlayOptions {
            sources: Some(Sources::builtin()),
            db: self.server.clone(),
            several_nodes: self.server.is_some(),
            ..PlayOptions::default()
        };
        let swarm = Swarm { scenarios: &self.scenarios, options: &options, on_line };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        fault.plant();
        let results = runtime.block_on(swarm.play(seeds, &|_| {})).expect("played");
        PlantedFault::clear();
        results
    }
}
