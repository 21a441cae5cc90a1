//! Draws, from a seed, which kinds of faults occur in a simulation and how often.

use abide_engine::base::Span;
use fastrand::Rng;

use crate::play::{FaultKind, FaultMix};

/// An inspection checks the invariants before a commit, and is slow. So only one of
/// [`INSPECTED_WHOLLY`] simulations, on average, inspects every commit.
/// All other simulations inspect [`INSPECTED`] of 1,000 commits.
const INSPECTED_WHOLLY: u8 = 8;
const INSPECTED: u16 = 30;

/// Draws about half of all kinds of faults, each with a random rate.
/// One kind of fault can prevent the events that another kind needs. So if all kinds of
/// faults occurred in every simulation, some combinations of events could never arise.
pub(super) fn draw(seed: u64, lasts: Span) -> FaultMix {
    let mut random = Rng::with_seed(seed);
    let mut mix = FaultMix::without_faults(random.u64(..));
    mix.lasts = Some(lasts);
    mix.inspected = if random.u8(..INSPECTED_WHOLLY) == 0 { 1_000 } else { INSPECTED };
    for fault in FaultKind::ALL.iter().copied() {
        if random.bool() {
            mix = mix.with(fault, random.u16(1..=most(fault)));
        }
    }
    mix
}

/// Returns the highest rate that is drawn for a kind of fault. With a rate of 5, the fault occurs in 5 of
/// 1,000 cases in which it could occur. The rate is low for a kind of fault that could often occur.
fn most(fault: FaultKind) -> u16 {
    match fault {
        FaultKind::CrashBeforeCommit | FaultKind::CrashAfterCommit => 25,
        FaultKind::ProcessStalls | FaultKind::NodeStalls => 15,
        FaultKind::CommitRefused | FaultKind::CommitLost | FaultKind::CommitUnconfirmed => 60,
        FaultKind::CrashWhileSending
        | FaultKind::ProviderSlow
        | FaultKind::Refused
        | FaultKind::ProviderHangs => 80,
        FaultKind::AnswerLate | FaultKind::LookUpImpossible => 150,
        FaultKind::CommandMidWork => 900,
        FaultKind::CallLost
        | FaultKind::AnswerLost
        | FaultKind::ProviderBusy
        | FaultKind::RefusedForNow
        | FaultKind::LookUpFails
        | FaultKind::DeliveredAgain
        | FaultKind::OlderDeliveredAgain
        | FaultKind::DeliveredLate => 300,
    }
}
