//! Remembers the runs that this process has claimed, or may have claimed, but does not work on. These
//! claims must be given back, because no other process can claim the runs while this process lives.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::Fence;

/// The claims to give back, and whether there may be more claims that only the database knows.
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

    /// Records that the commit of a claim was not confirmed, so it is unknown which runs were claimed.
    pub(super) fn doubt(&self) {
        self.in_doubt.store(true, Ordering::SeqCst);
    }

    /// Whether this process has a claim that it must give back, or may have a claim that only the
    /// database knows and that this process must look up.
    pub(super) fn any(&self) -> bool {
        self.in_doubt.load(Ordering::SeqCst) || !self.owed().is_empty()
    }

    /// Returns true if the commit of a claim was not confirmed since the last call of this function. If
    /// so, the database may contain claims of this process that the process does not know, and the caller
    /// must look them up.
    pub(super) fn take_doubt(&self) -> bool {
        self.in_doubt.swap(false, Ordering::SeqCst)
    }

    /// Returns all claims that must be given back, and forgets them.
    pub(super) fn take_owed(&self) -> Vec<Fence> {
        std::mem::take(&mut *self.owed())
    }

    fn owed(&self) -> MutexGuard<'_, Vec<Fence>> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
