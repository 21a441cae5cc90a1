//! Law: the invariants of the domain hold, and each live run has something that will wake it.
//! The invariants are checked in every inspected commit and again at the end of the simulation.

use crate::play::SimulationEvidence;

pub(super) fn law(evidence: &SimulationEvidence) -> Vec<String> {
    let at_the_end = evidence.audit.iter().map(|breach| format!("at the end: {breach}"));
    evidence.broken.iter().cloned().chain(at_the_end).collect()
}
