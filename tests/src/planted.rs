//! Each law of the swarm is seen to notice a rule that is missing: the engine plays without it, and one of a few
//! hundred seeds breaks the law. `./check --long` runs this, in a build of its own: no other can plant a fault.
//!
//! With names of faults it says of these alone which law finds them.

use std::process::ExitCode;

use abide_engine::base::Planted;
use abide_engine::library::Sources;
use abide_simulator::play::Options;
use abide_simulator::scenario::{Scenario, read};
use abide_simulator::shipped::SCENARIOS;
use abide_simulator::swarm::{Fate, Swarm};

/// Seeds within which each missing rule is found.
const SEEDS: u64 = 300;
/// Seeds of one round: what is found early costs little.
const ROUND: usize = 10;
/// Plays side by side.
const ABREAST: usize = 2;

/// Each fault that the swarm finds on an embedded file, and the law that notices it first.
const FOUND_BY: [(Planted, &str); 16] = [
    (Planted::WakeUpLost, "invariants_hold"),
    (Planted::SignalWakesNobody, "invariants_hold"),
    (Planted::SignalNeverConsumed, "signals_are_read_once"),
    (Planted::EventUnlinked, "invariants_hold"),
    (Planted::DeliveredTwice, "replies_are_kept"),
    (Planted::ReplyDropped, "texts_have_an_effect"),
    (Planted::UnmatchedUnseen, "texts_have_an_effect"),
    (Planted::TenantLeftOut, "tenants_come_on"),
    (Planted::OneTooMany, "invariants_hold"),
    (Planted::WaitEndsEarly, "timers_fire_once"),
    (Planted::SuppressionIgnored, "refusals_are_kept"),
    (Planted::KillSwitchIgnored, "invariants_hold"),
    (Planted::ResumeFreesNothing, "invariants_hold"),
    (Planted::BudgetIgnored, "budgets_are_kept"),
    (Planted::WithdrawalIgnored, "invitations_have_a_reason"),
    (Planted::LookUpIgnored, "messages_leave_once"),
];

fn main() -> ExitCode {
    let named: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let scenarios: Vec<Scenario> = SCENARIOS
        .iter()
        .map(|(file, text)| read(file, text).0.unwrap_or_else(|| panic!("{file} is a scenario")))
        .collect();
    if !named.is_empty() {
        for fault in Planted::ALL.into_iter().filter(|fault| named.contains(&format!("{fault:?}")))
        {
            println!("{}", told(fault, first_found(fault, &scenarios).as_ref()));
        }
        return ExitCode::SUCCESS;
    }
    let mut missed = 0;
    for (fault, law) in FOUND_BY {
        let found = first_found(fault, &scenarios);
        println!("{}", told(fault, found.as_ref()));
        let by_law = |fate: &Fate| fate.breaches.iter().any(|breach| breach.starts_with(law));
        if !found.as_ref().is_some_and(by_law) {
            println!("  `{law}` does not notice it");
            missed += 1;
        }
    }
    println!("{} faults planted, {missed} of them missed", FOUND_BY.len());
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn told(fault: Planted, found: Option<&Fate>) -> String {
    let name = format!("{fault:?}");
    match found {
        Some(fate) => format!("{name:<20} seed {:>3}  {}", fate.seed, fate.breaches[0]),
        None => format!("{name:<20} no seed of {SEEDS}"),
    }
}

/// The first seed that breaks a law while a fault is planted.
fn first_found(fault: Planted, scenarios: &[Scenario]) -> Option<Fate> {
    let options = Options { sources: Some(Sources::builtin()), ..Options::default() };
    let swarm = Swarm { scenarios, options: &options, on_line: None };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let seeds: Vec<u64> = (1..=SEEDS).collect();
    fault.plant();
    let found = seeds.chunks(ROUND).find_map(|round| {
        let fates = runtime.block_on(swarm.play(round, ABREAST, &|_| {})).expect("played");
        fates.into_iter().find(|fate| !fate.breaches.is_empty())
    });
    Planted::clear();
    found
}
