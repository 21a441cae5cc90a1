//! No tenant is left behind: at the end there is nothing that should have fallen due long ago.

use crate::play::Played;

pub(super) fn law(played: &Played) -> Vec<String> {
    let late = played.overdue.iter();
    late.map(|(tenant, at)| format!("an item of {tenant} has been due since {at}")).collect()
}
