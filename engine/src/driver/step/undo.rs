//! Manages the calls that undo other calls (`compensate`). When a call with `compensate` succeeds, the call
//! that undoes it is pushed on the run's undo stack. If the run fails or is cancelled, the calls on the
//! stack are made, the latest first.

use super::context::{Step, no_transaction};
use super::load;
use crate::base::{Problem, Value};
use crate::method::Node;
use crate::run::{Phase, RunTransition, args_of};
use crate::store::UndoRow;

/// After a call has succeeded, puts the call that undoes it on the run's undo stack. The arguments of the
/// undoing call are computed and stored now.
pub(super) async fn remember(
    step: &mut Step<'_>,
    node: &Node,
    value: &Value,
) -> Result<(), Problem> {
    let live = step.live;
    let graph = &live.bundle.graph;
    let undo = node.call().and_then(|call| call.compensation.first());
    let Some(undo) = undo.and_then(|&ix| graph.node(ix)) else { return Ok(()) };
    let state = step.draft.state.clone();
    if !matches!(state.phase, Phase::Undo { .. } | Phase::OnCancel) {
        let mut scope = load::scope(step);
        if let Some(out) = node.out() {
            scope.set(out, value.clone());
        }
        let args =
            load::evaluated(step, &mut scope, |scope| args_of(graph, &state, node, undo, scope));
        let args = args.await??;
        push(step, node, &args).await?;
    }
    Ok(())
}

async fn push(step: &mut Step<'_>, node: &Node, args: &Value) -> Result<(), Problem> {
    let run = step.live.id;
    let node = step.live.bundle.graph.index_of(node).ok_or_else(|| Problem::bug("no such step"))?;
    let args = step.draft.freeze(args);
    step.draft.state.undos += 1;
    let row = UndoRow { pos: step.draft.state.undos, node, args };
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    Ok(tx.push_undo(run, row).await?)
}

/// Moves the run to the call on top of its undo stack. Returns false if the stack is empty.
pub(super) async fn next(step: &mut Step<'_>) -> Result<bool, Problem> {
    if step.draft.state.undos == 0 {
        return Ok(false);
    }
    let run = step.live.id;
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let Some(UndoRow { pos, node, args }) = tx.top_undo(run).await? else {
        step.draft.state.undos = 0;
        return Ok(false);
    };
    step.draft.state.start_phase(Phase::Undo { node, pos, args });
    step.draft.transition(RunTransition::Advance)?;
    Ok(true)
}

/// Records in the undo stack whether the current undoing call was `done` or `failed`.
pub(super) async fn close(step: &mut Step<'_>, state: &'static str) -> Result<(), Problem> {
    let Phase::Undo { pos, .. } = step.draft.state.phase else { return Ok(()) };
    let run = step.live.id;
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    Ok(tx.close_undo(run, pos, state).await?)
}
