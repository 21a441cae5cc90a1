//! Defines the interface of verbs:
//! the code that implements a contract, and the context that a call receives.
//!
//! A verb receives only values if it is a [`PureVerb`], and also a transaction if it is
//! a [`WriteVerb`] or a [`WaitVerb`]. No verb receives a client for external services.
//! Messages are sent only through the outbox.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;

use crate::base::{CallId, Problem, RequestId, RunId, Timestamp, Value};
use crate::contract::{Contracts, Effect, Handler};
pub use crate::ledger::{DbWrite, Effects};
use crate::policy::Settings;
pub use crate::run::{WaitEnd, WaitSpec};
use crate::store::{MethodRef, Tx};
use crate::template::Templates;

/// The context of a call.
pub struct CallContext<'a> {
    /// Id of the tenant.
    pub tenant: &'a str,
    /// Time at which the step runs, which is also the time of the step's events.
    pub now: Timestamp,
    /// Run that makes the call.
    pub run: RunId,
    /// Id of the call, the same for all attempts and for all chunks (transactions) of a long call.
    pub call: CallId,
    /// Id of the step that makes the call.
    pub step_id: &'a str,
    /// Where to send an answer that arrives after the call has finished.
    pub answer_to: AnswerTarget<'a>,
    /// Request that the run works on, if any.
    pub request: Option<RequestId>,
    /// Number of the run's campaign on its request, from 1.
    pub campaign: i64,
    /// The step's `occasion`, which distinguishes the step's
    /// message from an earlier message with the same template.
    pub occasion: Option<&'a str>,
    /// Goal of the run.
    pub goal: &'a Value,
    /// Settings of the tenant.
    pub settings: &'a Settings,
    /// Templates that the run is pinned to.
    pub templates: &'a Templates,
    /// Checks whether a run could be started now.
    pub start_checker: &'a dyn StartChecker,
}

/// Where to send an answer that arrives after its call has finished: to a run, as a signal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerTarget<'a> {
    /// Run that the signal is sent to.
    pub run: RunId,
    /// Name of the signal.
    pub signal: Cow<'a, str>,
}

/// Checks whether a run could be started, without starting it.
#[async_trait]
pub trait StartChecker: Send + Sync {
    /// Checks that the tenant has the method and that the method accepts the goal.
    async fn check(&self, tx: &mut Tx, method: MethodRef<'_>, goal: &Value) -> Result<(), Problem>;
}

/// The result of invoking a verb once. A call that is divided into chunks invokes its verb once per chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct VerbOutcome {
    /// Result of the call.
    /// Ignored if the call is unfinished, because the cursor then contains the partial result.
    pub result: Value,
    /// Effects of this invocation.
    pub effects: Effects,
    /// Whether the call is finished.
    pub progress: Progress,
}

/// Whether a call is finished.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// The call is finished.
    Done,
    /// One chunk of the call is written. After the commit, the verb must be invoked again with this cursor.
    More(Value),
}

impl VerbOutcome {
    /// Creates the result of an invocation that finishes its call.
    #[must_use]
    pub fn done(result: Value, effects: Effects) -> Self {
        Self { result, effects, progress: Progress::Done }
    }

    /// Creates the result of an invocation that wrote one chunk of its call. After the commit, the verb
    /// is invoked again with `cursor`.
    #[must_use]
    pub fn more(cursor: Value, effects: Effects) -> Self {
        Self { result: Value::Null, effects, progress: Progress::More(cursor) }
    }
}

/// A verb that only computes. Calls of such verbs are committed in groups.
pub trait PureVerb: Send + Sync {
    /// Computes the result.
    fn run(&self, cx: &CallContext<'_>, args: &Value) -> Result<VerbOutcome, Problem>;
}

/// A verb that reads or writes the database, in the transaction that also writes its receipt.
#[async_trait]
pub trait WriteVerb: Send + Sync {
    /// Executes the call, or its next chunk, which begins at `cursor`. The run's request is already locked.
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem>;
}

/// A verb that waits for people.
#[async_trait]
pub trait WaitVerb: Send + Sync {
    /// Returns the replies that the call waits for. The run's request is already locked.
    async fn arm(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
    ) -> Result<WaitSpec, Problem>;

    /// Counts the people who have said yes, for comparison with the number that the wait needs.
    /// With a deadline in `before`, counts only answers that were received earlier than that deadline.
    async fn count(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        spec: &WaitSpec,
        before: Option<Timestamp>,
    ) -> Result<i64, Problem>;

    /// Ends the wait: returns the result of the call, and does the work that depends on how the wait ended.
    async fn finish(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        spec: &WaitSpec,
        end: WaitEnd,
    ) -> Result<VerbOutcome, Problem>;
}

/// The code of a verb.
#[derive(Clone)]
pub enum Verb {
    /// A verb that only computes.
    Pure(Arc<dyn PureVerb>),
    /// A verb that reads or writes the database.
    Write(Arc<dyn WriteVerb>),
    /// A verb that waits for people.
    Wait(Arc<dyn WaitVerb>),
}

impl Verb {
    /// Whether code of this kind can carry out calls with this effect.
    #[must_use]
    pub const fn fits(&self, effect: Effect) -> bool {
        match self {
            Self::Pure(_) => matches!(effect, Effect::Pure),
            Self::Write(_) => matches!(effect, Effect::Read | Effect::Write),
            Self::Wait(_) => matches!(effect, Effect::Wait),
        }
    }
}

/// All verbs, by name.
#[derive(Clone, Default)]
pub struct Verbs(BTreeMap<&'static str, Verb>);

impl Verbs {
    /// Creates an empty registry.
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

    /// Returns the code of the verb with this name; `None` if there is no such verb.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Verb> {
        self.0.get(name)
    }

    /// Checks that each contract whose calls code carries out has code of the right kind, and that all code
    /// has a contract.
    ///
    /// # Errors
    /// `handler_missing` and `contract_missing`, which name the first tool that is wrong.
    pub fn check(&self, contracts: &Contracts) -> Result<(), Problem> {
        for contract in contracts.iter().filter(|contract| contract.handler == Handler::Code) {
            let name = &contract.name;
            let what = match self.get(name) {
                None => "this program has no code for it".to_owned(),
                Some(code) if !code.fits(contract.effect) => {
                    format!("its code cannot have the effect `{:?}`", contract.effect)
                        .to_lowercase()
                }
                Some(_) => continue,
            };
            let place = contract.files().join(", ");
            let message = format!("the tool `{name}` ({place}) cannot be called: {what}");
            return Err(Problem::author("handler_missing", message).with_hint(
                "say with `handler:` what carries out its calls, or remove the contract",
            ));
        }
        match self.names().find(|name| contracts.get(name).is_none()) {
            None => Ok(()),
            Some(name) => {
                let message = format!("the code of `{name}` has no contract");
                Err(Problem::author("contract_missing", message)
                    .with_hint("add its contract to a file in `contracts/`"))
            }
        }
    }

    /// Returns the names of all verbs, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }
}
