//! Law: the rules of the domain hold, and each live run has something that will wake it.
//! Both are checked in every inspected commit and at the end.

use crate::play::SimulationEvidence;

pub(super) fn law(evidence: &SimulationEvidence) -> Vec<String> {
    let at_the_end = evidence.audit.iter().map(|breach| format!("at the end: {breach}"));
    evidence.broken.iter().cloned().chain(at_the_end).collect()
}
