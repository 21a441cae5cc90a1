//! Defines the interface between the engine and the domain. The engine calls the domain to apply inbound
//! messages, to evaluate functions of expressions that read the database, and to do work that falls due.
//!
//! The engine knows messages, contacts and the ids of requests.
//! Only the domain knows who is a volunteer, what an offer is, and when a service begins.

mod applied;
mod approval;
mod context;
mod fold;
mod frames;
mod occurrence;
mod removed;
mod ruling;
mod start;

use std::collections::BTreeMap;

use async_trait::async_trait;
use uuid::Uuid;

pub use self::applied::{Applied, HandledAs};
pub use self::approval::ApprovalNotice;
pub use self::context::{DomainContext, InterpretedMessage, MessageMeaning, OpenAsks};
use self::fold::NoFold;
pub use self::fold::{Breach, Fold};
pub use self::frames::{
    Frames, SESSION_CHARS_MAX, SYSTEM_CHARS_MAX, TASK_CHARS_MAX, limited, system_frame,
};
pub use self::occurrence::{FailedDelivery, RunEnd, TenantSweep};
pub use self::removed::{GivenUpPlace, RemovedPerson};
pub use self::ruling::{Ruled, Ruling, not_an_approver, rule, unknown_approval};
pub use self::start::{
    ConflictingRun, MethodChoice, OnConflict, PreparedStart, StartRun, TextedStart,
};
use crate::base::{PersonId, Problem, RequestId, RunId, Timestamp, Value};
use crate::contract::Contract;
use crate::expr::FactCall;
use crate::model::ModelRequest;
use crate::store::{ContactId, InboundRow, KeyRange, StoredCause, Tx};

/// The functions through which the engine uses the domain.
///
/// Every function has a default for a domain without requests, people and tables.
/// A domain must nevertheless implement [`Domain::prepare_start`] or [`Domain::prepare_in_memory`].
#[async_trait]
pub trait Domain: Send + Sync {
    /// Prepares the start of a run within its transaction: finds or creates the run's request,
    /// and locks the request. By default, calls [`Domain::prepare_in_memory`].
    async fn prepare_start(
        &self,
        _tx: &mut Tx,
        cx: &DomainContext<'_>,
        start: &StartRun,
    ) -> Result<PreparedStart, Problem> {
        let prepared = self.prepare_in_memory(cx, start);
        prepared.ok_or_else(|| Problem::bug("the domain cannot prepare this start"))
    }

    /// Does the same as [`Domain::prepare_start`] for a run that concerns no request and needs no query.
    /// The rows of such runs are inserted in groups, and [`Domain::run_inserted`] is not called for such a
    /// run. Returns `None` if preparing the run needs the database.
    fn prepare_in_memory(
        &self,
        _cx: &DomainContext<'_>,
        _start: &StartRun,
    ) -> Option<PreparedStart> {
        None
    }

    /// Returns the time zone of the tenant's domain, for [`crate::policy::Settings::domain_time_zone`]; by default, there is none. Whoever
    /// changes it must call [`Tx::bump_tenant_version`].
    async fn tenant_time_zone(
        &self,
        _tx: &mut Tx,
        _tenant: &str,
    ) -> Result<Option<String>, Problem> {
        Ok(None)
    }

    /// Called after the run's rows are written and before their transaction commits. The default does nothing.
    async fn run_inserted(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _run: RunId,
        _prepared: &PreparedStart,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Reads the current value of the variable `req`, which describes the request of a run.
    /// The default fails, because the domain has no requests.
    async fn request_view(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _request: RequestId,
    ) -> Result<Value, Problem> {
        Err(Problem::bug("the domain has no requests"))
    }

    /// Evaluates a function that reads the database, for an expression that calls the function.
    /// The default fails, because a domain without tables has no such functions.
    async fn fact(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _request: Option<RequestId>,
        _call: &FactCall,
    ) -> Result<Value, Problem> {
        Err(Problem::bug("the domain has no facts"))
    }

    /// Returns the asks that are currently open for the sender of each of these messages. By default, there are none.
    async fn open_asks(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        messages: &[&InboundRow],
    ) -> Result<Vec<OpenAsks>, Problem> {
        Ok(messages.iter().map(|_| OpenAsks::none()).collect())
    }

    /// Whether a text wants no more texts, in whatever wording. It is obeyed like the word STOP, in the commit
    /// that stores the text. By default, only the words of carriers are obeyed.
    fn opts_out(&self, _text: &str) -> bool {
        false
    }

    /// Determines what a message means as an answer to the open asks.
    /// Uses no database and has no side effects. The default returns null.
    fn interpret(&self, _cx: &DomainContext<'_>, _inbound: &InboundRow, _asks: &OpenAsks) -> Value {
        Value::Null
    }

    /// Returns what a language model is to be asked about a message, if the domain is not sure of its meaning; `None`
    /// if it is. Uses no database and has no side effects. The default asks nothing.
    fn model_request(
        &self,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
        _own: MessageMeaning<'_>,
    ) -> Option<ModelRequest> {
        None
    }

    /// Returns the state in which a message was written, which a language model is shown. The default shows nothing.
    async fn frames(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
        _own: MessageMeaning<'_>,
    ) -> Result<Frames, Problem> {
        Ok(Frames::default())
    }

    /// Returns the meaning of a message, given its own meaning and what a language model proposes. The proposal fits
    /// the schema of its request, and may be wrong in every other way. Uses no database and has no side
    /// effects. The default keeps its own meaning.
    fn with_proposal(
        &self,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
        own: MessageMeaning<'_>,
        _proposal: &Value,
    ) -> Value {
        own.meaning.clone()
    }

    /// Returns every request that applying the message can change. These requests are locked together
    /// before the message is applied. A request that the message itself creates is not included.
    /// The default returns the request of the open asks.
    async fn affected_requests(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
        reading: MessageMeaning<'_>,
    ) -> Result<Vec<RequestId>, Problem> {
        Ok(reading.asks.request.into_iter().collect())
    }

    /// Whether a person with one of these phone numbers was asked something about one of these requests and has not
    /// answered yet. The messages of such people are applied in the order in which they were received. The default returns false.
    async fn awaits_answer(
        &self,
        _tx: &mut Tx,
        _tenant: &str,
        _senders: &[ContactId],
        _requests: &[RequestId],
    ) -> Result<bool, Problem> {
        Ok(false)
    }

    /// Shows staff a message that could not be applied. The default does nothing.
    async fn set_aside(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Applies a message. The requests that the message concerns are locked.
    /// By default, every sender counts as unknown.
    async fn apply(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
        _reading: MessageMeaning<'_>,
    ) -> Result<Applied, Problem> {
        Ok(Applied { handled_as: HandledAs::UnknownSender, run: None, starts: Vec::new() })
    }

    /// Whether a message only answers an ask of one request, so that [`Domain::apply_together`] may be able to apply it.
    /// Uses no database. The default returns false.
    fn is_plain_answer(&self, _inbound: &InboundRow, _reading: MessageMeaning<'_>) -> bool {
        false
    }

    /// Applies plain answers of different senders to the same request, which is locked, as [`Domain::apply`] would apply one
    /// after another, but with a few statements for all. Returns what became of those before the first that turns out to be
    /// no plain answer. The caller applies the others one by one. The default applies none.
    async fn apply_together(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _answers: &[InterpretedMessage<'_>],
    ) -> Result<Vec<Applied>, Problem> {
        Ok(Vec::new())
    }

    /// Tells the sender of a message what happens now that a run starts for it. The default tells nothing.
    async fn tell_started(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
        _started: TextedStart<'_>,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Asks the sender of a message which of several methods is to serve what they want. The answer starts the run.
    /// The default asks nothing, so no run starts.
    async fn ask_method(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
        _choice: MethodChoice<'_>,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Called when a phone number has opted out. The domain withdraws every open offer and question of
    /// the people with this number, and informs staff. The default does nothing.
    async fn opted_out(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Takes a person out of all work: withdraws what they were asked, gives up their places and blanks their entry in the
    /// directory. What is left of them is in texts, which the caller redacts. Returns `None` if the tenant has no such
    /// person, which is the default.
    async fn remove_person(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _person: PersonId,
    ) -> Result<Option<RemovedPerson>, Problem> {
        Ok(None)
    }

    /// Returns, for each cause of a queued message, whether the message is still needed: for example,
    /// whether the offer of an invitation is still open. By default, every message is needed.
    async fn causes_hold(
        &self,
        _tx: &mut Tx,
        causes: &[StoredCause],
    ) -> Result<Vec<bool>, Problem> {
        Ok(vec![true; causes.len()])
    }

    /// Returns the time zones of those people whose time zone differs from the tenant's.
    /// The default returns none.
    async fn time_zones(
        &self,
        _tx: &mut Tx,
        _people: &[PersonId],
    ) -> Result<BTreeMap<PersonId, String>, Problem> {
        Ok(BTreeMap::new())
    }

    /// Called when policy postpones the messages with these causes to the instant `at`. A period that
    /// begins when such a message is sent, such as the life of an offer, then begins at that instant. The
    /// requests of the messages are locked. The default does nothing.
    async fn sends_postponed(
        &self,
        _tx: &mut Tx,
        _causes: &[StoredCause],
        _at: Timestamp,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Called when a message could not be delivered. The default does nothing.
    async fn delivery_failed(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _delivery: &FailedDelivery,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Called when it can never be known whether a message was sent.
    /// The message is not sent again. The default does nothing.
    async fn delivery_unknown(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _delivery: &FailedDelivery,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Tells those who may approve a call what it would do: the first approver at first and as a reminder, all
    /// of them at the escalation. The default tells nobody.
    async fn approval_asked(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _notice: ApprovalNotice<'_>,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Returns the name of a person who holds `role` and so may approve calls that need it; `None` for anybody
    /// else. The default lets nobody.
    async fn approver(
        &self,
        _tx: &mut Tx,
        _tenant: &str,
        _person: PersonId,
        _role: &str,
    ) -> Result<Option<String>, Problem> {
        Ok(None)
    }

    /// Called when a run has ended.
    /// If the run was cancelled, the domain withdraws the run's open offers. The default does nothing.
    async fn run_ended(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _end: RunEnd<'_>,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Called before a call acts that can bring about or end states, as its contract says. Fails if somebody has
    /// ordered to avoid one of them. The default allows every call.
    async fn before_call(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _contract: &Contract,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Called after such a call of `run` has succeeded, in its commit. The default does nothing.
    async fn after_call(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _contract: &Contract,
        _run: RunId,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Called when a message does not fit into the month's budget, the first time in that month. The default does
    /// nothing.
    async fn budget_reached(&self, _tx: &mut Tx, _cx: &DomainContext<'_>) -> Result<(), Problem> {
        Ok(())
    }

    /// Returns the people whose answer a waiting run still lacks: `[{person_id, name}]`. The run waits
    /// for the offers that are counted in the tally cells `open_cells`. The default returns none.
    async fn awaited_people(
        &self,
        _tx: &mut Tx,
        _request: RequestId,
        _open_cells: &[String],
    ) -> Result<Value, Problem> {
        Ok(Value::Array(Vec::new()))
    }

    /// Returns the people who were asked a question that is still open: `[{person_id, name}]`.
    /// `askings` are the names of the signals that would carry the answers. The default returns none.
    async fn asked_people(
        &self,
        _tx: &mut Tx,
        _request: RequestId,
        _askings: &[String],
    ) -> Result<Value, Problem> {
        Ok(Value::Array(Vec::new()))
    }

    /// Returns, for each tenant that is not paused, when the domain's next work falls due.
    /// The query must be a single statement, because it runs without a transaction.
    /// By default, nothing falls due.
    async fn next_due(&self, _tx: &mut Tx) -> Result<Vec<(String, Timestamp)>, Problem> {
        Ok(Vec::new())
    }

    /// Returns at most `limit` requests of a tenant that have work due at the instant `by` or earlier.
    /// The most urgent request comes first. The default returns none.
    async fn due_requests(
        &self,
        _tx: &mut Tx,
        _tenant: &str,
        _by: Timestamp,
        _limit: i64,
    ) -> Result<Vec<RequestId>, Problem> {
        Ok(Vec::new())
    }

    /// Returns, for each tenant that is not paused, when the first work falls due that belongs to no request and that
    /// [`Domain::next_due`] leaves out. The query must be a single statement, because it runs without a
    /// transaction. By default, there is no such work.
    async fn next_tenant_due(&self, _tx: &mut Tx) -> Result<Vec<(String, Timestamp)>, Problem> {
        Ok(Vec::new())
    }

    /// Whether a tenant has work due at the instant `by` or earlier that belongs to no request.
    /// The default returns false.
    async fn tenant_is_due(
        &self,
        _tx: &mut Tx,
        _tenant: &str,
        _by: Timestamp,
    ) -> Result<bool, Problem> {
        Ok(false)
    }

    /// Does the work of a tenant that is due at the instant `by` or earlier and belongs to no request. Returns what is
    /// done, and the runs to start in the same transaction. The default does nothing.
    async fn sweep_tenant(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _by: Timestamp,
    ) -> Result<TenantSweep, Problem> {
        Ok(TenantSweep::default())
    }

    /// Locks a request and does a limited amount of the work that is due in it.
    /// Returns the number of items done. Work that falls due later than [`Tx::latest_due`] must wait,
    /// because a message that may affect the work is not applied yet. The default does nothing.
    async fn sweep(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _request: RequestId,
    ) -> Result<u64, Problem> {
        Ok(0)
    }

    /// Creates a fold, with which the audit checks one stream. The default compares nothing.
    fn fold(&self) -> Box<dyn Fold> {
        Box::new(NoFold)
    }

    /// Returns the next range of requests that the audit checks in one transaction: it begins with the id `first`. The
    /// default returns all.
    async fn audit_range(&self, _tx: &mut Tx, first: Uuid) -> Result<KeyRange, Problem> {
        Ok(KeyRange { first, last: Uuid::max() })
    }

    /// Returns every violation of the domain's rules by the requests of a range. The default returns none.
    async fn audit(&self, _tx: &mut Tx, _range: KeyRange) -> Result<Vec<Breach>, Problem> {
        Ok(Vec::new())
    }

    /// Returns every violation of the domain's rules that is about no request. The default returns none.
    async fn audit_rest(&self, _tx: &mut Tx) -> Result<Vec<Breach>, Problem> {
        Ok(Vec::new())
    }
}
