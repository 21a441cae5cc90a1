//! Crashes: where one can happen, and how it is scheduled.

use std::fmt;

use abide_engine::base::Span;
use abide_engine::store::CommitPoint;

/// A crash at one side of one commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommitCrash {
    /// The commit, counted from 1 as commits begin.
    pub nth: u64,
    /// Whether the process is killed before or after it.
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
    /// Before or after a commit, counted as commits begin; commits that another crash cut off count too.
    Begun(CommitPoint),
    /// The provider has accepted a message.
    Send,
}

impl CrashSite {
    /// Whether reaching the point `reached` counts towards a crash at this point.
    pub(super) fn counts_at(self, reached: Self) -> bool {
        match self {
            Self::Begun(_) => reached == Self::Commit(CommitPoint::Before),
            _ => self == reached,
        }
    }

    /// Whether a crash at this point that is due can happen at the point `reached`.
    pub(super) fn happens_at(self, reached: Self) -> bool {
        match self {
            Self::Begun(side) => reached == Self::Commit(side),
            _ => true,
        }
    }
}

/// A scheduled crash, at the `left`-th such point from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScheduledCrash {
    pub(super) site: CrashSite,
    pub(super) left: u64,
    /// How long no process runs after it.
    pub(super) down: Span,
}

impl From<CommitCrash> for ScheduledCrash {
    fn from(CommitCrash { nth, side }: CommitCrash) -> Self {
        Self { site: CrashSite::Begun(side), left: nth.max(1), down: Span::ZERO }
    }
}
