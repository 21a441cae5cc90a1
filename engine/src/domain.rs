//! What the engine asks of the domain: whom a message concerns, what a fact is, what falls due.
//!
//! The engine knows messages, contacts and the keys of requests; who is a volunteer, what an offer
//! is and when a service begins, only the domain knows.

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::base::{
    Digest, MessageId, PersonId, Problem, RequestId, RunId, StreamId, Timestamp, Value,
};
use crate::expr::FactCall;
use crate::policy::Settings;
use crate::run::Scheduled;
use crate::store::{ContactId, CopiedTable, InboundRow, LedgerRow, Tx};
use crate::template::Templates;

/// What holds for one question of the engine to the domain.
pub struct DomainContext<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// The present instant.
    pub now: Timestamp,
    /// The tenant's settings.
    pub settings: &'a Settings,
    /// The templates of today: what is said outside any run.
    pub templates: &'a Templates,
}

/// A run that somebody wants started.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StartRun {
    /// The method.
    pub method: String,
    /// What it is to achieve.
    pub goal: Value,
    /// The request it works on, if the caller knows.
    pub request: Option<RequestId>,
    /// Variables to start with.
    #[serde(default)]
    pub vars: serde_json::Map<String, Value>,
    /// Shadow mode: nothing reaches the world.
    #[serde(default)]
    pub dry_run: bool,
    /// Deduplicates: a second start with the same key is the first one's.
    pub key: Option<String>,
    /// The schedule that starts it, if one does.
    #[serde(default)]
    pub scheduled: Option<Scheduled>,
    /// What becomes of it where a live run does the same.
    #[serde(default)]
    pub on_conflict: OnConflict,
}

/// What becomes of a start where a live run does the same already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnConflict {
    /// It is refused, naming that run.
    #[default]
    Reject,
    /// That run stands for it.
    Join,
    /// That run is cancelled; the new one begins when it has ended.
    Replace,
}

/// A live run that does the same as one that was to be started, and what was decided of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rival {
    /// It stands for the start: nothing is started.
    Joined(RunId),
    /// It is to be cancelled.
    Replaced(RunId),
}

/// What the domain made of a start.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The request that the run works on.
    pub request: Option<RequestId>,
    /// The goal, completed.
    pub goal: Value,
    /// The variable `ctx`.
    pub ctx: Value,
    /// The live run that did the same.
    pub rival: Option<Rival>,
}

/// What is open for the sender of an inbound message.
#[derive(Debug, Clone, PartialEq)]
pub struct Asks {
    /// Changes with everything that an interpretation depends on.
    pub digest: Digest,
    /// The request that the message is about, if it is about one.
    pub request: Option<RequestId>,
    /// What the interpreter may look at.
    pub view: Value,
}

/// How an inbound message was dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandledAs {
    /// It answered an ask.
    Reply,
    /// Staff wants something done.
    StaffRequest,
    /// It answered our question back.
    ClarificationAnswer,
    /// It decided an approval.
    Approval,
    /// It asks something.
    Question,
    /// It ended the consent to be texted.
    OptOut,
    /// It renewed that consent.
    OptIn,
    /// It asks for help, in the carriers' sense.
    Help,
    /// Two asks fit; we asked back.
    Ambiguous,
    /// No ask fits; staff sees it.
    Unmatched,
    /// The number is not in the directory.
    UnknownSender,
    /// Not applied yet.
    Stored,
}

impl HandledAs {
    /// The word of the API.
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

/// What applying an inbound message came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// How it was dealt with.
    pub handled_as: HandledAs,
    /// The run it concerns.
    pub run: Option<RunId>,
    /// A run to start in the same transaction.
    pub start: Option<StartRun>,
}

/// How a message of ours fared with the carrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Our message.
    pub message: MessageId,
    /// Its template.
    pub kind: String,
    /// The person it was for.
    pub person: Option<PersonId>,
    /// The request it belongs to.
    pub request: Option<RequestId>,
    /// The carrier's error code or our own word.
    pub error: String,
}

/// A rule that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breach {
    /// The rule, in `snake_case`.
    pub rule: String,
    /// What breaks it: ids and counts.
    pub detail: String,
}

/// Follows the events of one stream to what must stand in the domain's tables after them.
#[async_trait]
pub trait Fold: Send + Sync {
    /// Goes on by one event.
    fn add(&mut self, event: &LedgerRow);

    /// Holds the tables against what the events of the stream came to.
    async fn compare(&self, tx: &mut Tx, stream: StreamId) -> Result<Vec<Breach>, Problem>;
}

/// Follows nothing: of a domain whose events say all there is.
struct NoFold;

#[async_trait]
impl Fold for NoFold {
    fn add(&mut self, _event: &LedgerRow) {}

    async fn compare(&self, _tx: &mut Tx, _stream: StreamId) -> Result<Vec<Breach>, Problem> {
        Ok(Vec::new())
    }
}

/// The domain, as the engine knows it.
#[async_trait]
pub trait Domain: Send + Sync {
    /// Prepares a start inside its transaction: finds or opens the request and locks it.
    async fn open_run(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        start: &StartRun,
    ) -> Result<Opened, Problem>;

    /// What [`Domain::open_run`] would make of a start that concerns no request and asks nothing of
    /// the database: such starts are committed in groups, and [`Domain::run_opened`] is not told of
    /// them. None where it must look.
    fn open_alone(&self, _cx: &DomainContext<'_>, _start: &StartRun) -> Option<Opened> {
        None
    }

    /// Told right after the run's rows are written, before the start commits.
    async fn run_opened(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        run: RunId,
        opened: &Opened,
    ) -> Result<(), Problem>;

    /// The variable `req`, read live.
    async fn request_view(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        request: RequestId,
    ) -> Result<Value, Problem>;

    /// The answer to an expression's question.
    async fn fact(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        request: Option<RequestId>,
        call: &FactCall,
    ) -> Result<Value, Problem>;

    /// What is open for the sender of a message, now.
    async fn asks(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
    ) -> Result<Asks, Problem>;

    /// What a message means against these asks. No database, no side effects.
    fn interpret(&self, cx: &DomainContext<'_>, inbound: &InboundRow, asks: &Asks) -> Value;

    /// Every request that applying the message may change: they are locked together before it is applied.
    /// A request that applying makes is none of them.
    async fn concerned(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
        meaning: (&Asks, &Value),
    ) -> Result<Vec<RequestId>, Problem> {
        let (asks, _) = meaning;
        Ok(asks.request.into_iter().collect())
    }

    /// True where somebody who is reached at one of these numbers was asked something in one of these
    /// requests and has not answered: their messages are applied in the order in which they came.
    async fn awaits_answer(
        &self,
        _tx: &mut Tx,
        _tenant: &str,
        _among: (&[ContactId], &[RequestId]),
    ) -> Result<bool, Problem> {
        Ok(false)
    }

    /// Puts a message before staff that could not be applied. Nobody sees it, in a domain without staff.
    async fn set_aside(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _inbound: &InboundRow,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// Does what a message means, under the locks of the requests that it concerns.
    async fn apply(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
        meaning: (&Asks, &Value),
    ) -> Result<Applied, Problem>;

    /// Withdraws what is open for a number that ended its consent, and tells staff.
    async fn opted_out(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        inbound: &InboundRow,
    ) -> Result<(), Problem>;

    /// Whether the reasons of queued messages still stand: `(cause_kind, cause_id)` each.
    async fn causes_open(
        &self,
        tx: &mut Tx,
        causes: &[(String, Option<uuid::Uuid>)],
    ) -> Result<Vec<bool>, Problem>;

    /// The time zones of those of these people whose clock is not the tenant's. Everybody's is, in a
    /// domain without people.
    async fn time_zones(
        &self,
        _tx: &mut Tx,
        _people: &[PersonId],
    ) -> Result<BTreeMap<PersonId, String>, Problem> {
        Ok(BTreeMap::new())
    }

    /// Messages with these causes leave from `at` on, later than was planned, because policy holds them:
    /// what begins with them begins then. Their requests are locked. Nothing does, in a domain without such
    /// things.
    async fn sends_moved(
        &self,
        _tx: &mut Tx,
        _causes: &[(String, Option<uuid::Uuid>)],
        _at: Timestamp,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// A message could not be delivered.
    async fn undelivered(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        delivery: &Delivery,
    ) -> Result<(), Problem>;

    /// Nobody will ever know whether a message has left; it is not sent again. Nobody sees that, in a domain
    /// without staff.
    async fn fate_unknown(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _delivery: &Delivery,
    ) -> Result<(), Problem> {
        Ok(())
    }

    /// A run has ended; if it was cancelled, its open offers are withdrawn.
    async fn run_ended(
        &self,
        tx: &mut Tx,
        cx: &DomainContext<'_>,
        run: RunId,
        (request, cancelled): (Option<RequestId>, bool),
    ) -> Result<(), Problem>;

    /// The people whose answer a waiting run misses: `[{person_id, name}]`.
    async fn silent(
        &self,
        tx: &mut Tx,
        request: RequestId,
        open_cells: &[String],
    ) -> Result<Value, Problem>;

    /// The people who were asked a question that is still open: `[{person_id, name}]`. `askings` are the
    /// names of the messages that would bring the answers.
    async fn asked(
        &self,
        tx: &mut Tx,
        request: RequestId,
        askings: &[String],
    ) -> Result<Value, Problem>;

    /// The first instant at which something of the domain falls due by itself, of each tenant that has such
    /// a thing and is not paused. One statement: it is asked without a transaction.
    async fn next_due(&self, _tx: &mut Tx) -> Result<Vec<(String, Timestamp)>, Problem> {
        Ok(Vec::new())
    }

    /// The requests of a tenant in which something is due by `by`, at most `limit`, the first due first.
    async fn due_requests(
        &self,
        _tx: &mut Tx,
        _tenant: &str,
        _by: (Timestamp, i64),
    ) -> Result<Vec<RequestId>, Problem> {
        Ok(Vec::new())
    }

    /// Does a bounded part of what is due in a request, under its lock; how many things it did. What falls
    /// due later than [`Tx::due_by`] says is left: a message that came before it is not applied yet.
    async fn sweep(
        &self,
        _tx: &mut Tx,
        _cx: &DomainContext<'_>,
        _request: RequestId,
    ) -> Result<u64, Problem> {
        Ok(0)
    }

    /// The domain's own tables, as far as a run's way on hangs on them: a copy of a run takes them along.
    fn copied(&self) -> &'static [CopiedTable] {
        &[]
    }

    /// What follows a stream's events for the audit.
    fn fold(&self) -> Box<dyn Fold> {
        Box::new(NoFold)
    }

    /// Every rule of the domain that does not hold.
    async fn audit(&self, tx: &mut Tx) -> Result<Vec<Breach>, Problem>;
}
