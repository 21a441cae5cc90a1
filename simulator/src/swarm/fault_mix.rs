//! Draws the faults of a seed and their rates.

use abide_engine::base::Span;
use fastrand::Rng;

use crate::play::{FaultKind, FaultMix};

/// In one of this many simulations, every commit is inspected. In the others few commits are,
/// because inspections take most of the time.
const INSPECTED_WHOLLY: u8 = 8;
const INSPECTED: u16 = 30;

/// Draws about half of all faults, each with a rate of its own. If all faults occurred together,
/// rare combinations could not arise.
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

/// Returns the highest rate of a fault per thousand occasions. Faults with many occasions have low rates.
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
