//! Fault injection: a test may crash the process, or make the database fail, right before and right after
//! each commit. It may also decide the order of work on the database.

use std::fmt;

use futures_util::future::{BoxFuture, ready};

use super::tx::Tx;

/// A point in the life of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommitPoint {
    /// Everything is written, nothing is durable yet.
    Before,
    /// Everything is durable, no caller has been told.
    After,
}

/// A kind of the engine's own rows that a commit may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
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
    /// What the gateway answered about messages.
    Answer,
    /// Schedules that are set, moved or ended.
    Timer,
    /// A value of the table `meta`, such as the instant of a virtual clock.
    Note,
    /// A job that a turned kill switch leaves, or its progress.
    Switch,
}

const PARTS: [(Part, &str); 12] = [
    (Part::Start, "start"),
    (Part::Step, "step"),
    (Part::Claim, "claim"),
    (Part::Signal, "signal"),
    (Part::Inbound, "inbound"),
    (Part::Applied, "applied"),
    (Part::Outbox, "outbox"),
    (Part::Release, "release"),
    (Part::Answer, "answer"),
    (Part::Timer, "timer"),
    (Part::Note, "note"),
    (Part::Switch, "switch"),
];

/// The parts of one commit; none if it holds only rows of the domain or of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Holding(u16);

impl Holding {
    /// Returns the set with this part added.
    #[must_use]
    pub fn with(self, part: Part) -> Self {
        Self(self.0 | 1 << part as u16)
    }

    /// Whether this part is in the set.
    #[must_use]
    pub fn has(self, part: Part) -> bool {
        self.0 & (1 << part as u16) != 0
    }
}

impl fmt::Display for Holding {
    /// Writes the parts as `step+outbox`, or `other` if there are none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = PARTS.iter().filter(|(part, _)| self.has(*part));
        let words: Vec<&str> = held.map(|(_, word)| *word).collect();
        f.write_str(if words.is_empty() { "other" } else { "" })?;
        f.write_str(&words.join("+"))
    }
}

/// What happens at a commit point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing: the commit goes on.
    Go,
    /// The process dies: its connections are dropped and every later call fails.
    Crash,
    /// The database refuses the commit, as after a conflict of two transactions: nothing of it is kept and
    /// all of it may be repeated. Only at [`CommitPoint::Before`].
    Refuse,
    /// The database's answer is lost, so the caller cannot know whether the commit was kept. At
    /// [`CommitPoint::Before`] it was not, at [`CommitPoint::After`] it was.
    Lose,
}

/// A piece of work on the database that waits for its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// A read, until it has its answer.
    Read,
    /// A call that writes. On an embedded file its turn ends when the job is in the writer's queue, on a
    /// server when the call is answered.
    Write,
    /// The writer of an embedded file takes the jobs that have gathered in its queue.
    Gather,
    /// The writer of an embedded file writes a batch and answers it.
    Batch,
    /// A statement on a server, or a connection to take from the pool, until it is done. It keeps its turn
    /// while it waits for a lock or for a connection that others hold.
    Statement,
}

/// A turn to work on the database. It ends when this value is dropped.
pub struct Turn(#[expect(dead_code, reason = "dropping it ends the turn")] Box<dyn Send>);

impl Turn {
    /// Creates a turn that drops `told` when it ends.
    pub fn new(told: impl Send + 'static) -> Self {
        Self(Box::new(told))
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Turn")
    }
}

/// Decides about crashes, and about the order of concurrent work. Production uses [`NoFaults`].
pub trait Faults: Send + Sync {
    /// Returns a future that waits for the turn of a piece of work; `None` if no order is imposed.
    fn turn(&self, _work: Work) -> Option<BoxFuture<'static, Turn>> {
        None
    }

    /// Decides what happens at a commit point. It is called at every commit, in order.
    fn at_commit(&self, point: CommitPoint, holding: Holding) -> Verdict;

    /// Reports a row that a uniqueness rule of the schema refused. Statements that may write a row twice
    /// say so, so a refusal means that a rule of the engine was broken before.
    fn refused(&self, _why: &str) {}

    /// Inspects what is about to be committed, inside its transaction. It must only read.
    fn inspect<'a>(&'a self, _tx: &'a mut Tx) -> BoxFuture<'a, ()> {
        Box::pin(ready(()))
    }
}

/// No faults: every commit goes on, in any order.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoFaults;

impl Faults for NoFaults {
    fn at_commit(&self, _point: CommitPoint, _holding: Holding) -> Verdict {
        Verdict::Go
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_called_by_its_parts() {
        let step = Holding::default().with(Part::Outbox).with(Part::Step).with(Part::Step);
        assert_eq!(step.to_string(), "step+outbox");
        assert_eq!(Holding::default().to_string(), "other");
        assert_eq!(Holding::default().with(Part::Note).to_string(), "note");
    }
}
