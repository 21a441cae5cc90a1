//! Serves tenants in rotation, so that a tenant with much work does not delay the other tenants.

use std::sync::{Mutex, PoisonError};

/// The tenant that was served last; `None` if no tenant was served yet.
#[derive(Default)]
pub(in crate::driver) struct TenantRotation(Mutex<Option<String>>);

impl TenantRotation {
    /// Returns the next tenants to serve, at most `room` of them. Begins after the tenant
    /// that was served last and wraps around. `tenants` must be sorted.
    pub(in crate::driver) fn next(&self, mut tenants: Vec<String>, room: usize) -> Vec<String> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let behind = last.as_ref().map_or(0, |last| tenants.partition_point(|t| t <= last));
        tenants.rotate_left(behind);
        tenants.truncate(room);
        if let Some(tenant) = tenants.last() {
            *last = Some(tenant.clone());
        }
        tenants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenants_take_turns() {
        let turns = TenantRotation::default();
        let next = |room| {
            let tenants = ["a", "b", "c"].map(str::to_owned).to_vec();
            turns.next(tenants, room).concat()
        };
        assert_eq!([2, 2, 1, 9, 1].map(next), ["ab", "ca", "b", "cab", "c"]);
        assert!(turns.next(Vec::new(), 1).is_empty());
    }
}
