//! Builds the view of a run that the API shows.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::stuck::{self, StuckReason};
use super::waiting_on::{self, AwaitedSignals, WaitKind, WaitingOn};
use crate::base::{CorrelationId, Problem, RequestId, RunId, Value};
use crate::driver::{self, Core};
use crate::method::Graph;
use crate::run::{EarlyEnd, Phase, RunFailure, RunOutcome, RunState, RunStatus, WaitingFor};
use crate::store::{RunRow, Tx};

/// A run. Members without a value are left out.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct RunView {
    /// Id of the run.
    pub id: RunId,
    /// Name of the run's method.
    pub method: String,
    /// Number of the method's version that the run is pinned to.
    pub method_version: i64,
    /// Status: `pending`, `running`, `waiting`, `paused`, `completed`, `failed` or `cancelled`.
    pub status: RunStatus,
    /// Outcome of a completed run: `succeeded` or `fell_short`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<RunOutcome>,
    /// Goal that the run was started with.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Object)]
    pub goal: Value,
    /// Id of the request that the run works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    /// Current position of the run in its method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Values of the run's variables by name; a large value is replaced by `{digest}`. Left out in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vars: Option<serde_json::Map<String, Value>>,
    /// What the run waits for, or why it is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<WaitingOn>,
    /// Time at which the run is due next without an event from outside (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub next_timer_at: Option<String>,
    /// Reason why the run failed: `{code, message, hint, step_id}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<RunFailureView>,
    /// `compensating` while the run undoes its calls,
    /// `cancelling` while it finishes after it was cancelled; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<RunPhase>,
    /// Whether the tenant's kill switch holds the run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// Why the run is stuck, and who must act. Absent if the run is not stuck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck: Option<StuckReason>,
    /// Whether the run is a shadow run: it is played in a copy of the database, and has no effect outside.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
    /// Id of the real run beside which this shadow run tries another version of the method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<RunId>,
    /// Id of the run that started this run and waits for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<RunId>,
    /// Id of the run that was cancelled in favour of this run,
    /// which begins when the cancelled run has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<RunId>,
    /// Id of the run that this run was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<RunId>,
    /// What set the run going: the id of the correlation that began with a message or with a request to the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<CorrelationId>,
    /// Time at which the run was started (RFC 3339).
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time of the run's latest event (RFC 3339).
    #[schema(format = DateTime)]
    pub updated_at: String,
}

impl RunView {
    /// Whether the run has not ended.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !self.status.is_terminal()
    }
}

crate::words! {
    /// The remaining work of a run that ends before its steps are done.
    pub enum RunPhase {
        /// The run undoes finished steps.
        Compensating = "compensating",
        /// The run was cancelled and runs `on_cancel`.
        Cancelling = "cancelling",
    }
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RunFailureView {
    /// Stable error code.
    pub code: String,
    /// The remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Error message, in one sentence.
    pub message: String,
    /// Id of the step that failed.
    pub step_id: String,
}

impl From<&RunFailure> for RunFailureView {
    fn from(error: &RunFailure) -> Self {
        let problem = &error.problem;
        Self {
            code: problem.code.to_string(),
            hint: problem.hint.clone(),
            message: problem.message.clone(),
            step_id: error.step_id.clone(),
        }
    }
}

/// The position of a run in its method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Position {
    /// Id of the step.
    pub step_id: String,
    /// Path of the step in the method's YAML source, such as `steps/2`.
    pub path: String,
    /// Index of the current item, from 0, if the step or an enclosing step has a `foreach`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreach_index: Option<usize>,
}

/// The name of the variable that holds the goal of a run.
const GOAL: &str = "goal";

/// Builds the full view of a run, with its variables and the people who have not answered.
pub(super) async fn full(core: &Arc<Core>, tx: &mut Tx, row: RunRow) -> Result<RunView, Problem> {
    let run = row.id;
    let goal = tx.var_of_runs(GOAL, &[run]).await?.remove(&run);
    let mut view = brief(core, tx, row, goal.as_deref()).await?;
    let vars = tx.all_vars(run).await?;
    let vars = vars.into_iter().filter(|(name, _)| !name.starts_with('#'));
    view.vars = Some(vars.collect());
    if let Some(wait) = &mut view.waiting_on
        && wait.kind == WaitKind::Replies
        && let Some(spec) = wait_spec(tx, run).await?
    {
        wait.from = core.domain.awaited_people(tx, spec.request, &spec.open_cells).await?;
    }
    Ok(view)
}

/// Returns what a run waits for if it waits for replies to offers; `None` otherwise.
async fn wait_spec(tx: &mut Tx, run: RunId) -> Result<Option<crate::verb::WaitSpec>, Problem> {
    let Some(row) = tx.run(run).await? else { return Ok(None) };
    let state = row.parsed_state()?;
    let on = state.call().and_then(|call| call.waiting_for.clone());
    Ok(on.and_then(|on| match on {
        WaitingFor::Replies(wait) => Some(wait.spec),
        _ => None,
    }))
}

/// Builds the views of runs for a list: without their variables,
/// and without the people whose replies to offers are awaited.
pub(super) async fn briefs(
    core: &Arc<Core>,
    tx: &mut Tx,
    rows: Vec<RunRow>,
) -> Result<Vec<RunView>, Problem> {
    let runs: Vec<RunId> = rows.iter().map(|row| row.id).collect();
    let goals = tx.var_of_runs(GOAL, &runs).await?;
    let mut views = Vec::with_capacity(rows.len());
    for row in rows {
        let goal = goals.get(&row.id).map(String::as_str);
        views.push(brief(core, tx, row, goal).await?);
    }
    Ok(views)
}

/// Builds the view of a run for a list. `goal` is the goal of the run, as JSON.
async fn brief(
    core: &Arc<Core>,
    tx: &mut Tx,
    row: RunRow,
    goal: Option<&str>,
) -> Result<RunView, Problem> {
    let state = row.parsed_state()?;
    let bundle = core.bundle(tx, row.bundle).await?;
    let position = position(&bundle.graph, &state);
    let signals = AwaitedSignals::of(tx, row.id, &bundle.graph, &state).await?;
    let mut waiting_on = waiting_on::read(tx, &row, &state, &signals).await?;
    if let (Some(wait), Some(request)) = (&mut waiting_on, row.request)
        && wait.kind == WaitKind::Signal
    {
        let line = state.visible_runs(row.id);
        let askings = driver::latest_askings(tx, &bundle, &line, &signals.names).await?;
        if !askings.is_empty() {
            wait.name_asked_people(core.domain.asked_people(tx, request, &askings).await?);
        }
    }
    let goal = goal.map_or(Ok(Value::Null), serde_json::from_str);
    let goal = goal.map_err(|e| Problem::bug(format!("the goal of {}: {e}", row.id)))?;
    let is_live = row.ended_at.is_none();
    let stuck = stuck::judge(tx, &row, &state).await?;
    let timers = row.due_at.into_iter().chain(signals.scheduled_at);
    Ok(RunView {
        id: row.id,
        method: row.method,
        method_version: row.version,
        status: row.status,
        outcome: row.outcome,
        goal,
        request_id: row.request,
        position,
        vars: None,
        waiting_on,
        next_timer_at: timers.min().filter(|_| is_live).map(|at| at.to_string()),
        error: state.error.as_ref().map(RunFailureView::from),
        phase: phase(&state).filter(|_| is_live),
        held: row.held && is_live && stuck.is_none(),
        stuck,
        shadow: row.shadow,
        beside: state.shadow.and_then(|shadow| shadow.beside),
        parent_id: row.parent,
        replaces: state.replaces,
        forked_from: state.forked_from,
        correlation_id: row.correlation,
        created_at: row.created_at.to_string(),
        updated_at: row.last_at.to_string(),
    })
}

/// Returns the current step of the run, and the index of the current item
/// if a `foreach` encloses the step or belongs to it.
fn position(graph: &Graph, state: &RunState) -> Option<Position> {
    let path = state.path(graph);
    let each = state.frames.iter().take(path.len()).rev().find_map(|frame| frame.foreach);
    path.last().map(|node| Position {
        step_id: node.step_id.clone(),
        path: node.key.clone(),
        foreach_index: each.map(|each| each.index),
    })
}

/// Returns `Compensating` for a run that is undoing its calls, and `Cancelling` for a cancelled run that
/// is not undoing calls. Returns `None` for any other run.
fn phase(state: &RunState) -> Option<RunPhase> {
    match (state.phase, state.early_end?) {
        (Phase::Undo { .. }, _) => Some(RunPhase::Compensating),
        (Phase::OnCancel, _) | (_, EarlyEnd::Cancelling) => Some(RunPhase::Cancelling),
        _ => None,
    }
}
