//! Builds the view of a run that the API shows.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::shapes::{RunError, RunPhase, Unanswered, WaitKind};
use super::stuck::{self, Stuck};
use crate::base::{Problem, RequestId, RunId, Timestamp, Value};
use crate::driver::{self, Core};
use crate::method::{Graph, StepAction};
use crate::run::{
    EarlyEnd, FanOut, Phase, RunOutcome, RunState, RunStatus, SCHEDULED_SIGNAL, WaitingFor,
};
use crate::store::{RunRow, Tx};

/// A run. Members without a value are left out.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct RunView {
    /// Id of the run.
    pub id: RunId,
    /// Name of its method.
    pub method: String,
    /// Number of the method's version that it is pinned to.
    pub method_version: i64,
    /// Status: `pending`, `running`, `waiting`, `paused`, `completed`, `failed` or `cancelled`.
    #[schema(value_type = RunStatus)]
    pub status: String,
    /// Outcome of a completed run: `succeeded` or `fell_short`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RunOutcome>)]
    pub outcome: Option<String>,
    /// Goal that it was started with.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Object)]
    pub goal: Value,
    /// Id of the request that it works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    /// Current position in its method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Values of its variables by name; a large value is replaced by `{digest}`. Left out in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vars: Option<serde_json::Map<String, Value>>,
    /// What it waits for, or why it is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<WaitingOn>,
    /// Time at which it is due next without an event from outside (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub next_timer_at: Option<String>,
    /// Reason why it failed: `{code, message, hint, step_id}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RunError>)]
    pub error: Option<Value>,
    /// `compensating` while it undoes its calls, `cancelling` while it finishes after it was cancelled;
    /// absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RunPhase>)]
    pub phase: Option<String>,
    /// Whether the kill switch of its tenant holds it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// Why it is stuck, and who must act. Absent if it is not stuck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck: Option<Stuck>,
    /// Id of the run that started it and waits for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<RunId>,
    /// Id of the run that was cancelled to make way for it; it begins when that run has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<RunId>,
    /// Id of the run that it was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<RunId>,
    /// Time at which it was started (RFC 3339).
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time of its latest event (RFC 3339).
    #[schema(format = DateTime)]
    pub updated_at: String,
}

impl RunView {
    /// Whether the run has not ended.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !["completed", "failed", "cancelled"].contains(&self.status.as_str())
    }
}

/// The position of a run in its method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Position {
    /// Id of the step.
    pub step_id: String,
    /// Path of the step in the method's text, such as `steps/2`.
    pub path: String,
    /// Index of the current item, from 0, if the step or one around it has a `foreach`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreach_index: Option<usize>,
}

/// What a run waits for, or why it is paused.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct WaitingOn {
    /// Kind of the wait: `replies`, `answer`, `signal`, `timer`, `child`, `retry`, `pause`, `quarantine` or
    /// `capable_node`.
    #[schema(value_type = WaitKind)]
    pub kind: String,
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
    /// The reason for the wait, in words.
    pub why: String,
}

impl WaitingOn {
    /// Returns the names of the people who have not answered.
    pub(super) fn names(&self) -> Vec<String> {
        let people = self.from.as_array().into_iter().flatten();
        people.filter_map(|person| person["name"].as_str().map(str::to_owned)).collect()
    }
}

/// Builds the full view of a run, with its variables and the people who have not answered.
pub(super) async fn whole(core: &Arc<Core>, tx: &mut Tx, row: RunRow) -> Result<RunView, Problem> {
    let run = row.id;
    let mut view = brief(core, tx, row).await?;
    let vars = tx.all_vars(run).await?;
    let vars = vars.into_iter().filter(|(name, _)| !name.starts_with('#'));
    view.vars = Some(vars.collect());
    if let Some(wait) = &mut view.waiting_on
        && wait.kind == "replies"
        && let Some(spec) = wait_spec(tx, run).await?
    {
        wait.from = core.domain.awaited_people(tx, spec.request, &spec.open_cells).await?;
    }
    Ok(view)
}

/// Returns the specification of a run's wait for replies, if it has one.
async fn wait_spec(tx: &mut Tx, run: RunId) -> Result<Option<crate::verb::WaitSpec>, Problem> {
    let Some(row) = tx.run(run).await? else { return Ok(None) };
    let state = state_of(&row)?;
    let on = state.call().and_then(|call| call.waiting_for.clone());
    Ok(on.and_then(|on| match on {
        WaitingFor::Replies(wait) => Some(wait.spec),
        _ => None,
    }))
}

/// Parses the stored state of a run.
pub(super) fn state_of(row: &RunRow) -> Result<RunState, Problem> {
    serde_json::from_value(row.state.clone()).map_err(|e| Problem::bug(e.to_string()))
}

/// Builds the view of a run for a list: without its variables, and without the people of a campaign who
/// have not answered.
pub(super) async fn brief(core: &Arc<Core>, tx: &mut Tx, row: RunRow) -> Result<RunView, Problem> {
    let state = state_of(&row)?;
    let bundle = core.bundle(tx, row.bundle).await?;
    let position = position(&bundle.graph, &state);
    let signals = signals(&bundle.graph, &state);
    let timer = timer(tx, (row.id, &state), &signals).await?;
    let mut waiting_on = waiting_on(tx, (&row, &state), (&signals, timer)).await?;
    if let (Some(wait), Some(request)) = (&mut waiting_on, row.request)
        && wait.kind == "signal"
    {
        let askings =
            driver::latest_askings(tx, &bundle, &state.visible_runs(row.id), &signals).await?;
        if !askings.is_empty() {
            from_people(wait, core.domain.asked_people(tx, request, &askings).await?);
        }
    }
    let goal = tx.vars(row.id, &["goal".to_owned()]).await?;
    let error = state.error.as_ref().map(|error| {
        let problem = &error.problem;
        let mut shown = serde_json::json!({
            "code": problem.code, "message": problem.message, "step_id": error.step_id,
        });
        if let Some(hint) = &problem.hint {
            shown["hint"] = Value::from(hint.as_str());
        }
        shown
    });
    let is_live = row.ended_at.is_none();
    let stuck = stuck::judge(tx, (&row, &state)).await?;
    Ok(RunView {
        id: row.id,
        method: row.method,
        method_version: row.version,
        status: row.status,
        outcome: row.outcome,
        goal: goal.into_iter().next().map_or(Value::Null, |(_, goal)| goal),
        request_id: row.request,
        position,
        vars: None,
        waiting_on,
        next_timer_at: row.due_at.into_iter().chain(timer).min().filter(|_| is_live).map(text),
        error,
        phase: phase(&state).filter(|_| is_live).map(str::to_owned),
        held: row.held && is_live && stuck.is_none(),
        stuck,
        parent_id: row.parent,
        replaces: state.replaces,
        forked_from: state.forked_from,
        created_at: text(row.created_at),
        updated_at: text(row.last_at),
    })
}

/// Turns a wait for a signal into a wait for the answer of the people who were asked, if there are any.
fn from_people(wait: &mut WaitingOn, asked: Value) {
    let answer = WaitingOn { kind: "answer".to_owned(), from: asked, ..wait.clone() };
    let why = match answer.names().as_slice() {
        [] => return,
        [one] => format!("{one} has not answered yet"),
        many => format!("{} have not answered yet", many.join(" and ")),
    };
    *wait = WaitingOn { why, ..answer };
}

/// Returns the innermost step that the run is at, and the item of the innermost `foreach` around it.
fn position(graph: &Graph, state: &RunState) -> Option<Position> {
    let path = state.path(graph);
    let each = state.frames.iter().take(path.len()).rev().find_map(|frame| frame.foreach);
    path.last().map(|node| Position {
        step_id: node.step_id.clone(),
        path: node.key.clone(),
        foreach_index: each.map(|each| each.index),
    })
}

/// Returns what a run is doing if it ends before its steps do.
fn phase(state: &RunState) -> Option<&'static str> {
    match (state.phase, state.early_end?) {
        (Phase::Undo { .. }, _) => Some("compensating"),
        (Phase::OnCancel, _) | (_, EarlyEnd::Cancelling) => Some("cancelling"),
        _ => None,
    }
}

/// Returns the names of the signals that the current step waits for.
fn signals(graph: &Graph, state: &RunState) -> Vec<String> {
    match state.node(graph).map(|node| &node.action) {
        Some(StepAction::Await(wait)) => wait.signals.iter().map(|s| s.signal.clone()).collect(),
        _ => Vec::new(),
    }
}

/// Returns when the next message comes that the run has scheduled for itself, if it waits for that.
pub(super) async fn timer(
    tx: &mut Tx,
    (run, state): (RunId, &RunState),
    signals: &[String],
) -> Result<Option<Timestamp>, Problem> {
    if !signals.iter().any(|name| name == SCHEDULED_SIGNAL) {
        return Ok(None);
    }
    let root = state.lineage.as_ref().and_then(|lineage| lineage.inherits.last());
    Ok(tx.next_timer(*root.unwrap_or(&run)).await?)
}

async fn waiting_on(
    tx: &mut Tx,
    (row, state): (&RunRow, &RunState),
    signals: (&[String], Option<Timestamp>),
) -> Result<Option<WaitingOn>, Problem> {
    if row.stuck_on.is_some() && row.ended_at.is_none() {
        let why = "no running process has all of its verbs and can read its texts";
        return Ok(Some(plain("capable_node", None, why.to_owned())));
    }
    if row.status == RunStatus::Paused.as_str() {
        return Ok(Some(paused(state)));
    }
    if row.status != RunStatus::Waiting.as_str() {
        return Ok(None);
    }
    let Some(call) = state.call() else { return Ok(None) };
    if let Some(at) = call.retry_at {
        let why = format!("attempt {} of the step failed; it will be retried", call.attempt - 1);
        return Ok(Some(plain("retry", Some(at), why)));
    }
    let wait = match &call.waiting_for {
        Some(WaitingFor::Replies(wait)) => wait,
        Some(WaitingFor::Signal { since, deadline }) => {
            return Ok(Some(signal((*since, *deadline), signals)));
        }
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
        has(have),
        wait.spec.role,
        has(open)
    );
    Ok(Some(WaitingOn {
        kind: "replies".to_owned(),
        since: Some(text(wait.since)),
        until: Some(text(wait.deadline)),
        need: Some(need),
        have: Some(have),
        from: Value::Null,
        why,
    }))
}

/// Returns `has` or `have`, for this number of people.
fn has(people: i64) -> &'static str {
    if people == 1 { "has" } else { "have" }
}

fn paused(state: &RunState) -> WaitingOn {
    match state.quarantine {
        Some(claims) => {
            let why = format!(
                "it crashed the process that worked on it {claims} times in a row; `abide run resume` \
                 lets it continue"
            );
            plain("quarantine", None, why)
        }
        None => {
            plain("pause", None, "it was paused; `abide run resume` lets it continue".to_owned())
        }
    }
}

fn signal(
    (since, until): (Timestamp, Timestamp),
    (names, timer): (&[String], Option<Timestamp>),
) -> WaitingOn {
    let others = names.iter().filter(|name| timer.is_none() || *name != SCHEDULED_SIGNAL);
    let others: Vec<String> = others.map(|name| format!("`{name}`")).collect();
    let (kind, why) = match (others.as_slice(), timer) {
        ([], None) => ("timer", "it is in a planned pause; nobody has to do anything".to_owned()),
        ([], Some(_)) => ("timer", "it waits for a time that it has scheduled".to_owned()),
        (others, _) => {
            ("signal", format!("the signal {} has not arrived yet", others.join(" or ")))
        }
    };
    let until = timer.into_iter().fold(until, Timestamp::min);
    WaitingOn { since: Some(text(since)), ..plain(kind, Some(until), why) }
}

fn children(since: Timestamp, fan: &FanOut) -> WaitingOn {
    let (total, need, done) = (fan.total, fan.need, fan.window_start);
    let why = match (total, fan.stopping) {
        (_, true) => "its child runs are being stopped".to_owned(),
        (1, false) => "its child run has not ended yet".to_owned(),
        _ => format!("{done} of its {total} child runs have ended, {need} must complete"),
    };
    let count = |n: usize| i64::try_from(n).ok();
    WaitingOn {
        since: Some(text(since)),
        need: count(need),
        have: count(fan.completed),
        ..plain("child", fan.until, why)
    }
}

fn plain(kind: &str, until: Option<Timestamp>, why: String) -> WaitingOn {
    WaitingOn {
        kind: kind.to_owned(),
        since: None,
        until: until.map(text),
        need: None,
        have: None,
        from: Value::Null,
        why,
    }
}

fn text(at: Timestamp) -> String {
    at.to_string()
}
