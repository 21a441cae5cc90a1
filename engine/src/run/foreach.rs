//! Stores the items and results of a `foreach` in internal variables, and combines the results in lists.

use super::condition::kind_of;
use super::scope::{StepError, StepScope};
use super::state::{ForeachProgress, Phase, RunState};
use super::walk::Walk;
use crate::base::{Problem, Value, limits};
use crate::expr;
use crate::method::{Graph, Node, StepAction};

/// Returns the name of the internal variable that holds the items of a step's `foreach`.
#[must_use]
pub fn items_name(node: &Node) -> String {
    format!("#each {}", node.key)
}

/// Returns the prefixes of the names of the internal variables that belong to the `foreach` of the step
/// with this key. The name of such a variable is a prefix alone, or a prefix followed by a space and an
/// index.
#[must_use]
pub fn internal_prefixes(key: &str) -> [String; 3] {
    ["each", "out", "implied"].map(|what| format!("#{what} {key}"))
}

/// Returns the name of the internal variable that holds the `out` of the round for the item with this
/// index.
#[must_use]
pub(super) fn result_name(node: &Node, index: usize) -> String {
    format!("#out {} {index}", node.key)
}

/// Returns the name of the internal variable that holds what the round for the item with this index adds
/// to the implied variable of the step's verb: one value, or null.
pub(super) fn implied_name(node: &Node, index: usize) -> String {
    format!("#implied {} {index}", node.key)
}

/// Returns the names of the internal variables that hold the results of the round for the item with this
/// index.
#[must_use]
pub fn result_names(node: &Node, index: usize) -> Vec<String> {
    let result = node.out().map(|_| result_name(node, index));
    let implied = node.implies().map(|_| implied_name(node, index));
    result.into_iter().chain(implied).collect()
}

/// Returns the maximum number of rounds of the step's `foreach` that run concurrently as child runs.
/// Returns `None` if the rounds are not child runs, or if `state` is the state of such a child run.
#[must_use]
pub fn round_concurrency(node: &Node, state: &RunState) -> Option<usize> {
    let concurrency = node.foreach.as_ref()?.concurrency.filter(|_| !state.is_own_round())?;
    usize::try_from(concurrency).ok()
}

/// Whether the step starts child runs: branches, rounds, or a called method.
#[must_use]
pub fn starts_children(node: &Node, state: &RunState) -> bool {
    let splits = matches!(node.action, StepAction::Method(_) | StepAction::Parallel(_));
    splits || round_concurrency(node, state).is_some()
}

impl Walk<'_> {
    /// Returns the progress of the step's `foreach`; `None` if the step has no `foreach`. When the loop
    /// begins, evaluates the list and stores its items, so that later changes of variables do not affect
    /// the loop.
    pub(super) fn enter_foreach(
        &mut self,
        node: &Node,
    ) -> Result<Option<ForeachProgress>, StepError> {
        let Some(foreach) = &node.foreach else { return Ok(None) };
        if let Some(progress) = self.state.frame_mut().foreach {
            return Ok(Some(progress));
        }
        let place = format!("`foreach` of `{}`", node.step_id);
        let value =
            expr::eval(&foreach.over, self.scope).map_err(|e| StepError::from_eval(e, &place))?;
        let items = items(value, &place)?;
        let progress = ForeachProgress { index: 0, len: items.len() };
        self.state.frame_mut().foreach = Some(progress);
        self.assign(&items_name(node), Value::Array(items));
        Ok(Some(progress))
    }

    /// Combines the results of a finished `foreach` in two lists: one for the `out` of the step, and one
    /// for the implied variable of the step's verb.
    pub(super) fn join_results(
        &mut self,
        node: &Node,
        progress: ForeachProgress,
    ) -> Result<(), StepError> {
        if self.state.is_own_round() {
            return Ok(()); // the run that started the rounds joins their results
        }
        let mut missing = Vec::new();
        let mut lists = Vec::new();
        if let Some(out) = node.out() {
            let names = (0..progress.len).map(|index| result_name(node, index));
            lists.push((out, values(names, self.scope, &mut missing)));
        }
        if let Some(implied) = node.implies() {
            let names = (0..progress.len).map(|index| implied_name(node, index));
            let mut items = values(names, self.scope, &mut missing);
            items.retain(|item| !item.is_null());
            lists.push((implied, items));
        }
        if !missing.is_empty() {
            return Err(StepError::MissingVariables(missing));
        }
        for (name, items) in lists {
            self.assign(name, Value::Array(items));
        }
        Ok(())
    }
}

/// Returns the items of the list that a `foreach` iterates over; `null` counts as an empty list.
fn items(list: Value, place: &str) -> Result<Vec<Value>, StepError> {
    let items = match list {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        other => {
            let found = kind_of(&other);
            return Err(StepError::Failed(Problem::author(
                "not_a_list",
                format!("{place} needs a list, but got {found}"),
            )));
        }
    };
    if items.len() > limits::FOREACH_ITEMS_MAX {
        let problem = Problem::author(
            "foreach_too_long",
            format!(
                "{place} has {} items, the limit is {}",
                items.len(),
                limits::FOREACH_ITEMS_MAX
            ),
        );
        return Err(StepError::Failed(problem));
    }
    Ok(items)
}

/// Returns the values of internal variables, with null for a variable that is unset. Adds to `missing`
/// the names of those variables that are not loaded.
fn values(
    names: impl Iterator<Item = String>,
    scope: &StepScope,
    missing: &mut Vec<String>,
) -> Vec<Value> {
    let mut values = Vec::new();
    for name in names {
        match scope.variables.get(&name) {
            Some(value) => values.push(value.as_deref().cloned().unwrap_or(Value::Null)),
            None => missing.push(name),
        }
    }
    values
}

/// For each `foreach` step that encloses the current step, sets the loop variable of that step in `scope`
/// to the current item of that step.
pub(super) fn bind_items_around(
    graph: &Graph,
    state: &RunState,
    scope: &mut StepScope,
) -> Result<(), StepError> {
    let around = state.path(graph).into_iter().zip(&state.frames);
    for (node, frame) in around.filter(|(_, frame)| frame.inside.is_some()) {
        if let Some(progress) = frame.foreach {
            bind_item(node, progress, state, scope)?;
        }
    }
    Ok(())
}

/// Sets the loop variable of the `foreach` of `node` to the current item, in `scope`.
pub(super) fn bind_item(
    node: &Node,
    progress: ForeachProgress,
    state: &RunState,
    scope: &mut StepScope,
) -> Result<(), StepError> {
    let Some(foreach) = &node.foreach else { return Ok(()) };
    if matches!(state.phase, Phase::Item { .. }) && foreach.concurrency.is_some() {
        return Ok(()); // the item is already a variable of the child run
    }
    let name = items_name(node);
    let item = match scope.variables.get(&name) {
        Some(Some(items)) => items.get(progress.index).cloned().unwrap_or(Value::Null),
        Some(None) => Value::Null,
        None => return Err(StepError::MissingVariables(vec![name])),
    };
    scope.set(&foreach.variable, item);
    Ok(())
}
