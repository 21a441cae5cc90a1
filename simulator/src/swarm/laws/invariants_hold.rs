//! The rules of the domain, and that each live run has something that will wake it, held in every commit
//! that was looked at, and hold at the end.

use crate::play::Evidence;

pub(super) fn law(evidence: &Evidence) -> Vec<String> {
    let at_the_end = evidence.audit.iter().map(|breach| format!("at the end: {breach}"));
    evidence.broken.iter().cloned().chain(at_the_end).collect()
}
