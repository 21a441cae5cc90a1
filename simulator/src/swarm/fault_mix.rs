//! Draws the faults of a seed and their rates.

use abide_engine::base::Span;
use fastrand::Rng;

use crate::play::{Fault, Mix};

/// In one simulation in this many every commit is inspected. In the others few are, because inspections take
/// most of the time.
const INSPECTED_WHOLLY: u8 = 8;
const INSPECTED: u16 = 30;

/// Draws half of all faults, each with a rate of its own. If everything failed at once, rare combinations
/// could not arise.
pub(super) fn mix(seed: u64, lasts: Span) -> Mix {
    let mut random = Rng::with_seed(seed);
    let mut mix = Mix::calm(random.u64(..));
    mix.lasts = Some(lasts);
    mix.inspected = if random.u8(..INSPECTED_WHOLLY) == 0 { 1_000 } else { INSPECTED };
    for fault in Fault::ALL {
        if random.bool() {
            mix = mix.with(fault, random.u16(1..=most(fault)));
        }
    }
    mix
}

/// Returns the highest rate of a fault, out of a thousand occasions; faults with many occasions have low
/// rates.
fn most(fault: Fault) -> u16 {
    match fault {
        Fault::DiesBeforeCommit | Fault::DiesAfterCommit => 25,
        Fault::Stalls | Fault::NodeStands => 15,
        Fault::CommitRefused | Fault::CommitForgotten | Fault::CommitUnconfirmed => 60,
        Fault::DiesSending | Fault::ProviderSlow | Fault::Refused | Fault::Hangs => 80,
        Fault::AnswersLate | Fault::NeverTells => 150,
        Fault::InMidWork => 900,
        Fault::CallLost
        | Fault::AnswerLost
        | Fault::ProviderBusy
        | Fault::RefusedForNow
        | Fault::LookUpFails
        | Fault::DeliveredAgain
        | Fault::OlderAgain
        | Fault::DeliveredLate => 300,
    }
}
