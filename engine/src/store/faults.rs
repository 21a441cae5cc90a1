//! Defines the types with which a test injects faults into
//! commits and decides the sequence of database work.

use std::fmt;

use futures_util::future::BoxFuture;

use super::dialect::Dialect;

/// A point at which a test can inject a fault into a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommitPoint {
    /// Before COMMIT: all rows are written, but nothing is durable yet.
    Before,
    /// After COMMIT: all rows are durable, but no caller knows it yet.
    After,
}

/// A kind of the engine's own rows that a commit can contain.
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
    /// The effects of a message from a person, when the message is applied.
    Applied,
    /// Messages that are added to the outbox.
    Outbox,
    /// Messages that are released to the gateway.
    Release,
    /// Answers of the gateway about messages.
    Answer,
    /// Schedules that are set, moved or ended.
    Timer,
    /// A value of the table `meta`, such as the instant of a virtual clock.
    Note,
    /// The job that carries out a change of a kill switch, or the job's progress.
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

/// The kinds of engine rows in one commit; empty if the commit contains only rows of the domain
/// or of an upgrade order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct CommitParts(u16);

impl CommitParts {
    /// Returns the set with `part` added.
    #[must_use]
    pub fn with(self, part: CommitPart) -> Self {
        Self(self.0 | 1 << part as u16)
    }

    /// Whether `part` is in the set.
    #[must_use]
    pub fn has(self, part: CommitPart) -> bool {
        self.0 & (1 << part as u16) != 0
    }
}

impl fmt::Display for CommitParts {
    /// Writes the set in the form `step+outbox`, or `other` if the set is empty.
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
    /// The process crashes: its connections are dropped, and from then on every use of the store fails.
    Crash,
    /// The database rejects the commit, as after a conflict of two transactions: nothing is stored,
    /// and the caller may repeat the whole transaction. Possible only at [`CommitPoint::Before`].
    Refuse,
    /// The database's response to COMMIT is lost, so the caller cannot know whether the commit was stored.
    /// At [`CommitPoint::Before`], the commit was not stored; at [`CommitPoint::After`], it was.
    Lose,
}

/// A kind of database work that needs a permit while a test decides the sequence of such work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkKind {
    /// A read transaction. Its permit ends when the read has its result.
    Read,
    /// A write transaction. On an embedded database, its permit ends when the job is in the writer's queue;
    /// on a database server, when the caller has the result.
    Write,
    /// The writer of an embedded database takes the waiting jobs from its queue.
    Gather,
    /// The writer of an embedded database writes a batch and answers its callers.
    Batch,
    /// A statement that is sent to a database server, or a request to the pool for a connection.
    /// The permit does not end while the statement waits for a lock or the caller waits for a connection.
    Statement,
}

/// The permission to do some database work. The permit ends when this value is dropped.
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

/// The hooks of a test for single statements: they decide the sequence of concurrent database work
/// and are notified of rows that violate a uniqueness rule.
pub trait StatementHooks: Send + Sync {
    /// Returns a future that waits for the permit to do some database work;
    /// `None` if the work may begin at once.
    fn permit(&self, _work: WorkKind) -> Option<BoxFuture<'static, WorkPermit>> {
        None
    }

    /// Called with each statement that reads or writes rows, in the words of the database, before it is sent. A test can
    /// look at the plan of each.
    fn statement(&self, _dialect: Dialect, _sql: &str) {}

    /// Called for a row that violates a uniqueness rule of the schema. If the row of a statement may
    /// exist already, the statement uses `ON CONFLICT`. So a violation means that an earlier statement
    /// broke a rule of the engine.
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
