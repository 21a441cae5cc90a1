//! What must hold of every story, whatever went wrong in it: one law a file.
//!
//! A law reads the evidence and says where it was broken. It knows nothing of how the engine works, but
//! what the engine promises.

mod calls_have_one_receipt;
mod chains_are_whole;
mod everything_ends;
mod invariants_hold;
mod messages_leave_once;
mod nothing_fails_inside;
mod refusals_are_kept;
mod replies_are_kept;
#[cfg(test)]
mod tests;
mod timers_fire_once;

use crate::play::Evidence;

/// Says where the law is broken.
type Law = fn(&Evidence) -> Vec<String>;

/// All laws, each by its name.
const LAWS: [(&str, Law); 9] = [
    ("replies_are_kept", replies_are_kept::law),
    ("messages_leave_once", messages_leave_once::law),
    ("calls_have_one_receipt", calls_have_one_receipt::law),
    ("invariants_hold", invariants_hold::law),
    ("timers_fire_once", timers_fire_once::law),
    ("chains_are_whole", chains_are_whole::law),
    ("refusals_are_kept", refusals_are_kept::law),
    ("nothing_fails_inside", nothing_fails_inside::law),
    ("everything_ends", everything_ends::law),
];

/// Every breach of a law: `law: where`.
pub(super) fn breaches(evidence: &Evidence) -> Vec<String> {
    let judged = LAWS.iter().flat_map(|(name, law)| {
        law(evidence).into_iter().map(move |detail| format!("{name}: {detail}"))
    });
    judged.collect()
}
