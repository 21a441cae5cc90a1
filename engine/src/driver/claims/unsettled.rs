//! Claims that this process has, or may have, and does not work on. While it lives nobody else could ever
//! take them: they are to be given back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::base::RunId;

/// The claims that are to be settled.
#[derive(Default)]
pub(super) struct Unsettled {
    /// With their epochs.
    owed: Mutex<Vec<(RunId, i64)>>,
    in_doubt: AtomicBool,
}

impl Unsettled {
    /// A claim could not be given back: the database was away.
    pub(super) fn owe(&self, claim: (RunId, i64)) {
        self.owed().push(claim);
    }

    /// Nobody knows what a claim has taken: no answer came to its commit.
    pub(super) fn doubt(&self) {
        self.in_doubt.store(true, Ordering::SeqCst);
    }

    /// True where there is anything to settle.
    pub(super) fn any(&self) -> bool {
        self.in_doubt.load(Ordering::SeqCst) || !self.owed().is_empty()
    }

    /// True where it is to be looked up what claims have taken; from now on that is known.
    pub(super) fn take_doubt(&self) -> bool {
        self.in_doubt.swap(false, Ordering::SeqCst)
    }

    /// The claims that are still to be given back.
    pub(super) fn take_owed(&self) -> Vec<(RunId, i64)> {
        std::mem::take(&mut *self.owed())
    }

    fn owed(&self) -> MutexGuard<'_, Vec<(RunId, i64)>> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
