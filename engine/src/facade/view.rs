//! A run as people and programs see it.

use std::sync::Arc;

use serde::Serialize;

use super::stuck::{self, Stuck};
use crate::base::{Problem, RequestId, RunId, Timestamp, Value};
use crate::driver::{self, Core};
use crate::method::{Act, Graph};
use crate::run::{Closing, Fan, Pending, Phase, RunState, SCHEDULED, Status};
use crate::store::{RunRow, Tx};

/// A run. Absent members are left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunView {
    /// Its id.
    pub id: RunId,
    /// Its method.
    pub method: String,
    /// The method's version.
    pub method_version: i64,
    /// `pending running waiting paused completed failed cancelled`.
    pub status: String,
    /// `succeeded` or `fell_short`, once completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// What it is to achieve.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub goal: Value,
    /// The request it works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    /// Where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Its variables; large ones by digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vars: Option<serde_json::Map<String, Value>>,
    /// What it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<WaitingOn>,
    /// When it looks again by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_timer_at: Option<String>,
    /// Why it failed: `{code, message, hint, step_id}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
    /// `compensating` or `cancelling` while it comes to an end before its steps do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The kill switch of its tenant holds it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// Past the time by which it should have moved on: why, and who must act.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck: Option<Stuck>,
    /// The run that started it and waits for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<RunId>,
    /// The run that was cancelled for it; it begins when that one has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<RunId>,
    /// The run that it was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<RunId>,
    /// When it was started.
    pub created_at: String,
    /// When it last did anything.
    pub updated_at: String,
}

impl RunView {
    /// True until it has ended.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !["completed", "failed", "cancelled"].contains(&self.status.as_str())
    }
}

/// Where a run stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Position {
    /// The step.
    pub step_id: String,
    /// Its place in the method's text.
    pub path: String,
    /// The item of its `foreach`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreach_index: Option<usize>,
}

/// What a run waits for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaitingOn {
    /// `replies`, `answer`, `signal`, `timer`, `child`, `retry`, `pause`, `quarantine` or `capable_node`.
    pub kind: String,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Until when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// How many are needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub need: Option<i64>,
    /// How many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub have: Option<i64>,
    /// Who has not answered: `[{person_id, name}]`.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub from: Value,
    /// The same in one sentence.
    pub why: String,
}

impl WaitingOn {
    /// The names of those who have not answered.
    pub(super) fn names(&self) -> Vec<String> {
        let people = self.from.as_array().into_iter().flatten();
        people.filter_map(|person| person["name"].as_str().map(str::to_owned)).collect()
    }
}

/// A run with everything.
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
        wait.from = core.domain.silent(tx, spec.request, &spec.open_cells).await?;
    }
    Ok(view)
}

async fn wait_spec(tx: &mut Tx, run: RunId) -> Result<Option<crate::verb::WaitSpec>, Problem> {
    let Some(row) = tx.run(run).await? else { return Ok(None) };
    let state = state_of(&row)?;
    let on = state.call().and_then(|call| call.on.clone());
    Ok(on.and_then(|on| match on {
        Pending::Replies(wait) => Some(wait.spec),
        _ => None,
    }))
}

pub(super) fn state_of(row: &RunRow) -> Result<RunState, Problem> {
    serde_json::from_value(row.state.clone()).map_err(|e| Problem::bug(e.to_string()))
}

/// A run as a list shows it: without variables and without the names of a whole campaign.
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
        let askings = driver::latest_askings(tx, (&bundle, &state.line(row.id)), &signals).await?;
        if !askings.is_empty() {
            from_people(wait, core.domain.asked(tx, request, &askings).await?);
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

/// Makes of a wait for a message the wait for an answer of those who were asked, if anybody was.
fn from_people(wait: &mut WaitingOn, asked: Value) {
    let answer = WaitingOn { kind: "answer".to_owned(), from: asked, ..wait.clone() };
    let why = match answer.names().as_slice() {
        [] => return,
        [one] => format!("{one} has not answered yet"),
        many => format!("{} have not answered yet", many.join(" and ")),
    };
    *wait = WaitingOn { why, ..answer };
}

fn position(graph: &Graph, state: &RunState) -> Option<Position> {
    let path = state.path(graph);
    let each = state.frames.iter().take(path.len()).rev().find_map(|frame| frame.each);
    path.last().map(|node| Position {
        step_id: node.step_id.clone(),
        path: node.key.clone(),
        foreach_index: each.map(|each| each.index),
    })
}

/// What it does before its end, if that comes before the end of its steps.
fn phase(state: &RunState) -> Option<&'static str> {
    match (state.phase, state.closing?) {
        (Phase::Undo { .. }, _) => Some("compensating"),
        (Phase::OnCancel, _) | (_, Closing::Cancelling) => Some("cancelling"),
        _ => None,
    }
}

/// The messages from outside that the step at hand waits for.
fn signals(graph: &Graph, state: &RunState) -> Vec<String> {
    match state.node(graph).map(|node| &node.act) {
        Some(Act::Await(wait)) => wait.signals.iter().map(|s| s.signal.clone()).collect(),
        _ => Vec::new(),
    }
}

/// When the message comes that the run has scheduled for itself, if it waits for that.
pub(super) async fn timer(
    tx: &mut Tx,
    (run, state): (RunId, &RunState),
    signals: &[String],
) -> Result<Option<Timestamp>, Problem> {
    if !signals.iter().any(|name| name == SCHEDULED) {
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
        let why = "no process that runs can carry it on: its verbs or the form of its texts are not theirs";
        return Ok(Some(plain("capable_node", None, why.to_owned())));
    }
    if row.status == Status::Paused.as_str() {
        return Ok(Some(paused(state)));
    }
    if row.status != Status::Waiting.as_str() {
        return Ok(None);
    }
    let Some(call) = state.call() else { return Ok(None) };
    if let Some(at) = call.retry_at {
        let why = format!("attempt {} of the step failed; it is tried again", call.attempt - 1);
        return Ok(Some(plain("retry", Some(at), why)));
    }
    let wait = match &call.on {
        Some(Pending::Replies(wait)) => wait,
        Some(Pending::Signal { since, deadline }) => {
            return Ok(Some(signal((*since, *deadline), signals)));
        }
        Some(Pending::Children(fan)) => return Ok(Some(children(call.started_at, fan))),
        None => return Ok(None),
    };
    let tallies = tx.request_tallies(wait.spec.request).await?;
    let have = tallies.get(&wait.spec.yes_cell).map_or(0, |tally| tally.yes);
    let open: i64 =
        wait.spec.open_cells.iter().filter_map(|cell| tallies.get(cell)).map(|t| t.open).sum();
    let need = wait.spec.need;
    let why = format!(
        "{have} of {need} have said yes for {}, {open} have not answered yet",
        wait.spec.role
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

fn paused(state: &RunState) -> WaitingOn {
    match state.quarantine {
        Some(claims) => {
            let why = format!(
                "{claims} processes that took it came to their end over it; `abide run resume` gives it another go"
            );
            plain("quarantine", None, why)
        }
        None => {
            plain("pause", None, "somebody paused it; `abide run resume` lets it go on".to_owned())
        }
    }
}

fn signal(
    (since, until): (Timestamp, Timestamp),
    (names, timer): (&[String], Option<Timestamp>),
) -> WaitingOn {
    let others = names.iter().filter(|name| timer.is_none() || *name != SCHEDULED);
    let others: Vec<String> = others.map(|name| format!("`{name}`")).collect();
    let (kind, why) = match (others.as_slice(), timer) {
        ([], None) => ("timer", "it pauses; nobody has to do anything".to_owned()),
        ([], Some(_)) => ("timer", "it waits for the time that it has scheduled".to_owned()),
        (others, _) => ("signal", format!("nobody has sent it {} yet", others.join(" or "))),
    };
    let until = timer.into_iter().fold(until, Timestamp::min);
    WaitingOn { since: Some(text(since)), ..plain(kind, Some(until), why) }
}

fn children(since: Timestamp, fan: &Fan) -> WaitingOn {
    let (total, need, done) = (fan.total, fan.need, fan.low);
    let why = match (total, fan.stopping) {
        (_, true) => "what it started is being stopped".to_owned(),
        (1, false) => "a run that it started has not ended yet".to_owned(),
        _ => format!("{done} of the {total} runs that it started have ended, it needs {need}"),
    };
    let count = |n: usize| i64::try_from(n).ok();
    WaitingOn {
        since: Some(text(since)),
        need: count(need),
        have: count(fan.ok),
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
