//! Which faults a seed has come, and how often.

use abide_engine::base::Span;
use fastrand::Rng;

use crate::play::{Fault, Mix};

/// In one story out of so many every commit is looked at; in the others few are, since looking takes most
/// of the time.
const INSPECTED_WHOLLY: u8 = 8;
const INSPECTED: u16 = 30;

/// Half of all faults, each at a rate of its own: where everything goes wrong at once, nothing is left
/// that a rare clash could come of.
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

/// Out of a thousand occasions: what there are many of in a story comes seldom.
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
