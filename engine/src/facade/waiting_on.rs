//! Determines what a run waits for, in the form that the API shows.

use serde::Serialize;
use utoipa::ToSchema;

use crate::base::{ApprovalId, PersonId, Problem, RunId, Timestamp, Value};
use crate::method::{Graph, StepAction};
use crate::run::{
    ApprovalWait, ExternalCall, ExternalStage, FanOut, RunState, RunStatus, SCHEDULED_SIGNAL,
    WaitingFor,
};
use crate::store::{RunRow, Tx};

crate::words! {
    /// The kind of event that a run waits for.
    pub enum WaitKind {
        /// Replies to offers.
        Replies = "replies",
        /// The answer to a question.
        Answer = "answer",
        /// A signal from outside.
        Signal = "signal",
        /// The end of a planned pause, or a time that the run has scheduled.
        Timer = "timer",
        /// A person who may approve the next call.
        Approval = "approval",
        /// An outside system, which makes a call.
        External = "external",
        /// The end of child runs.
        Child = "child",
        /// The next attempt of a failed step.
        Retry = "retry",
        /// An order to resume the run, because an order paused it.
        Pause = "pause",
        /// An order to resume the run, because several processes crashed while they ran it.
        Quarantine = "quarantine",
        /// A process that has all verbs of the run's method and can read its texts.
        CapableNode = "capable_node",
    }
}

/// What a run waits for, or why it is paused.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct WaitingOn {
    /// Kind of the wait: `replies`, `answer`, `signal`, `timer`, `approval`, `external`, `child`,
    /// `retry`, `pause`, `quarantine` or `capable_node`.
    pub kind: WaitKind,
    /// Time at which the wait began (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub since: Option<String>,
    /// Time at which the wait ends at the latest (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub until: Option<String>,
    /// Number of people who must say yes, or of child runs that must complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub need: Option<i64>,
    /// Number of people who have said yes, or of child runs that have completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub have: Option<i64>,
    /// People who have not answered: `[{person_id, name}]`.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Vec<Unanswered>)]
    pub from: Value,
    /// The approval that the run waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
    /// The reason for the wait, in words.
    pub why: String,
}

/// A person who has not answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Unanswered {
    /// The person's id.
    pub person_id: PersonId,
    /// The person's name.
    pub name: String,
}

impl WaitingOn {
    /// Builds the description of a wait. Leaves out the time at which the wait began, the counts
    /// and the people; the caller can add them.
    fn new(kind: WaitKind, until: Option<Timestamp>, why: impl Into<String>) -> Self {
        Self {
            kind,
            since: None,
            until: until.map(|at| at.to_string()),
            need: None,
            have: None,
            from: Value::Null,
            approval_id: None,
            why: why.into(),
        }
    }

    /// Returns the names of the people who have not answered.
    pub(super) fn names(&self) -> Vec<String> {
        let people = self.from.as_array().into_iter().flatten();
        people.filter_map(|person| person["name"].as_str().map(str::to_owned)).collect()
    }

    /// Turns a wait for a signal into a wait for the answers of these people, who were asked.
    /// Does nothing if the list contains nobody.
    pub(super) fn name_asked_people(&mut self, asked: Value) {
        let answer = Self { kind: WaitKind::Answer, from: asked, ..self.clone() };
        let why = match answer.names().as_slice() {
            [] => return,
            [one] => format!("{one} has not answered yet"),
            many => format!("{} have not answered yet", many.join(" and ")),
        };
        *self = Self { why, ..answer };
    }
}

/// The signals that the current step of a run waits for.
#[derive(Debug)]
pub(super) struct AwaitedSignals {
    /// Names of the signals.
    pub(super) names: Vec<String>,
    /// Time of the next message that the run has scheduled for itself.
    /// `None` if the step does not wait for such a message or none is scheduled.
    pub(super) scheduled_at: Option<Timestamp>,
}

impl AwaitedSignals {
    /// Reads the signals that the current step of a run waits for.
    /// Only an `await` step waits for signals.
    pub(super) async fn of(
        tx: &mut Tx,
        run: RunId,
        graph: &Graph,
        state: &RunState,
    ) -> Result<Self, Problem> {
        let names: Vec<String> = match state.node(graph).map(|node| &node.action) {
            Some(StepAction::Await(wait)) => {
                wait.signals.iter().map(|awaited| awaited.signal.clone()).collect()
            }
            _ => Vec::new(),
        };
        let scheduled_at = if names.iter().any(|name| name == SCHEDULED_SIGNAL) {
            tx.next_timer(state.signal_receiver(run)).await?
        } else {
            None
        };
        Ok(Self { names, scheduled_at })
    }

    /// Returns the names of the signals that a person or another program must send.
    /// Leaves out the signal that the run has scheduled for itself.
    pub(super) fn sent_by_others(&self) -> impl Iterator<Item = &String> {
        self.names.iter().filter(|name| self.scheduled_at.is_none() || *name != SCHEDULED_SIGNAL)
    }
}

/// Determines what a run waits for, or why it is paused.
/// Returns `None` if the run neither waits nor is paused.
pub(super) async fn read(
    tx: &mut Tx,
    row: &RunRow,
    state: &RunState,
    signals: &AwaitedSignals,
) -> Result<Option<WaitingOn>, Problem> {
    if row.stuck_on.is_some() && row.ended_at.is_none() {
        let why = "no running process has all of its verbs and can read its texts";
        return Ok(Some(WaitingOn::new(WaitKind::CapableNode, None, why)));
    }
    match row.status {
        RunStatus::Paused => return Ok(Some(paused(state))),
        RunStatus::Waiting => {}
        _ => return Ok(None),
    }
    let Some(call) = state.call() else { return Ok(None) };
    if let Some(at) = call.retry_at {
        let why = format!("attempt {} of the step failed; it will be retried", call.attempt - 1);
        return Ok(Some(WaitingOn::new(WaitKind::Retry, Some(at), why)));
    }
    let wait = match &call.waiting_for {
        Some(WaitingFor::Replies(wait)) => wait,
        Some(WaitingFor::Signal { since, deadline, .. }) => {
            return Ok(Some(signal(*since, *deadline, signals)));
        }
        Some(WaitingFor::Approval(wait)) => return Ok(Some(approval(tx, row, wait).await?)),
        Some(WaitingFor::External(call)) => return Ok(Some(external(call))),
        Some(WaitingFor::Children(fan)) => return Ok(Some(children(call.started_at, fan))),
        None => return Ok(None),
    };
    let tallies = tx.request_tallies(wait.spec.request).await?;
    let have = tallies.get(&wait.spec.yes_cell).map_or(0, |tally| tally.yes);
    let open: i64 =
        wait.spec.open_cells.iter().filter_map(|cell| tallies.get(cell)).map(|t| t.open).sum();
    let need = wait.spec.need;
    let why = format!(
        "{have} of {need} {} said yes for {}, {open} {} not answered yet",
        has_or_have(have),
        wait.spec.role,
        has_or_have(open)
    );
    Ok(Some(WaitingOn {
        since: Some(wait.since.to_string()),
        need: Some(need),
        have: Some(have),
        ..WaitingOn::new(WaitKind::Replies, Some(wait.deadline), why)
    }))
}

/// Returns `has` or `have`, depending on this number of people.
fn has_or_have(people: i64) -> &'static str {
    if people == 1 { "has" } else { "have" }
}

/// Describes the wait of a paused run.
fn paused(state: &RunState) -> WaitingOn {
    match state.quarantine {
        Some(claims) => {
            let why = format!(
                "it crashed the process that worked on it {claims} times in a row; `abide run resume` \
                 lets it continue"
            );
            WaitingOn::new(WaitKind::Quarantine, None, why)
        }
        None => {
            let why = "it was paused; `abide run resume` lets it continue";
            WaitingOn::new(WaitKind::Pause, None, why)
        }
    }
}

/// Describes a wait for signals that ends at `deadline`.
fn signal(since: Timestamp, deadline: Timestamp, signals: &AwaitedSignals) -> WaitingOn {
    let names: Vec<String> = signals.sent_by_others().map(|name| format!("`{name}`")).collect();
    let (kind, why) = match (names.as_slice(), signals.scheduled_at) {
        ([], None) => {
            (WaitKind::Timer, "it is in a planned pause; nobody has to do anything".to_owned())
        }
        ([], Some(_)) => (WaitKind::Timer, "it waits for a time that it has scheduled".to_owned()),
        (names, _) => {
            (WaitKind::Signal, format!("the signal {} has not arrived yet", names.join(" or ")))
        }
    };
    let until = signals.scheduled_at.into_iter().fold(deadline, Timestamp::min);
    WaitingOn { since: Some(since.to_string()), ..WaitingOn::new(kind, Some(until), why) }
}

/// Describes a wait for a person who may approve the next call.
async fn approval(tx: &mut Tx, row: &RunRow, wait: &ApprovalWait) -> Result<WaitingOn, Problem> {
    let found = tx.approval(&row.tenant, wait.id).await?;
    let why = match found {
        Some(found) => found.reason,
        None => "nobody has decided yet".to_owned(),
    };
    let waiting = WaitingOn::new(WaitKind::Approval, Some(wait.expires_at()), why);
    let (since, approval_id) = (Some(wait.since.to_string()), Some(wait.id));
    Ok(WaitingOn { since, approval_id, ..waiting })
}

/// Describes a wait for an outside system.
fn external(call: &ExternalCall) -> WaitingOn {
    let target = &call.target;
    let why = match call.stage {
        ExternalStage::Calling { .. } => format!("{target} is being called"),
        ExternalStage::InDoubt { .. } => {
            format!("it is not known whether {target} did it; it will be asked again")
        }
        ExternalStage::Accepted { .. } => {
            format!("{target} has accepted the call and not completed it yet")
        }
    };
    let since = Some(call.since.to_string());
    WaitingOn { since, ..WaitingOn::new(WaitKind::External, Some(call.stage.due()), why) }
}

/// Describes a wait for child runs.
fn children(since: Timestamp, fan: &FanOut) -> WaitingOn {
    let (total, need, done) = (fan.total, fan.need, fan.window_start);
    let why = match (total, fan.stopping) {
        (_, true) => "its child runs are being stopped".to_owned(),
        (1, false) => "its child run has not ended yet".to_owned(),
        _ => format!("{done} of its {total} child runs have ended, {need} must complete"),
    };
    let count = |n: usize| i64::try_from(n).ok();
    WaitingOn {
        since: Some(since.to_string()),
        need: count(need),
        have: count(fan.completed),
        ..WaitingOn::new(WaitKind::Child, fan.until, why)
    }
}
