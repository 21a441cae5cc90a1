//! The terms of fault injection: points and parts of a commit, faults, and permits to work on the database.

use std::fmt;

use futures_util::future::BoxFuture;

/// A point in the life of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommitPoint {
    /// Before COMMIT: all rows are written, but nothing is durable yet.
    Before,
    /// After COMMIT: all rows are durable, but no caller has its answer yet.
    After,
}

/// A kind of the engine's own rows that a commit may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitPart {
    /// The start of a run.
    Start,
    /// A step of a run.
    Step,
    /// Claims of due runs by a process.
    Claim,
    /// A signal to a run.
    Signal,
    /// A stored message from a person.
    Inbound,
    /// The application of a message from a person.
    Applied,
    /// Messages that are queued.
    Outbox,
    /// Messages that are released to the gateway.
    Release,
    /// Answers of the gateway about messages.
    Answer,
    /// Schedules that are set, moved or ended.
    Timer,
    /// A value of the table `meta`, such as the instant of a virtual clock.
    Note,
    /// The job that remains after a kill switch is turned, or its progress.
    Switch,
}

const PARTS: [(CommitPart, &str); 12] = [
    (CommitPart::Start, "start"),
    (CommitPart::Step, "step"),
    (CommitPart::Claim, "claim"),
    (CommitPart::Signal, "signal"),
    (CommitPart::Inbound, "inbound"),
    (CommitPart::Applied, "applied"),
    (CommitPart::Outbox, "outbox"),
    (CommitPart::Release, "release"),
    (CommitPart::Answer, "answer"),
    (CommitPart::Timer, "timer"),
    (CommitPart::Note, "note"),
    (CommitPart::Switch, "switch"),
];

/// The parts of one commit. Empty if the commit holds only rows of the domain or of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct CommitParts(u16);

impl CommitParts {
    /// Returns the set with this part added.
    #[must_use]
    pub fn with(self, part: CommitPart) -> Self {
        Self(self.0 | 1 << part as u16)
    }

    /// Whether this part is in the set.
    #[must_use]
    pub fn has(self, part: CommitPart) -> bool {
        self.0 & (1 << part as u16) != 0
    }
}

impl fmt::Display for CommitParts {
    /// Writes the parts as `step+outbox`, or `other` if there are none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = PARTS.iter().filter(|(part, _)| self.has(*part));
        let words: Vec<&str> = held.map(|(_, word)| *word).collect();
        f.write_str(if words.is_empty() { "other" } else { "" })?;
        f.write_str(&words.join("+"))
    }
}

/// The fault that a test injects at a commit point, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultAction {
    /// No fault: the commit continues.
    Go,
    /// The process crashes: its connections are dropped and every later call fails.
    Crash,
    /// The database refuses the commit, as after a conflict of two transactions: nothing is stored,
    /// and the whole transaction may be repeated. Only at [`CommitPoint::Before`].
    Refuse,
    /// The database's answer is lost, so the caller cannot know whether the commit was stored.
    /// At [`CommitPoint::Before`] it was not stored, at [`CommitPoint::After`] it was.
    Lose,
}

/// A kind of database work that needs a permit while a test decides the order of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkKind {
    /// A read. Its permit ends when the read has its answer.
    Read,
    /// A call that writes. On an embedded file, its permit ends when the job is in the writer's queue;
    /// on a server, when the call has its answer.
    Write,
    /// The writer of an embedded file takes the waiting jobs from its queue.
    Gather,
    /// The writer of an embedded file writes a batch and answers its callers.
    Batch,
    /// A statement on a server, or taking a connection from the pool.
    /// It keeps its permit while it waits for a lock or for a connection that others hold.
    Statement,
}

/// The permission to do one piece of database work. It ends when this value is dropped.
pub struct WorkPermit(#[expect(dead_code, reason = "dropping it ends the permit")] Box<dyn Send>);

impl WorkPermit {
    /// Creates a permit that drops `on_end` when it ends.
    pub fn new(on_end: impl Send + 'static) -> Self {
        Self(Box::new(on_end))
    }
}

impl fmt::Debug for WorkPermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WorkPermit")
    }
}

/// Decides the order of concurrent work on the database, and hears of refused rows.
pub trait StatementHooks: Send + Sync {
    /// Returns a future that waits for the permit for a piece of work; `None` if no order is imposed.
    fn permit(&self, _work: WorkKind) -> Option<BoxFuture<'static, WorkPermit>> {
        None
    }

    /// Reports a row that a uniqueness rule of the schema refused. Statements that may repeat a row use
    /// `ON CONFLICT`, so a refusal means that a rule of the engine was broken earlier.
    fn row_refused(&self, _why: &str) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_called_by_its_parts() {
        let step = CommitParts::default()
            .with(CommitPart::Outbox)
            .with(CommitPart::Step)
            .with(CommitPart::Step);
        assert_eq!(step.to_string(), "step+outbox");
        assert_eq!(CommitParts::default().to_string(), "other");
        assert_eq!(CommitParts::default().with(CommitPart::Note).to_string(), "note");
    }
}
