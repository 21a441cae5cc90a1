//! Claims that this process owns, or may own, but does not work on. They must be given back,
//! because no other process can take these runs while this process lives.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::Fence;

/// Claims that must be given back, or first looked up in the database.
#[derive(Default)]
pub(super) struct Unsettled {
    /// The claims to give back.
    owed: Mutex<Vec<Fence>>,
    in_doubt: AtomicBool,
}

impl Unsettled {
    /// Records a claim that could not be given back because the database was unavailable.
    pub(super) fn owe(&self, claim: Fence) {
        self.owed().push(claim);
    }

    /// Records that the commit of a claim was not confirmed, so it is unknown which runs the claim took.
    pub(super) fn doubt(&self) {
        self.in_doubt.store(true, Ordering::SeqCst);
    }

    /// Whether any claim is owed or in doubt.
    pub(super) fn any(&self) -> bool {
        self.in_doubt.load(Ordering::SeqCst) || !self.owed().is_empty()
    }

    /// Returns whether claims are in doubt, and clears that mark: the caller looks them up.
    pub(super) fn take_doubt(&self) -> bool {
        self.in_doubt.swap(false, Ordering::SeqCst)
    }

    /// Takes all claims that must be given back.
    pub(super) fn take_owed(&self) -> Vec<Fence> {
        std::mem::take(&mut *self.owed())
    }

    fn owed(&self) -> MutexGuard<'_, Vec<Fence>> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
