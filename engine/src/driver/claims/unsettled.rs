//! Claims that this process owns, or may own, but does not work on. They must be given back: while this
//! process lives no other could take these runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::Fence;

/// The claims to settle.
#[derive(Default)]
pub(super) struct Unsettled {
    /// Claims to give back.
    owed: Mutex<Vec<Fence>>,
    in_doubt: AtomicBool,
}

impl Unsettled {
    /// Notes a claim that could not be given back because the database was away.
    pub(super) fn owe(&self, claim: Fence) {
        self.owed().push(claim);
    }

    /// Notes that it is unknown which runs a claim took, because its commit was not confirmed.
    pub(super) fn doubt(&self) {
        self.in_doubt.store(true, Ordering::SeqCst);
    }

    /// Whether there is anything to settle.
    pub(super) fn any(&self) -> bool {
        self.in_doubt.load(Ordering::SeqCst) || !self.owed().is_empty()
    }

    /// Returns whether claims are in doubt, and clears that: the caller looks them up.
    pub(super) fn take_doubt(&self) -> bool {
        self.in_doubt.swap(false, Ordering::SeqCst)
    }

    /// Takes the claims that must still be given back.
    pub(super) fn take_owed(&self) -> Vec<Fence> {
        std::mem::take(&mut *self.owed())
    }

    fn owed(&self) -> MutexGuard<'_, Vec<Fence>> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
