//! Every tenant comes on: at the end nothing is left that should have fallen due long ago.

use crate::play::Played;

pub(super) fn law(played: &Played) -> Vec<String> {
    let late = played.overdue.iter();
    late.map(|(tenant, at)| format!("something of {tenant} is due since {at}")).collect()
}
