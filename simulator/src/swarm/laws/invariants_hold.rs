//! The rules of the domain hold, and each live run has something that will wake it, in every inspected commit
//! and at the end.

use crate::play::Played;

pub(super) fn law(played: &Played) -> Vec<String> {
    let at_the_end = played.audit.iter().map(|breach| format!("at the end: {breach}"));
    played.broken.iter().cloned().chain(at_the_end).collect()
}
