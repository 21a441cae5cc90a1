//! Defines the points at which a crash can happen, and the crashes that are scheduled.

use std::fmt;

use abide_engine::base::Span;
use abide_engine::store::CommitPoint;

/// A crash just before or just after a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommitCrash {
    /// The number of the commit, counted from 1 in the order in which commits begin.
    pub nth: u64,
    /// Whether the process is killed before or after the commit.
    pub side: CommitPoint,
}

impl CommitCrash {
    /// Returns `before` or `after`.
    #[must_use]
    pub fn side_word(self) -> &'static str {
        match self.side {
            CommitPoint::Before => "before",
            CommitPoint::After => "after",
        }
    }
}

impl fmt::Display for CommitCrash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} commit {}", self.side_word(), self.nth)
    }
}

/// A point at which a process can crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CrashSite {
    Commit(CommitPoint),
    /// Before or after the n-th commit that begins, for the number n in [`ScheduledCrash::left`].
    /// A commit that another crash interrupted counts, too.
    Begun(CommitPoint),
    /// After the provider has accepted a message, and before the process gets the answer.
    Send,
}

impl CrashSite {
    /// A scheduled crash at the site `self` counts points until it is due.
    /// Returns whether it counts the point `reached`.
    pub(super) fn counts_at(self, reached: Self) -> bool {
        match self {
            Self::Begun(_) => reached == Self::Commit(CommitPoint::Before),
            _ => self == reached,
        }
    }

    /// A scheduled crash at the site `self` is due when it has counted all its points.
    /// Returns whether it then happens at the point `reached`; if not, it waits for a later point.
    pub(super) fn happens_at(self, reached: Self) -> bool {
        match self {
            Self::Begun(side) => reached == Self::Commit(side),
            _ => true,
        }
    }
}

/// A scheduled crash. From now on, points that match `site` are
/// counted, and the process crashes at the `left`-th of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScheduledCrash {
    pub(super) site: CrashSite,
    pub(super) left: u64,
    /// The time after the crash during which no process runs.
    pub(super) down: Span,
}

impl From<CommitCrash> for ScheduledCrash {
    fn from(CommitCrash { nth, side }: CommitCrash) -> Self {
        Self { site: CrashSite::Begun(side), left: nth.max(1), down: Span::ZERO }
    }
}
