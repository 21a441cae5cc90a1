//! A fault at one commit of a test. The test chooses the commit.

use std::sync::{Mutex, MutexGuard, PoisonError};

use abide_engine::store::{CommitParts, CommitPoint, FaultAction, FaultHooks, StatementHooks};

/// A fault that happens once: before or after the n-th commit since the fault was armed.
pub(crate) struct FaultAtCommit {
    verdict: FaultAction,
    armed: Mutex<Option<(CommitPoint, u32)>>,
}

impl FaultAtCommit {
    /// Builds a fault that is not armed yet.
    pub(crate) const fn new(verdict: FaultAction) -> Self {
        Self { verdict, armed: Mutex::new(None) }
    }

    /// Arms the fault. The fault then happens at the `nth` commit that follows this call, counted from 1:
    /// before or after that commit, as `point` says.
    pub(crate) fn arm(&self, point: CommitPoint, nth: u32) {
        *self.armed() = Some((point, nth));
    }

    /// Takes the fault back, if it has not happened yet.
    pub(crate) fn disarm(&self) {
        *self.armed() = None;
    }

    /// Whether the fault is armed and has not happened yet.
    pub(crate) fn is_armed(&self) -> bool {
        self.armed().is_some()
    }

    fn armed(&self) -> MutexGuard<'_, Option<(CommitPoint, u32)>> {
        self.armed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StatementHooks for FaultAtCommit {}

impl FaultHooks for FaultAtCommit {
    fn at_commit(&self, point: CommitPoint, _: CommitParts) -> FaultAction {
        let mut armed = self.armed();
        match armed.as_mut() {
            Some((side, 1)) if *side == point => {
                *armed = None;
                self.verdict
            }
            Some((side, left)) if *side == point => {
                *left -= 1;
                FaultAction::Go
            }
            _ => FaultAction::Go,
        }
    }
}
