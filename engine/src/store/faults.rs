//! Where a test may crash the process: right before and right after each commit.

/// A place in the life of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitPoint {
    /// Everything is written, nothing is durable yet.
    Before,
    /// Everything is durable, nobody has been told.
    After,
}

/// What happens there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing special.
    Go,
    /// The process dies: its connections are dropped, every later call fails.
    Crash,
}

/// Decides over crashes. Production has none.
pub trait Faults: Send + Sync {
    /// Asked at every commit, in order.
    fn at_commit(&self, point: CommitPoint) -> Verdict;
}

/// No faults.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoFaults;

impl Faults for NoFaults {
    fn at_commit(&self, _point: CommitPoint) -> Verdict {
        Verdict::Go
    }
}
