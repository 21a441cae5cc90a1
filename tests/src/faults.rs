//! Something that happens at one commit of a story.

use std::sync::atomic::{AtomicI32, Ordering};

use abide_engine::store::{CommitPoint, Faults, Holding, Verdict};

/// Gives its verdict at the nth commit from when it is armed, on one side of it.
pub(crate) struct AtCommit {
    point: CommitPoint,
    verdict: Verdict,
    left: AtomicI32,
}

impl AtCommit {
    /// Not armed yet.
    pub(crate) const fn new(point: CommitPoint, verdict: Verdict) -> Self {
        Self { point, verdict, left: AtomicI32::new(0) }
    }

    /// The `nth` commit from now on, counted from 1.
    pub(crate) fn arm(&self, nth: i32) {
        self.left.store(nth, Ordering::SeqCst);
    }

    /// True while that commit has not come.
    pub(crate) fn is_armed(&self) -> bool {
        self.left.load(Ordering::SeqCst) > 0
    }
}

impl Faults for AtCommit {
    fn at_commit(&self, point: CommitPoint, _: Holding) -> Verdict {
        match point == self.point && self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            true => self.verdict,
            false => Verdict::Go,
        }
    }
}
