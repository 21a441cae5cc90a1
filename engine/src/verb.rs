//! Defines the interface of verbs:
//! the code that implements a contract, and the context that a call receives.
//!
//! A verb receives only values if it is a [`PureVerb`], and also a transaction if it is a [`WriteVerb`],
//! an [`ExternalVerb`] or a [`WaitVerb`]. No verb receives a client for outside systems: an external verb
//! says what an adapter must do.
//! Messages are sent only through the outbox.
//! One [`DataHandler`] carries out the calls of all data-driven tools, as their contracts say.

mod external;
mod remote;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;

pub use self::external::{ExternalRequest, ExternalVerb, Prepared};
pub use self::remote::{REMOTE, RemoteRequest};
use crate::base::{CallId, Digest, Problem, RequestId, RunId, Timestamp, Value};
use crate::contract::{Contract, Contracts, Effect, Handler, Risk};
pub use crate::ledger::{DbWrite, Effects};
use crate::policy::{GateRule, Settings};
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
    /// Contract of the tool, to which the run is pinned.
    pub contract: &'a Contract,
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
    /// Whether a person has approved the call.
    pub approved: bool,
    /// Whether a person has consented to the calls of risk T2 of the run.
    pub consented: bool,
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
    /// Checks that the tenant has the method and that the method accepts the goal. Returns the digest of the
    /// version that would start.
    async fn check(
        &self,
        tx: &mut Tx,
        method: MethodRef<'_>,
        goal: &Value,
    ) -> Result<Digest, Problem>;
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

/// What a call would do, if it needs an approval to do it.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The rule that needs the approval.
    pub rule: GateRule,
    /// Why the call needs an approval, in words.
    pub reason: String,
    /// The risk of the call, as the gate judged it.
    pub risk: Risk,
    /// The arguments that are approved. The call is carried out with them alone, whatever has changed since.
    pub args: Value,
    /// What the call would do, for the person who decides: `{what, recipients?, text?, segments?}`.
    pub shows: Value,
}

/// A verb that reads or writes the database, in the transaction that also writes its receipt.
#[async_trait]
pub trait WriteVerb: Send + Sync {
    /// Says what a call would do, if the call needs an approval; `None` if it needs none. Writes nothing. The
    /// default needs none.
    async fn proposal(
        &self,
        _tx: &mut Tx,
        _cx: &CallContext<'_>,
        _args: &Value,
    ) -> Result<Option<Proposal>, Problem> {
        Ok(None)
    }

    /// Whether the call can reach nobody, such as a text to a phone that has opted out. Then nobody is asked about
    /// it, and the call only records that it was made. Writes nothing. By default, every call can reach somebody.
    async fn reaches_nobody(
        &self,
        _tx: &mut Tx,
        _cx: &CallContext<'_>,
        _args: &Value,
    ) -> Result<bool, Problem> {
        Ok(false)
    }

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

    /// Counts the people who have said yes, for comparison with the number that the wait needs. First adjusts the wait
    /// to what has changed since it began, such as a number of people that staff have raised.
    /// With a deadline in `before`, counts only answers that were received earlier than that deadline.
    async fn count(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        spec: &mut WaitSpec,
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

/// A row that breaks a rule of its table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenRow {
    /// Name of the rule.
    pub rule: &'static str,
    /// Id of the row.
    pub id: String,
}

/// Carries out the calls of all data-driven tools. The contract of the call says what to do to which table.
#[async_trait]
pub trait DataHandler: WriteVerb {
    /// Checks the contract of a data-driven tool against the tables. The error says what is wrong.
    fn check(&self, contract: &Contract) -> Result<(), String>;

    /// Returns the rows that break a rule of their tables. The default returns none.
    async fn audit(&self, _tx: &mut Tx) -> Result<Vec<BrokenRow>, Problem> {
        Ok(Vec::new())
    }
}

/// The code of a verb.
#[derive(Clone)]
pub enum Verb {
    /// A verb that only computes.
    Pure(Arc<dyn PureVerb>),
    /// A verb that reads or writes the database.
    Write(Arc<dyn WriteVerb>),
    /// A verb that acts outside the database, through an adapter.
    External(Arc<dyn ExternalVerb>),
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
            Self::External(_) => matches!(effect, Effect::External),
            Self::Wait(_) => matches!(effect, Effect::Wait),
        }
    }
}

/// All verbs, by name, and what carries out the calls of data-driven tools.
#[derive(Clone, Default)]
pub struct Verbs {
    by_name: BTreeMap<&'static str, Verb>,
    data: Option<Arc<dyn DataHandler>>,
}

impl Verbs {
    /// Creates an empty registry.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a verb under the name of its contract.
    #[must_use]
    pub fn with(mut self, name: &'static str, verb: Verb) -> Self {
        self.by_name.insert(name, verb);
        self
    }

    /// Adds all verbs of another registry, and what carries out its calls of data-driven tools, if anything
    /// does.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        self.by_name.extend(other.by_name);
        self.data = other.data.or(self.data);
        self
    }

    /// Sets what carries out the calls of data-driven tools.
    #[must_use]
    pub fn with_data(mut self, handler: Arc<dyn DataHandler>) -> Self {
        self.data = Some(handler);
        self
    }

    /// Returns the code of the verb with this name; `None` if there is no such verb.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Verb> {
        self.by_name.get(name)
    }

    /// Returns what carries out the calls of a contract: the code of that name, or the handler of
    /// data-driven tools. Returns `None` if nothing does.
    #[must_use]
    pub fn of(&self, contract: &Contract) -> Option<Verb> {
        match &contract.handler {
            Handler::Code => self.get(&contract.name).cloned(),
            Handler::Data(_) => self.data.clone().map(|handler| Verb::Write(handler)),
            Handler::Remote(_) => Some(Verb::External(Arc::new(remote::Remote))),
            Handler::NotConfigured(_) => None,
        }
    }

    /// Returns the rows that break a rule of the tables of the data-driven tools.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn audit(&self, tx: &mut Tx) -> Result<Vec<BrokenRow>, Problem> {
        match &self.data {
            Some(handler) => handler.audit(tx).await,
            None => Ok(Vec::new()),
        }
    }

    /// Whether this program can carry out the calls of a contract to which a run is pinned.
    /// A call of a tool that is not configured needs no code: it ends at once.
    pub(crate) fn can_call(&self, contract: &Contract) -> bool {
        match &contract.handler {
            Handler::Code => self.get(&contract.name).is_some(),
            Handler::Data(_) => {
                self.data.as_ref().is_some_and(|handler| handler.check(contract).is_ok())
            }
            Handler::Remote(_) | Handler::NotConfigured(_) => true,
        }
    }

    /// Checks that each contract whose calls code carries out has code of the right kind, that each
    /// data-driven tool has a handler that knows its table and columns, and that all code has a contract.
    ///
    /// # Errors
    /// `handler_missing` and `contract_missing`, which name the first tool that is wrong.
    pub fn check(&self, contracts: &Contracts) -> Result<(), Problem> {
        contracts.iter().try_for_each(|contract| self.check_handler(contract))?;
        match self.names().find(|name| contracts.get(name).is_none()) {
            None => Ok(()),
            Some(name) => {
                let message = format!("the code of `{name}` has no contract");
                Err(Problem::author("contract_missing", message)
                    .with_hint("add its contract to a file in `contracts/`"))
            }
        }
    }

    /// Checks that what the contract names as its handler exists and fits the contract.
    fn check_handler(&self, contract: &Contract) -> Result<(), Problem> {
        let what = match (&contract.handler, self.get(&contract.name), &self.data) {
            (Handler::Remote(_) | Handler::NotConfigured(_), ..) => return Ok(()),
            (Handler::Code, None, _) => "this program has no code for it".to_owned(),
            (Handler::Code, Some(code), _) if code.fits(contract.effect) => return Ok(()),
            (Handler::Code, Some(_), _) => {
                format!("its code cannot have the effect `{:?}`", contract.effect).to_lowercase()
            }
            (Handler::Data(_), _, None) => "this program has no tables for it".to_owned(),
            (Handler::Data(_), _, Some(handler)) => match handler.check(contract) {
                Ok(()) => return Ok(()),
                Err(what) => what,
            },
        };
        let hint = match contract.handler {
            Handler::Data(_) => "correct the member `data` of the contract, or remove the contract",
            _ => "say with `handler:` what carries out its calls, or remove the contract",
        };
        let (name, place) = (&contract.name, contract.files().join(", "));
        let message = format!("the tool `{name}` ({place}) cannot be called: {what}");
        Err(Problem::author("handler_missing", message).with_hint(hint))
    }

    /// Returns the names of all verbs, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.by_name.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Knows one table, `leads`.
    struct Leads;

    #[async_trait]
    impl WriteVerb for Leads {
        async fn run(
            &self,
            _tx: &mut Tx,
            _cx: &CallContext<'_>,
            _args: &Value,
            _cursor: Option<&Value>,
        ) -> Result<VerbOutcome, Problem> {
            Ok(VerbOutcome::done(Value::Null, Effects::default()))
        }
    }

    #[async_trait]
    impl DataHandler for Leads {
        fn check(&self, contract: &Contract) -> Result<(), String> {
            let known = format!("{:?}", contract.handler).contains("\"leads\"");
            if known { Ok(()) } else { Err("there is no such table".to_owned()) }
        }
    }

    fn contracts(handler: &str) -> Contracts {
        let text = format!(
            "tools:
  a.get:
    description: A tool.
    effect: read
    idempotency: none
    risk: T0
    timeout: 1s
    {handler}
    input_schema:
      type: object
      required: [id]
      additionalProperties: false
      properties: {{ id: {{ type: string }} }}
    output_schema: {{ type: object, properties: {{ row: {{ type: object }} }} }}
"
        );
        let (contracts, findings) = Contracts::load(&text, "a.yaml");
        assert_eq!(findings, []);
        contracts
    }

    fn data(table: &str) -> String {
        format!("handler: data\n    data: {{ table: {table}, action: get, id: id, record: row }}")
    }

    #[test]
    fn a_joined_registry_has_the_code_of_both() {
        let leads = || Verb::Write(Arc::new(Leads));
        let code = Verbs::new().with("a.get", leads());
        let tables = Verbs::new().with("b.get", leads()).with_data(Arc::new(Leads));
        for joined in [code.clone().join(tables.clone()), tables.join(code)] {
            assert_eq!(joined.names().collect::<Vec<_>>(), ["a.get", "b.get"]);
            let contracts = contracts(&data("leads"));
            assert!(joined.of(contracts.get("a.get").expect("a contract")).is_some());
        }
    }

    #[test]
    fn each_contract_has_what_its_handler_names() {
        let (none, code) = (Verbs::new(), Verbs::new().with("a.get", Verb::Write(Arc::new(Leads))));
        let tables = Verbs::new().with_data(Arc::new(Leads));
        let out = "handler: not_configured\n    not_configured: { reason: so }";
        let cases = [
            (&none, "handler: code", Some("has no code"), false),
            (&code, "handler: code", None, true),
            (&tables, "handler: code", Some("has no code"), false),
            (&none, &data("leads"), Some("has no tables"), false),
            (&tables, &data("leads"), None, true),
            (&tables, &data("lodes"), Some("no such table"), true),
            (&none, out, None, false),
        ];
        for (verbs, handler, refused, called) in cases {
            let contracts = contracts(handler);
            let contract = contracts.get("a.get").expect("a contract");
            assert_eq!(verbs.of(contract).is_some(), called, "{handler}");
            let configured = contract.is_implemented();
            assert_eq!(verbs.can_call(contract), refused.is_none(), "{handler}");
            assert!(configured || verbs.can_call(contract), "it ends at once");
            let checked = verbs.check(&contracts);
            let Some(words) = refused else {
                assert_eq!(checked, Ok(()), "{handler}");
                continue;
            };
            let problem = checked.expect_err(handler);
            assert_eq!(problem.code, "handler_missing", "{handler}");
            assert!(problem.message.contains(words), "{handler}: {problem}");
            assert!(problem.message.contains("`a.get` (a.yaml)"), "{problem}");
            assert!(problem.hint.is_some(), "{handler}");
        }
    }
}
