//! No tenant is left behind: at the end there is nothing that should have fallen due long ago.

use crate::play::SimulationEvidence;

pub(super) fn law(evidence: &SimulationEvidence) -> Vec<String> {
    let late = evidence.overdue.iter();
    late.map(|(tenant, at)| format!("an item of {tenant} has been due since {at}")).collect()
}
