//! Obeys or refuses an order to continue a run with another version of its method.
//! The decision depends on where the run is when its owner reads the order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::core::Core;
use super::call::{CallParts, not_here};
use super::context::{Step, no_transaction};
use super::load;
use crate::base::{Problem, RunId, UpgradeId, Value};
use crate::ledger::EventKind;
use crate::library::Bundle;
use crate::method::{Node, step_members};
use crate::run::{
    CallState, Obstacle, Replacement, RunState, UpgradeCandidate, UpgradePlan, WaitState,
    WaitingFor, args_of, internal_prefixes, plan_upgrade,
};
use crate::store::{SignalRow, Tx, UpgradeResult, UpgradeRow, WaitRow};
use crate::verb::{Verb, WaitSpec};

/// What an upgrade must know about a run besides its head: the names of its variables,
/// the steps on its undo stack, and the number of its live child runs.
#[derive(Debug, Default)]
pub(crate) struct MoveFacts {
    variables: BTreeSet<String>,
    undos: Vec<u32>,
    children: usize,
}

impl MoveFacts {
    /// Combines this data with the run's bundle and state.
    pub(crate) fn candidate<'a>(
        &'a self,
        bundle: &'a Bundle,
        state: &'a RunState,
    ) -> UpgradeCandidate<'a> {
        let Self { variables, undos, children } = self;
        UpgradeCandidate { graph: &bundle.graph, state, variables, undos, children: *children }
    }
}

/// Reads the [`MoveFacts`] of several runs, in three queries.
pub(crate) async fn load_move_facts(
    tx: &mut Tx,
    runs: &[RunId],
) -> Result<BTreeMap<RunId, MoveFacts>, Problem> {
    let mut variables = tx.variable_names(runs).await?;
    let mut undos = tx.undo_nodes(runs).await?;
    let children = tx.count_live_children(runs).await?;
    let facts = |run: &RunId| MoveFacts {
        variables: variables.remove(run).unwrap_or_default(),
        undos: undos.remove(run).unwrap_or_default(),
        children: children.get(run).copied().unwrap_or(0),
    };
    Ok(runs.iter().copied().zip(runs.iter().map(facts)).collect())
}

/// Obeys or refuses an upgrade order. Returns true if the order is obeyed: the commit of this step pins the
/// run to another version.
pub(super) async fn obey(step: &mut Step<'_>, signal: &SignalRow) -> Result<bool, Problem> {
    let id = signal.payload["upgrade"].as_str().and_then(|id| id.parse::<UpgradeId>().ok());
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let order = match id {
        Some(id) => tx.upgrade(id).await?,
        None => None,
    };
    let Some(order) = order else {
        step.event(
            EventKind::SignalIgnored,
            serde_json::json!({"signal": "upgrade", "why": "there is no such upgrade"}),
        );
        return Ok(false);
    };
    match moved(step, &order).await? {
        Ok(()) => settle(step, &order, UpgradeResult::Moved).await.map(|()| true),
        Err(obstacle) => {
            step.event(
                EventKind::RunUpgradeRefused,
                serde_json::json!({
                    "upgrade": order.id, "to_version": order.version,
                    "step_id": obstacle.step, "why": obstacle.why,
                }),
            );
            let why = format!("{}: {}", obstacle.step, obstacle.why);
            settle(step, &order, UpgradeResult::Kept { why: &why }).await.map(|()| false)
        }
    }
}

async fn settle(
    step: &mut Step<'_>,
    order: &UpgradeRow,
    result: UpgradeResult<'_>,
) -> Result<(), Problem> {
    let run = step.live.id;
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    Ok(tx.settle_upgrade(order.id, run, result).await?)
}

/// Checks whether the run can be upgraded now, and moves it to the new version if so.
/// The inner error says why the run cannot be upgraded.
async fn moved(step: &mut Step<'_>, order: &UpgradeRow) -> Result<Result<(), Obstacle>, Problem> {
    let (core, live, run) = (step.core, step.live, step.live.id);
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let bundle = core.bundle(tx, order.bundle).await?;
    if bundle.digest == live.bundle.digest {
        let why = format!("the run is already pinned to version {}", order.version);
        return Ok(Err(Obstacle { mapping: false, step: "run".to_owned(), why }));
    }
    let facts = load_move_facts(tx, &[run]).await?.remove(&run).unwrap_or_default();
    let state = step.draft.state.clone();
    let found =
        match plan_upgrade(facts.candidate(&live.bundle, &state), &bundle.graph, &order.renamed) {
            Ok(found) => found,
            Err(obstacle) => return Ok(Err(obstacle)),
        };
    rename_items(step, &found.keys).await?;
    if let Err(problem) = rearm_wait(step, &bundle, &found).await? {
        let back: Vec<_> = found.keys.into_iter().map(Replacement::reversed).collect();
        rename_items(step, &back).await?;
        step.draft.state = state;
        let at = bundle.graph.node(found.step).map_or("", |node| &node.step_id);
        return Ok(Err(Obstacle { mapping: false, step: at.to_owned(), why: problem.message }));
    }
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    tx.renumber_undos(run, &found.undos).await?;
    note(step, order, &bundle);
    step.draft.state.consent = None; // it was given to the other version
    step.draft.state.joint = None;
    step.draft.moved_to = Some((bundle, order.version));
    Ok(Ok(()))
}

fn note(step: &mut Step<'_>, order: &UpgradeRow, bundle: &Bundle) {
    let live = step.live;
    let body = serde_json::json!({
        "upgrade": order.id,
        "from": live.bundle.digest.to_string(), "from_version": live.version,
        "to": bundle.digest.to_string(), "to_version": order.version,
        "undoes": order.undoes,
    });
    step.event(EventKind::RunUpgraded, body);
}

/// Renames the internal variables that store the items and results of the `foreach` steps in progress.
/// Their names contain the key of the step, which differs between the versions.
async fn rename_items(step: &mut Step<'_>, keys: &[Replacement<String>]) -> Result<(), Problem> {
    let run = step.live.id;
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    for Replacement { old, new } in keys {
        for (old, new) in internal_prefixes(old).into_iter().zip(internal_prefixes(new)) {
            tx.rename_variables(run, &old, &new).await?;
        }
    }
    Ok(())
}

/// Moves the draft to the run's position in the new version. A wait for replies keeps its beginning. If
/// the new version defines the wait differently, the people, the number needed and the timeout come from
/// the new version. The inner error says why the wait cannot be computed.
async fn rearm_wait(
    step: &mut Step<'_>,
    bundle: &Arc<Bundle>,
    found: &UpgradePlan,
) -> Result<Result<(), Problem>, Problem> {
    let before = step.live.state.node(&step.live.bundle.graph).map(|node| node.key.clone());
    step.draft.state = found.state.clone();
    let (Some(call), Some(now)) = (found.state.call().cloned(), bundle.graph.node(found.step))
    else {
        return Ok(Ok(()));
    };
    let Some(WaitingFor::Replies(wait)) = call.waiting_for.clone() else { return Ok(Ok(())) };
    let (wait, args) = match found.rearm {
        false => (wait, None),
        true => match waited_for(step, bundle, now, &call).await? {
            Ok((spec, args)) => (WaitState { spec, ..wait }, Some(args)),
            Err(problem) => return Ok(Err(problem)),
        },
    };
    if let Some(frame) = before {
        step.draft.disarm(frame);
    }
    step.draft.arm(WaitRow {
        frame: now.key.clone(),
        partition: crate::base::TypedId::uuid(wait.spec.request),
        yes_cell: wait.spec.yes_cell.clone(),
        open_cells: wait.spec.open_cells.clone(),
        need: wait.spec.need,
    });
    let args = args.map_or(call.args, |args| step.draft.freeze(&args));
    step.draft.hold(CallState { args, waiting_for: Some(WaitingFor::Replies(wait)), ..call });
    Ok(Ok(()))
}

/// Evaluates the arguments of a wait as the new version defines them, and computes the wait from them.
/// Returns the wait and its arguments; the inner error says why the wait cannot be computed.
async fn waited_for(
    step: &mut Step<'_>,
    bundle: &Arc<Bundle>,
    now: &Node,
    call: &CallState,
) -> Result<Result<(WaitSpec, Value), Problem>, Problem> {
    let state = step.draft.state.clone();
    let mut scope = load::scope(step);
    let args =
        load::evaluated(step, &mut scope, |scope| args_of(&bundle.graph, &state, now, now, scope));
    let args = match args.await? {
        Ok(args) => args,
        Err(problem) => return Ok(Err(problem)),
    };
    let args = unchanged(step, bundle, now, call, args).await?;
    let Some(contract) = bundle.contracts.get(now.action_name()) else {
        return Ok(Err(not_here(now)));
    };
    if let Err(problem) = contract.check_args(&args) {
        return Ok(Err(problem));
    }
    let core: &Core = step.core;
    let Some(Verb::Wait(verb)) = core.verbs.get(now.action_name()).cloned() else {
        return Ok(Err(Problem::bug(format!("`{}` is not a verb that waits", now.action_name()))));
    };
    let parts = CallParts::load(step).await?;
    let cx = parts.context(step, now, contract, call);
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    Ok(verb.arm(tx, &cx, &args).await.map(|spec| (spec, args)))
}

/// Returns the arguments `args` of a wait. Arguments that both versions define alike get their stored
/// values, so that the wait still concerns the people who were asked when the wait began.
async fn unchanged(
    step: &mut Step<'_>,
    bundle: &Bundle,
    now: &Node,
    call: &CallState,
    mut args: Value,
) -> Result<Value, Problem> {
    let live = step.live;
    let Some(before) = live.state.node(&live.bundle.graph) else { return Ok(args) };
    let (old, new) = (step_members(&live.bundle.graph, before), step_members(&bundle.graph, now));
    let frozen = load::frozen(step, call.args).await?;
    if let (Some(args), Some(frozen)) = (args.as_object_mut(), frozen.as_object()) {
        for (name, value) in frozen {
            let said = format!("args.{name}");
            if old.contains_key(&said) && old.get(&said) == new.get(&said) {
                args.insert(name.clone(), value.clone());
            }
        }
    }
    Ok(args)
}
