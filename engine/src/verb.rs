//! What a verb is: code behind a contract, and what the driver tells it about its call.
//!
//! By type a verb gets either nothing but values ([`PureVerb`]) or a transaction ([`WriteVerb`],
//! [`WaitVerb`]); none gets a client of the world. Texts leave through the outbox alone.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;

use crate::base::{CallId, Problem, RequestId, RunId, Timestamp, Value};
pub use crate::ledger::{DbWrite, Effects};
use crate::policy::Settings;
pub use crate::run::{WaitEnd, WaitSpec};
use crate::store::Tx;
use crate::template::Templates;

/// What the driver tells a verb about its call.
pub struct CallContext<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// The step's time.
    pub now: Timestamp,
    /// The run.
    pub run: RunId,
    /// This call; the same over all attempts and chunks.
    pub call: CallId,
    /// The step's id in its method.
    pub step_id: &'a str,
    /// The run, and the name of the message, by which an answer that comes later reaches it.
    pub answer_to: (RunId, Cow<'a, str>),
    /// The request that the run works on.
    pub request: Option<RequestId>,
    /// The number of the run's campaign on its request, from 1.
    pub campaign: i64,
    /// What the author wrote to tell this message from an earlier one of the same template.
    pub occasion: Option<&'a str>,
    /// The run's goal.
    pub goal: &'a Value,
    /// The tenant's settings.
    pub settings: &'a Settings,
    /// The templates that the run is pinned to.
    pub templates: &'a Templates,
    /// What a start would meet, as things are today.
    pub starts: &'a dyn Starts,
}

/// Judges starts without starting anything.
#[async_trait]
pub trait Starts: Send + Sync {
    /// Whether a tenant has such a method, and the goal is one that it takes.
    async fn check(&self, tx: &mut Tx, tenant: &str, start: (&str, &Value)) -> Result<(), Problem>;
}

/// What one invocation of a verb gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The result; of an unfinished call the part so far is in the cursor and this is ignored.
    pub result: Value,
    /// What it did.
    pub effects: Effects,
    /// Whether the call is done.
    pub progress: Progress,
}

/// Whether a call is done.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// It is.
    Done,
    /// This chunk is written; call again with this cursor after the commit.
    More(Value),
}

impl Outcome {
    /// A finished call.
    #[must_use]
    pub fn done(result: Value, effects: Effects) -> Self {
        Self { result, effects, progress: Progress::Done }
    }

    /// A call that goes on after the commit.
    #[must_use]
    pub fn more(cursor: Value, effects: Effects) -> Self {
        Self { result: Value::Null, effects, progress: Progress::More(cursor) }
    }
}

/// A verb that only computes: its calls are committed in groups.
pub trait PureVerb: Send + Sync {
    /// Computes the result.
    fn run(&self, cx: &CallContext<'_>, args: &Value) -> Result<Outcome, Problem>;
}

/// A verb that reads or writes the database, in the very transaction of its receipt.
#[async_trait]
pub trait WriteVerb: Send + Sync {
    /// Does the call, or its next chunk. The run's request is locked already.
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        cursor: Option<&Value>,
    ) -> Result<Outcome, Problem>;
}

/// A verb that waits for people.
#[async_trait]
pub trait WaitVerb: Send + Sync {
    /// Says what is waited for. The run's request is locked already.
    async fn arm(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
    ) -> Result<WaitSpec, Problem>;

    /// How many count now; at a deadline only those whose answer was received before it.
    async fn have(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        spec: &WaitSpec,
        before: Option<Timestamp>,
    ) -> Result<i64, Problem>;

    /// Ends the wait: gives the result and does what an end of this kind asks for.
    async fn finish(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        spec: &WaitSpec,
        end: WaitEnd,
    ) -> Result<Outcome, Problem>;
}

/// A verb's code.
#[derive(Clone)]
pub enum Verb {
    /// Computes.
    Pure(Arc<dyn PureVerb>),
    /// Reads or writes the database.
    Write(Arc<dyn WriteVerb>),
    /// Waits for people.
    Wait(Arc<dyn WaitVerb>),
}

/// All verbs by name.
#[derive(Clone, Default)]
pub struct Verbs(BTreeMap<&'static str, Verb>);

impl Verbs {
    /// No verbs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a verb under the name of its contract.
    #[must_use]
    pub fn with(mut self, name: &'static str, verb: Verb) -> Self {
        self.0.insert(name, verb);
        self
    }

    /// The code of a verb.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Verb> {
        self.0.get(name)
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }
}
