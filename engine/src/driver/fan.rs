//! A step whose work is done by child runs: branches side by side, rounds of a `foreach`, another
//! method.

use std::ops::Range;

use super::call::{self, CallParts, Called, no_transaction};
use super::look::park;
use super::step::Step;
use super::{answers, load, start};
use crate::base::{Digest, Problem, RunId, Timestamp, Value, limits};
use crate::domain::StartRun;
use crate::method::{Act, Node};
use crate::run::{
    CallState, ChildEnd, Each, Fan, FanStep, Frame, Happening, Lineage, Pending, Phase, RunState,
    Status, abreast, items_name, kept_names, passed, rounds_done,
};
use crate::store::{ChildOf, ChildRow, NewRun};

/// Begins the step: nothing is started yet.
pub(super) async fn begin(
    step: &mut Step<'_>,
    node: &Node,
    (mut fan, with): (Fan, &Value),
) -> Result<Called, Problem> {
    let now = step.draft.last_at;
    if let Act::Method(method) = &node.act {
        fan.until = method.timeout.map(|timeout| now + timeout);
    }
    let args = step.draft.freeze(with);
    let call = CallState::new((step.core.ids.mint(now), args), now, Some(Pending::Children(fan)));
    look(step, call, with).await
}

/// One look at the children.
pub(super) async fn look(
    step: &mut Step<'_>,
    mut call: CallState,
    with: &Value,
) -> Result<Called, Problem> {
    let Some(Pending::Children(mut fan)) = call.on.clone() else {
        return Err(Problem::bug("no children in hand"));
    };
    let now = step.draft.last_at;
    let mut window = children(step, &call, fan.low..fan.started).await?;
    let mut ends: Vec<ChildEnd> = window.iter().map(end_of).collect();
    loop {
        match fan.decide(&ends, now) {
            FanStep::Start(more) => {
                start_more(step, (&call, &fan), (more, with)).await?;
                fan.started += more;
                ends.extend(std::iter::repeat_n(ChildEnd::Open, more));
                if more == limits::CHILDREN_CHUNK_MAX {
                    call.on = Some(Pending::Children(fan));
                    step.draft.hold(call);
                    step.draft.happen(Happening::Moves)?;
                    return Ok(Called::InHand);
                }
            }
            FanStep::Stop => {
                let open = window.iter().filter(|child| end_of(child) == ChildEnd::Open);
                let open: Vec<RunId> = open.map(|child| child.run).collect();
                stop(step, &open).await?;
                fan.stopping = true;
            }
            FanStep::Wait => {
                take_over(step, &fan, ended(&window)).await?;
                fan.fold(&ends);
                let until = fan.until.filter(|_| !fan.stopping);
                call.on = Some(Pending::Children(fan));
                return park(step, call, until);
            }
            FanStep::Good => {
                take_over(step, &fan, &window).await?;
                return done(step, &call, window.pop()).await;
            }
            FanStep::Bad => {
                if let Some(first) = fan.first_bad {
                    window.splice(0..0, children(step, &call, first..first + 1).await?);
                }
                return Err(failure(step, &fan, &window));
            }
        }
    }
}

/// Tells children to stop: they undo what they must, and end.
pub(super) async fn stop(step: &mut Step<'_>, open: &[RunId]) -> Result<(), Problem> {
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let why = serde_json::json!({ "why": "its parent goes on without it" });
    for child in open {
        tx.signal(*child, "cancel", (None, Some("parent")), &why).await?;
    }
    Ok(())
}

async fn children(
    step: &mut Step<'_>,
    call: &CallState,
    places: Range<usize>,
) -> Result<Vec<ChildRow>, Problem> {
    let parent = step.live.id;
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    Ok(tx.children((parent, call.id), places).await?)
}

fn end_of(child: &ChildRow) -> ChildEnd {
    match Status::parse(&child.status) {
        Some(Status::Completed) => ChildEnd::Good,
        Some(Status::Failed | Status::Cancelled) => ChildEnd::Bad,
        _ => ChildEnd::Open,
    }
}

/// The children that have ended, as far as no open one stands before them.
fn ended(window: &[ChildRow]) -> &[ChildRow] {
    let open = window.iter().position(|child| end_of(child) == ChildEnd::Open);
    &window[..open.unwrap_or(window.len())]
}

/// Takes over what ended children leave: variables, messages sent, calls that can be undone.
async fn take_over(step: &mut Step<'_>, fan: &Fan, children: &[ChildRow]) -> Result<(), Problem> {
    let node = call::node(step)?;
    let parent = step.live.id;
    let mut undos = Vec::new();
    for (ordinal, child) in (fan.low..).zip(children) {
        let state = state_of(child)?;
        step.draft.state.messages += state.messages;
        if end_of(child) != ChildEnd::Good || state.lineage.is_none_or(|l| l.inherits.is_empty()) {
            continue;
        }
        undos.push((child.run, state.undos));
        let mut names: Vec<String> = match &node.act {
            Act::Parallel(parallel) if node.foreach.is_none() => {
                parallel.fills.get(ordinal).cloned().unwrap_or_default()
            }
            _ => {
                let fills = node.foreach.iter().flat_map(|foreach| &foreach.fills).cloned();
                kept_names(node, ordinal).into_iter().chain(fills).collect()
            }
        };
        names.extend(answers::remembered(&step.live.bundle));
        let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
        for (name, value) in tx.vars(child.run, &names).await? {
            step.draft.assign(name, value);
        }
    }
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    step.draft.state.undos = tx.adopt_undos(parent, (step.draft.state.undos, &undos)).await?;
    call::check_messages(step)
}

/// All children have ended, and enough of them well.
async fn done(
    step: &mut Step<'_>,
    call: &CallState,
    last: Option<ChildRow>,
) -> Result<Called, Problem> {
    let node = call::node(step)?;
    let body = serde_json::json!({ "step_id": node.step_id, "call_id": call.id });
    step.event("children.done", body);
    step.draft.happen(Happening::Moves)?;
    match &node.act {
        Act::Method(method) if !has_rounds(step, node) => {
            let value = match (&method.out, last) {
                (Some(_), Some(child)) => method_result(step, &child).await?,
                _ => Value::Null,
            };
            for (name, value) in crate::run::called(node, &mut step.draft.state, &value) {
                step.draft.assign(name, value);
            }
        }
        _ if has_rounds(step, node) => rounds_done(&mut step.draft.state),
        _ => passed(&mut step.draft.state),
    }
    Ok(Called::Finished)
}

/// The children are rounds of the step's `foreach`.
fn has_rounds(step: &Step<'_>, node: &Node) -> bool {
    abreast(node, &step.draft.state).is_some()
}

async fn method_result(step: &mut Step<'_>, child: &ChildRow) -> Result<Value, Problem> {
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let vars = tx.all_vars(child.run).await?;
    let own = vars.into_iter().filter(|(name, _)| {
        !name.starts_with('#') && !crate::method::IMPLIED.contains(&name.as_str())
    });
    let vars: serde_json::Map<String, Value> = own.collect();
    Ok(serde_json::json!({ "run_id": child.run, "outcome": child.outcome, "vars": vars }))
}

/// Why too few children came to a good end: the first that failed says it.
fn failure(step: &Step<'_>, fan: &Fan, children: &[ChildRow]) -> Problem {
    let late = fan.until.is_some_and(|until| step.draft.last_at >= until);
    if late {
        return Problem::caller("timeout", "the method took longer than the step allows")
            .with_hint("raise `timeout` of the step");
    }
    // A child that was cancelled because another failed has no error of its own.
    let mut failed = children.iter().filter(|child| end_of(child) == ChildEnd::Bad);
    let error = failed.find_map(|child| state_of(child).ok()?.error);
    let method = matches!(call::node(step).map(|node| &node.act), Ok(Act::Method(_)));
    match (error, method) {
        (Some(error), false) => error.problem,
        (Some(error), true) => {
            let message = format!("the method failed: {}", error.problem.message);
            let mut problem = Problem::author("child_failed", message);
            problem.detail = Some(format!("{} in step {}", error.problem.code, error.step_id));
            problem.hint = error.problem.hint;
            problem
        }
        (None, _) => Problem::caller("child_cancelled", "what the step started was cancelled"),
    }
}

fn state_of(child: &ChildRow) -> Result<RunState, Problem> {
    serde_json::from_value(child.state.clone()).map_err(|e| Problem::bug(e.to_string()))
}

/// Starts the next children, all in this commit.
async fn start_more(
    step: &mut Step<'_>,
    (call, fan): (&CallState, &Fan),
    (more, with): (usize, &Value),
) -> Result<(), Problem> {
    let node = call::node(step)?;
    let lineage = lineage(step)?;
    if let (Act::Method(method), false) = (&node.act, has_rounds(step, node)) {
        return start_method(step, call, (&method.method, with), lineage).await;
    }
    let live = step.live;
    let around = items_around(step).await?;
    let items = match has_rounds(step, node) {
        true => Some(one_variable(step, &items_name(node)).await?),
        false => None,
    };
    let mut new = Vec::with_capacity(more);
    for ordinal in fan.started..fan.started + more {
        let mut vars = around.clone();
        if let (Some(foreach), Some(items)) = (&node.foreach, &items) {
            let item = items.get(ordinal).cloned().unwrap_or(Value::Null);
            vars.push((foreach.variable.clone(), item.to_string()));
        }
        let state = child_state(step, node, (ordinal, items.is_some()), lineage.clone())?;
        new.push(NewRun {
            id: step.core.ids.mint(step.draft.last_at),
            tenant: live.tenant.to_string(),
            request: live.request,
            bundle: live.bundle.digest,
            method: live.bundle.graph.method.clone(),
            version: live.version,
            campaign: live.campaign,
            child_of: Some(ChildOf {
                parent: live.id,
                call: call.id,
                ordinal: i64::try_from(ordinal).unwrap_or(i64::MAX),
                branch: true,
            }),
            start_key: None,
            state_v: crate::run::STATE_V,
            state: serde_json::to_string(&state).map_err(|e| Problem::bug(e.to_string()))?,
            vars,
            owner: None,
            rests_on: None,
            settings_version: None,
        });
    }
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    tx.insert_runs(&new).await?;
    Ok(())
}

fn child_state(
    step: &Step<'_>,
    node: &Node,
    (ordinal, is_round): (usize, bool),
    lineage: Lineage,
) -> Result<RunState, Problem> {
    let ix = step.live.bundle.graph.ix_of(node).ok_or_else(|| Problem::bug("no such step"))?;
    let phase = match is_round {
        true => Phase::Item { node: ix },
        false => Phase::Branch { node: ix, branch: ordinal },
    };
    let each = is_round.then_some(Each { index: ordinal, len: ordinal + 1 });
    Ok(RunState {
        phase,
        frames: vec![Frame { each, ..Frame::default() }],
        lineage: Some(lineage),
        ..RunState::default()
    })
}

fn lineage(step: &Step<'_>) -> Result<Lineage, Problem> {
    let live = step.live;
    let above = live.state.lineage.as_ref();
    let depth = above.map_or(0, |above| above.depth) + 1;
    if depth > limits::CHILDREN_DEPTH_MAX {
        let message = format!("runs inside runs, deeper than {}", limits::CHILDREN_DEPTH_MAX);
        return Err(Problem::author("children_too_deep", message));
    }
    let mut inherits = vec![live.id];
    inherits.extend(above.iter().flat_map(|above| &above.inherits));
    let after = step.draft.state.log_seq;
    Ok(Lineage { parent: live.id, depth, inherits, after, ends_by: step.ends_by() })
}

/// The items of the `foreach`es round the step: variables of the children's own.
async fn items_around(step: &mut Step<'_>) -> Result<Vec<(String, String)>, Problem> {
    // Where the run stands now: its way to this step may have led past others.
    let (live, state) = (step.live, step.draft.state.clone());
    let path = state.path(&live.bundle.graph);
    let mut around = Vec::new();
    for (node, frame) in path.into_iter().zip(&state.frames) {
        let (Some(foreach), Some(each)) = (&node.foreach, frame.each) else { continue };
        if foreach.abreast.is_none() {
            let items = one_variable(step, &items_name(node)).await?;
            let item = items.get(each.index).cloned().unwrap_or(Value::Null);
            around.push((foreach.variable.clone(), item.to_string()));
        }
    }
    Ok(around)
}

async fn one_variable(step: &mut Step<'_>, name: &str) -> Result<Value, Problem> {
    let assigned = step.draft.assigned.iter().rev().find(|(known, _)| known == name);
    if let Some((_, value)) = assigned {
        return Ok(value.clone());
    }
    let found = load::named_values(step, &[name.to_owned()]).await?;
    Ok(found.into_iter().next().map_or(Value::Null, |(_, value)| value))
}

/// Starts another method in this commit, with the texts that this run is pinned to.
async fn start_method(
    step: &mut Step<'_>,
    call: &CallState,
    (method, with): (&str, &Value),
    lineage: Lineage,
) -> Result<(), Problem> {
    let parts = CallParts::load(step).await?;
    let goal = with.get("goal").cloned().unwrap_or_else(|| parts.goal().clone());
    let wanted = StartRun {
        method: method.to_owned(),
        goal,
        request: step.live.request,
        vars: with.get("vars").and_then(Value::as_object).cloned().unwrap_or_default(),
        ..StartRun::default()
    };
    let (core, live) = (step.core, step.live);
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let bundle = core.child_bundle(tx, &live.bundle, method).await?;
    let child = start::Child {
        of: ChildOf { parent: live.id, call: call.id, ordinal: 0, branch: false },
        lineage: Lineage { inherits: Vec::new(), ..lineage },
    };
    let settings = &live.settings; // the step's commit compares their version
    start::start_child(core, tx, (&live.tenant, &wanted), (bundle, child), settings).await
}

impl CallState {
    /// A step that begins to wait.
    pub(super) fn new(
        (id, args): (crate::base::CallId, Digest),
        now: Timestamp,
        on: Option<Pending>,
    ) -> Self {
        Self {
            id,
            attempt: 1,
            started_at: now,
            args,
            cursor: None,
            so_far: None,
            retry_at: None,
            on,
        }
    }
}
