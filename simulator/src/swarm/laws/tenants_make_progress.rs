//! Law: no tenant is left behind. At the end, no tenant has an item that should have fallen due long ago.

use crate::play::SimulationEvidence;

pub(super) fn law(evidence: &SimulationEvidence) -> Vec<String> {
    let late = evidence.overdue.iter();
    late.map(|(tenant, at)| format!("an item of {tenant} has been due since {at}")).collect()
}
