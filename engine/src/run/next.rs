//! Finds the next call of a run: skips steps whose `when` does not hold,
//! walks nested lists of steps, and evaluates arguments.

use super::condition::holds;
use super::deadline::ComputedEnd;
use super::fan_out::FanOut;
use super::foreach::{bind_item, bind_items_around, result_names, round_concurrency};
use super::nesting::{advance, enter_list, leave_list, mark_start, skip_step};
use super::scope::{StepError, StepScope};
use super::state::{NestedList, RunState};
use super::walk::{Assigned, Walk};
use crate::base::{Value, limits};
use crate::method::{Await, Case, Graph, Node, StepAction};

/// The next action of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Next<'g> {
    /// The run makes this call.
    Call(CallSpec<'g>),
    /// The run waits for a signal, or for time to pass.
    Await(&'g Await, ComputedEnd),
    /// The run starts child runs: branches, rounds, or a called method. The value is what the step passes
    /// to the called method (`with`), or null for branches and rounds.
    FanOut(&'g Node, FanOut, Value),
    /// The run has visited many steps without a call: it saves its position and continues.
    Checkpoint,
    /// No step is left in the current phase, such as the main steps or a fallback.
    NothingLeft,
}

/// A call with its evaluated arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct CallSpec<'g> {
    /// Step that makes the call.
    pub node: &'g Node,
    /// Evaluated arguments.
    pub args: Value,
}

/// Moves `state` to the next action of the run and returns that action. Adds to `assigned` the variables
/// that are assigned before the action: by `set`, as the stored items of a `foreach`, or as the results of
/// a `foreach`.
///
/// If this function returns an error, `state` is invalid. After the error for a missing value, load the
/// value and call the function again with the state as it was before the first call.
pub fn next<'g>(
    graph: &'g Graph,
    state: &mut RunState,
    scope: &mut StepScope,
    assigned: &mut Assigned,
) -> Result<Next<'g>, StepError> {
    bind_items_around(graph, state, scope)?;
    let mut walk = Walk { state, scope, assigned };
    for _ in 0..limits::WALK_STEPS_MAX {
        let Some(node) = walk.state.node(graph) else {
            if leave_list(graph, walk.state, walk.scope)? {
                continue;
            }
            return Ok(Next::NothingLeft);
        };
        mark_start(node, walk.state, walk.scope);
        let found = walk.visit(node).map_err(|e| e.with_reads(node, walk.scope))?;
        if let Some(next) = found {
            return Ok(next);
        }
    }
    Ok(Next::Checkpoint)
}

impl Walk<'_> {
    /// Returns the action of the current step; `None` if the walk continues with the next step.
    fn visit<'g>(&mut self, node: &'g Node) -> Result<Option<Next<'g>>, StepError> {
        if let Some(progress) = self.enter_foreach(node)? {
            if progress.index >= progress.len {
                self.join_results(node, progress)?;
                skip_step(self.state);
                return Ok(None);
            }
            if let Some(concurrency) = round_concurrency(node, self.state) {
                let rounds = FanOut { concurrency, ..FanOut::of(progress.len) };
                return Ok(Some(Next::FanOut(node, rounds, Value::Null)));
            }
            bind_item(node, progress, self.state, self.scope)?;
        }
        if !holds(node.when.as_ref(), self.scope, &node.step_id)? {
            if let Some(progress) = self.state.frame_mut().foreach {
                let results = result_names(node, progress.index).into_iter();
                self.assigned.extend(results.map(|name| (name, Value::Null)));
            }
            advance(self.state);
            return Ok(None);
        }
        self.act(node)
    }

    /// Performs the current step if it only assigns variables or changes the position, and returns `None`.
    /// Returns the action of any other step.
    fn act<'g>(&mut self, node: &'g Node) -> Result<Option<Next<'g>>, StepError> {
        match &node.action {
            StepAction::Call(call) => {
                let args = self.scope.evaluate(&call.args, node)?;
                return Ok(Some(Next::Call(CallSpec { node, args })));
            }
            StepAction::Method(call) => {
                let with = self.scope.evaluate(&call.with, node)?;
                return Ok(Some(Next::FanOut(node, FanOut::of(1), with)));
            }
            StepAction::Parallel(parallel) => {
                let branches =
                    FanOut { need: parallel.need, ..FanOut::of(parallel.branches.len()) };
                return Ok(Some(Next::FanOut(node, branches, Value::Null)));
            }
            StepAction::Await(wait) => {
                let ends = ComputedEnd::evaluate(node, wait, self.scope)?;
                return Ok(Some(Next::Await(wait, ends)));
            }
            StepAction::Set(members) => {
                for (name, arg) in members {
                    let value = self.scope.evaluate(arg, node)?;
                    self.assign(name, value);
                }
                advance(self.state);
            }
            StepAction::Switch(cases) => match first_case(node, cases, self.scope)? {
                Some(ix) => enter_list(self.state, NestedList::Case(ix))?,
                None => advance(self.state),
            },
            StepAction::Repeat(_) | StepAction::Steps(_) => {
                enter_list(self.state, NestedList::Body)?;
            }
        }
        Ok(None)
    }
}

fn first_case(node: &Node, cases: &[Case], scope: &StepScope) -> Result<Option<usize>, StepError> {
    for (ix, case) in cases.iter().enumerate() {
        if holds(case.condition.as_ref(), scope, &node.step_id)? {
            return Ok(Some(ix));
        }
    }
    Ok(None)
}

/// Evaluates, with the variables and items that the step `node` reads now, the arguments of `call`: a step that
/// undoes its call, the same step in another version, or one that follows in the same list.
pub fn args_of(
    graph: &Graph,
    state: &RunState,
    node: &Node,
    call: &Node,
    scope: &mut StepScope,
) -> Result<Value, StepError> {
    bind_items_around(graph, state, scope)?;
    if let Some(progress) = state.frame().and_then(|frame| frame.foreach) {
        bind_item(node, progress, state, scope)?;
    }
    let Some(spec) = call.call() else { return Ok(Value::Null) };
    scope.evaluate(&spec.args, node)
}
