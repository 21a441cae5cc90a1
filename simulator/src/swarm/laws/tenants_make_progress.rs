//! Law: every tenant makes progress.
//! At the end of the simulation, no tenant has work that has been due for more than an hour.

use crate::play::SimulationEvidence;

pub(super) fn law(evidence: &SimulationEvidence) -> Vec<String> {
    let late = evidence.overdue.iter();
    late.map(|(tenant, at)| format!("an item of {tenant} has been due since {at}")).collect()
}
