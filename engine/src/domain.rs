//! The interface between the engine and the domain: who is affected by a message, the values of facts,
//! and what falls due.
//!
//! The engine knows messages, contacts and the ids of requests. Only the domain knows who is a volunteer,
//! what an offer is, and when a service begins.

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::base::{
    Digest, MessageId, PersonId, Problem, RequestId, RunId, StreamId, Timestamp, Value,
};
use crate::expr::FactCall;
use crate::policy::Settings;
use crate::run::Scheduled;
use crate::store::{ContactId, CopiedTable, InboundRow, LedgerRow, Tx};
use crate::template::Templates;

/// The context of a call of the engine to the domain.
pub struct DomainContext<'a> {
    /// Id of the tenant.
    pub tenant: &'a str,
    /// Current instant.
    pub now: Timestamp,
    /// Settings of the tenant.
    pub settings: &'a Settings,
    /// Current templates, for messages that belong to no run.
    pub templates: &'a Templates,
}

/// A request to start a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StartRun {
    /// Name of the method.
    pub method: String,
    /// Goal of the run.
    pub goal: Value,
    /// Request that the run works on, if the caller knows it.
    pub request: Option<RequestId>,
    /// Initial variables.
    #[serde(default)]
    pub vars: serde_json::Map<String, Value>,
    /// Whether to start it in shadow mode, in which it has no effects.
    #[serde(default)]
    pub dry_run: bool,
    /// Idempotency key: a second start with the same key returns the run of the first.
    pub key: Option<String>,
    /// Schedule that starts it, if any.
    #[serde(default)]
    pub scheduled: Option<Scheduled>,
    /// What to do if a live run already does the same.
    #[serde(default)]
    pub on_conflict: OnConflict,
}

/// What to do with a start if a live run already does the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnConflict {
    /// Refuse the start with an error that names the live run.
    #[default]
    Reject,
    /// Return the live run instead of starting one.
    Join,
    /// Cancel the live run; the new run begins when that has ended.
    Replace,
}

/// A live run that does the same as a new start, with the decision about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rival {
    /// The live run is returned; no run is started.
    Joined(RunId),
    /// The live run is to be cancelled.
    Replaced(RunId),
}

/// A start as the domain completed it.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// Request that the run works on.
    pub request: Option<RequestId>,
    /// Completed goal.
    pub goal: Value,
    /// Value of the variable `ctx`.
    pub ctx: Value,
    /// Live run that does the same, if any.
    pub rival: Option<Rival>,
}

/// The open asks of the sender of an inbound message.
#[derive(Debug, Clone, PartialEq)]
pub struct Asks {
    /// Digest of everything that an interpretation depends on.
    pub digest: Digest,
    /// Request that the message is about, if any.
    pub request: Option<RequestId>,
    /// Data for the interpreter.
    pub view: Value,
}

/// An interpretation of an inbound message.
#[derive(Debug, Clone, Copy)]
pub struct MessageMeaning<'a> {
    /// What was open for the sender when the message was interpreted.
    pub asks: &'a Asks,
    /// What the message means as an answer to that.
    pub meaning: &'a Value,
}

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunEnd {
    /// The run.
    pub run: RunId,
    /// The request that it worked on.
    pub request: Option<RequestId>,
    /// Whether it was cancelled.
    pub cancelled: bool,
}

/// How an inbound message was handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HandledAs {
    /// It answered an ask.
    Reply,
    /// A member of staff requested something.
    StaffRequest,
    /// It answered a clarifying question.
    ClarificationAnswer,
    /// It decided an approval.
    Approval,
    /// It asked a question.
    Question,
    /// It withdrew the consent to receive texts.
    OptOut,
    /// It renewed the consent to receive texts.
    OptIn,
    /// It requested help with the carriers' keyword.
    Help,
    /// It matched several asks; a clarifying question was sent.
    Ambiguous,
    /// It matched no ask; it was shown to staff.
    Unmatched,
    /// The sender's number is not in the directory.
    UnknownSender,
    /// It is stored and not applied yet.
    Stored,
}

impl HandledAs {
    /// Returns the name in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::StaffRequest => "staff_request",
            Self::ClarificationAnswer => "clarification_answer",
            Self::Approval => "approval",
            Self::Question => "question",
            Self::OptOut => "opt_out",
            Self::OptIn => "opt_in",
            Self::Help => "help",
            Self::Ambiguous => "ambiguous",
            Self::Unmatched => "unmatched",
            Self::UnknownSender => "unknown_sender",
            Self::Stored => "stored",
        }
    }
}

/// The result of applying an inbound message.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// How it was handled.
    pub handled_as: HandledAs,
    /// Run that it concerns, if any.
    pub run: Option<RunId>,
    /// Run to start in the same transaction, if any.
    pub start: Option<StartRun>,
}

/// An outbound message that failed, for the domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Id of the message.
    pub message: MessageId,
    /// Kind of the message: the name of its template.
    pub kind: String,
    /// Recipient, if known.
    pub person: Option<PersonId>,
    /// Request that it belongs to, if any.
    pub request: Option<RequestId>,
    /// The carrier's error code, or a reason of the engine.
    pub error: String,
}

/// A violated rule of the domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Breach {
    /// Name of the rule, in `snake_case`.
    pub rule: String,
    /// What violates it: ids and counts.
    pub detail: String,
}

/// Folds the events of one stream into the state that the domain's tables must have after them.
#[async_trait]
pub trait Fold: Send + Sync {
    /// Applies the next event.
    fn add(&mut self, event: &LedgerRow);

    /// Compares the tables with the folded state. Returns the differences.
    async fn compare(&self, tx: &mut Tx, stream: StreamId) -> Result<Vec<Breach>, Problem>;
}

/// The fold of a domain without tables to compare.
struct NoFold;

#[async_trait]
impl Fold for NoFold {
    fn add(&mut self, _event: &LedgerRow) {}

    async fn compare(&self, _tx: &mut Tx, _stream: StreamId) -> Result<Vec<Breach>, Problem> {
        Ok(Vec::new())
    }
}

/// The domain, as the engine sees it.
#[async_trait]
pub trait Domain: Send + Sync {
    /// Prepares a start in its transaction: finds or opens the request and locks it.
    async fn open_run(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        start: &StartRun,
    ) -> Result<Opened, Problem>;

    /// Does the same as [`Domain::open_run`] for a start that concerns no request and needs no query. Such
    /// starts are committed in groups, and [`Domain::run_opened`] is not called for them. Returns `None` if
    /// the start needs the database.
    fn open_alone(&self, _cx: &DomainContext<'_>, _start: &StartRun) -> Option<Opened> {
        None
    }

    /// Called after the run's rows are written and before the start commits.
    async fn run_opened(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        run: RunId,
        opened: &Opened,
    ) -> Result<(), Problem>;

    /// Reads the current value of the variable `req`.
    async fn request_view(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        request: RequestId,
    ) -> Result<Value, Problem>;

    /// Evaluates a function of an expression that reads the database.
    async fn fact(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        request: Option<RequestId>,
        call: &FactCall,
    ) -> Result<Value, Problem>;

    /// Returns what is currently open for the sender of a message.
    async fn asks(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
    ) -> Result<Asks, Problem>;

    /// Interprets a message against the open asks. Uses no database and has no side effects.
    fn interpret(&self, cx: &DomainContext<'_>, inbound: &InboundRow, asks: &Asks) -> Value;

    /// Returns every request that applying the message can change; they are locked together before it is
    /// applied. Requests that applying creates are not included.
    async fn concerned(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
        reading: MessageMeaning<'_>,
    ) -> Result<Vec<RequestId>, Problem> {
        Ok(reading.asks.request.into_iter().collect())
    }

    /// Whether a person with one of these numbers was asked something in one of these requests and has not
    /// answered. The messages of such people are applied in the order in which they were received.
    async fn awaits_answer(
        &self,
        _tx: &mut Tx,
        _tenant: &str,
        _senders: &[ContactId],
        _requests: &[RequestId],
    ) -> Result<bool, Problem> {
        Ok(false)
    }

    /// Shows a message that could not be applied to staff. The default does nothing.
    async fn set_aside(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Applies a message, under the locks of the requests that it concerns.
    async fn apply(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
        reading: MessageMeaning<'_>,
    ) -> Result<Applied, Problem>;

    /// Withdraws what is open for a number that withdrew its consent, and informs staff.
    async fn opted_out(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
    ) -> Result<(), Problem>;

    /// Returns for each cause `(cause_kind, cause_id)` of a queued message whether it still holds.
    async fn causes_open(
        &self,
        tx: &mut Tx,
        causes: &[(String, Option<uuid::Uuid>)],
    ) -> Result<Vec<bool>, Problem>;

    /// Returns the time zones of those people whose time zone differs from the tenant's. The default returns
    /// none.
    async fn time_zones(
        &self,
        _tx: &mut Tx,
        _people: &[PersonId],
    ) -> Result<BTreeMap<PersonId, String>, Problem> {
        Ok(BTreeMap::new())
    }

    /// Called when policy holds the messages with these causes until `at`, later than planned. Whatever
    /// starts with them, such as the life of an offer, then starts at `at`. Their requests are locked. The
    /// default does nothing.
    async fn sends_moved(
        &self,
        _tx: &mut Tx,
        _causes: &[(String, Option<uuid::Uuid>)],
        _at: Timestamp,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Called when a message could not be delivered.
    async fn undelivered(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        delivery: &Delivery,
    ) -> Result<(), Problem>;

    /// Called when it can never be known whether a message has been sent. It is not sent again. The default
    /// does nothing.
    async fn fate_unknown(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _delivery: &Delivery,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Called when a run has ended. If it was cancelled, its open offers are withdrawn.
    async fn run_ended(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        end: RunEnd,
    ) -> Result<(), Problem>;

    /// Returns the people whose answer a waiting run still lacks: `[{person_id, name}]`.
    async fn silent(
        &self,
        tx: &mut Tx,
        request: RequestId,
        open_cells: &[String],
    ) -> Result<Value, Problem>;

    /// Returns the people who were asked a question that is still open: `[{person_id, name}]`. `askings` are
    /// the names of the signals that would carry the answers.
    async fn asked(
        &self,
        tx: &mut Tx,
        request: RequestId,
        askings: &[String],
    ) -> Result<Value, Problem>;

    /// Returns for each tenant that is not paused the first instant at which something of the domain falls
    /// due, if anything does. Must be a single statement, because it runs without a transaction.
    async fn next_due(&self, _tx: &mut Tx) -> Result<Vec<(String, Timestamp)>, Problem> {
        Ok(Vec::new())
    }

    /// Returns the requests of a tenant in which something is due by an instant: `(instant, limit)`. At most
    /// `limit`, the first due first.
    async fn due_requests(
        &self,
        _tx: &mut Tx,
        _tenant: &str,
        _by: Timestamp,
        _limit: i64,
    ) -> Result<Vec<RequestId>, Problem> {
        Ok(Vec::new())
    }

    /// Does a bounded part of what is due in a request, under its lock. Returns the number of things done.
    /// Whatever falls due later than [`Tx::latest_due`] must wait, because a message received before it is not
    /// applied yet.
    async fn sweep(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _request: RequestId,
    ) -> Result<u64, Problem> {
        Ok(0)
    }

    /// The domain's tables that the further course of a run depends on. A copy of a run includes them.
    fn copied(&self) -> &'static [CopiedTable] {
        &[]
    }

    /// Creates the fold of one stream's events for the audit.
    fn fold(&self) -> Box<dyn Fold> {
        Box::new(NoFold)
    }

    /// Returns every violation of the domain's rules.
    async fn audit(&self, tx: &mut Tx) -> Result<Vec<Breach>, Problem>;
}
