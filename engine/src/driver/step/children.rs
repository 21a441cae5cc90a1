//! Starts child runs: branches, rounds and called methods.

use super::super::start::{Child, ChildStart, start_child};
use super::call::CallParts;
use super::context::{self, Step, no_transaction};
use super::load;
use crate::base::{Problem, Value, limits};
use crate::domain::StartRun;
use crate::method::{Node, NodeIndex, StepAction};
use crate::run::{
    CallState, FanOut, ForeachProgress, Frame, Lineage, Phase, RunState, items_name,
    round_concurrency,
};
use crate::store::{NewRun, ParentLink};

/// Starts the next child runs of a step, all in the commit of that step. The parameter `more` is the
/// number of child runs to start.
pub(super) async fn start_more(
    step: &mut Step<'_>,
    call: &CallState,
    fan: &FanOut,
    more: usize,
    with: &Value,
) -> Result<(), Problem> {
    let node = context::node(step)?;
    let lineage = lineage(step)?;
    if let (StepAction::Method(method), false) = (&node.action, has_rounds(step, node)) {
        return start_method(step, call, &method.method, with, lineage).await;
    }
    let live = step.live;
    let around = items_around(step).await?;
    let items = match has_rounds(step, node) {
        true => Some(one_variable(step, &items_name(node)).await?),
        false => None,
    };
    let ix = live.bundle.graph.index_of(node).ok_or_else(|| Problem::bug("no such step"))?;
    let mut new = Vec::with_capacity(more);
    for ordinal in fan.started..fan.started + more {
        let mut vars = around.clone();
        if let (Some(foreach), Some(items)) = (&node.foreach, &items) {
            let item = items.get(ordinal).cloned().unwrap_or(Value::Null);
            vars.push((foreach.variable.clone(), item.to_string()));
        }
        let state = match items {
            Some(_) => round_state(ix, ordinal, lineage.clone()),
            None => branch_state(ix, ordinal, lineage.clone()),
        };
        let state = RunState { consent: step.draft.state.consent, ..state };
        new.push(NewRun {
            id: step.core.ids.mint(step.draft.last_at),
            tenant: live.tenant.to_string(),
            request: live.request,
            bundle: live.bundle.digest,
            method: live.bundle.graph.method.clone(),
            version: live.version,
            campaign: live.campaign,
            shadow: false,
            parent_link: Some(ParentLink {
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
            expected_active_version: None,
            settings_version: None,
            correlation: None,
        });
    }
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    tx.insert_runs(&new).await?;
    Ok(())
}

/// Returns the initial state of the child run for one round of the `foreach` at `node`.
fn round_state(node: NodeIndex, ordinal: usize, lineage: Lineage) -> RunState {
    let foreach = Some(ForeachProgress { index: ordinal, len: ordinal + 1 });
    RunState {
        phase: Phase::Item { node },
        frames: vec![Frame { foreach, ..Frame::default() }],
        lineage: Some(lineage),
        ..RunState::default()
    }
}

/// Returns the initial state of the child run for one branch of the `parallel` at `node`.
fn branch_state(node: NodeIndex, ordinal: usize, lineage: Lineage) -> RunState {
    RunState {
        phase: Phase::Branch { node, branch: ordinal },
        frames: vec![Frame::default()],
        lineage: Some(lineage),
        ..RunState::default()
    }
}

fn lineage(step: &Step<'_>) -> Result<Lineage, Problem> {
    let live = step.live;
    let above = live.state.lineage.as_ref();
    let depth = above.map_or(0, |above| above.depth) + 1;
    if depth > limits::CHILDREN_DEPTH_MAX {
        let message =
            format!("child runs would be nested deeper than {}", limits::CHILDREN_DEPTH_MAX);
        return Err(Problem::author("children_too_deep", message));
    }
    let mut inherits = vec![live.id];
    inherits.extend(above.iter().flat_map(|above| &above.inherits));
    let after = step.draft.state.log_seq;
    Ok(Lineage { parent: live.id, depth, inherits, after, ends_by: step.ends_by() })
}

/// Returns the current items of the `foreach` steps that enclose the current step. These items become
/// variables of the child runs.
async fn items_around(step: &mut Step<'_>) -> Result<Vec<(String, String)>, Problem> {
    // The position comes from the draft and not from the run in memory, because the run may have passed
    // other steps in this same commit.
    let (live, state) = (step.live, step.draft.state.clone());
    let path = state.path(&live.bundle.graph);
    let mut around = Vec::new();
    for (node, frame) in path.into_iter().zip(&state.frames) {
        let (Some(foreach), Some(each)) = (&node.foreach, frame.foreach) else { continue };
        if foreach.concurrency.is_none() {
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

/// Starts another method as a child run in this commit, in the version that the current run is pinned to.
async fn start_method(
    step: &mut Step<'_>,
    call: &CallState,
    method: &str,
    with: &Value,
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
    let child = Child {
        link: ParentLink { parent: live.id, call: call.id, ordinal: 0, branch: false },
        lineage: Lineage { inherits: Vec::new(), ..lineage },
        consent: step.draft.state.consent,
    };
    let start = ChildStart {
        tenant: &live.tenant,
        wanted,
        bundle,
        child,
        settings: &live.settings, // the step's commit checks that they are current
    };
    start_child(core, tx, start).await
}

/// Whether the child runs of the step are rounds of its `foreach`.
pub(super) fn has_rounds(step: &Step<'_>, node: &Node) -> bool {
    round_concurrency(node, &step.draft.state).is_some()
}
