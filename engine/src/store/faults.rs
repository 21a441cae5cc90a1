//! Where a test may crash the process or have the database fail: right before and right after each commit.
//! And where it may decide what comes first: before each piece of work on the database.

use std::fmt;

use futures_util::future::{BoxFuture, ready};

use super::tx::Tx;

/// A place in the life of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommitPoint {
    /// Everything is written, nothing is durable yet.
    Before,
    /// Everything is durable, nobody has been told.
    After,
}

/// What a commit may hold of the engine's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A run begins.
    Start,
    /// A run's step is done.
    Step,
    /// A process takes due runs for its own.
    Claim,
    /// A run is told something from outside.
    Signal,
    /// A message from a person is stored.
    Inbound,
    /// What it meant is applied.
    Applied,
    /// Messages are decided.
    Outbox,
    /// Messages are let go.
    Release,
    /// What the gateway said of messages is noted.
    Answer,
    /// What falls due by itself is set, or has fallen due.
    Timer,
    /// A note of the engine's own: the instant of a virtual clock.
    Note,
    /// A kill switch is turned, or what it left to do goes on.
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

/// The parts of one commit; none where it holds rows of the domain or of an order alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Holding(u16);

impl Holding {
    /// The same with one more part.
    #[must_use]
    pub fn with(self, part: Part) -> Self {
        Self(self.0 | 1 << part as u16)
    }

    /// True where this part is among them.
    #[must_use]
    pub fn has(self, part: Part) -> bool {
        self.0 & (1 << part as u16) != 0
    }
}

impl fmt::Display for Holding {
    /// `step+outbox`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = PARTS.iter().filter(|(part, _)| self.has(*part));
        let words: Vec<&str> = held.map(|(_, word)| *word).collect();
        f.write_str(if words.is_empty() { "other" } else { "" })?;
        f.write_str(&words.join("+"))
    }
}

/// What happens there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing special.
    Go,
    /// The process dies: its connections are dropped, every later call fails.
    Crash,
    /// The database refuses the commit, as after a clash of two transactions: nothing of it is kept and
    /// all of it may be tried again. Only before a commit.
    Refuse,
    /// The database's answer is lost: nobody knows whether the commit was kept. Before it, it was not;
    /// after it, it was.
    Lose,
}

/// A piece of work on the database that waits for its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// A reading, until it has its answer.
    Read,
    /// A call that writes. On an embedded file its turn is over when the writer has it in its queue, on a
    /// server when it is answered.
    Write,
    /// The writer of an embedded file takes what has gathered in its queue.
    Gather,
    /// The writer of an embedded file writes a batch, and answers it.
    Batch,
    /// A statement on a server, or a connection for some, until it is there. What waits for a lock, or for a
    /// connection that others have, keeps its turn meanwhile.
    Statement,
}

/// Somebody's turn; it is over when this is dropped.
pub struct Turn(#[expect(dead_code, reason = "it tells by being dropped")] Box<dyn Send>);

impl Turn {
    /// A turn whose end drops `told`.
    pub fn new(told: impl Send + 'static) -> Self {
        Self(Box::new(told))
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Turn")
    }
}

/// Decides over crashes, and over the order of what goes on side by side. Production has none.
pub trait Faults: Send + Sync {
    /// Waits for the turn of a piece of work; none where nobody decides over the order.
    fn turn(&self, _work: Work) -> Option<BoxFuture<'static, Turn>> {
        None
    }

    /// Asked at every commit, in order.
    fn at_commit(&self, point: CommitPoint, holding: Holding) -> Verdict;

    /// Told of a row that a uniqueness rule of the schema refused. Whatever may be written twice says so in its
    /// statement; so this is a rule of ours that was broken before.
    fn refused(&self, _why: &str) {}

    /// Looks at what is about to be committed, inside its transaction. It must only read.
    fn inspect<'a>(&'a self, _tx: &'a mut Tx) -> BoxFuture<'a, ()> {
        Box::pin(ready(()))
    }
}

/// No faults.
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
