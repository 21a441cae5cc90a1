//! Finds the next call of a run: skips steps whose `when` does not hold, walks nested lists of steps, and
//! evaluates arguments.

use super::condition::{holds, kind_of};
use super::fan::Fan;
use super::scope::{StepError, StepScope};
use super::state::{Each, Inside, Phase, RunState};
use super::walk::{enter, leave, mark, skip, step_over};
use crate::base::{Problem, Value, limits};
use crate::expr;
use crate::method::{Await, Case, Graph, Node, NodeIndex, StepAction};

/// What a run does next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next<'g> {
    /// It makes this call.
    Call(CallSpec<'g>),
    /// It waits for a signal, or for time to pass.
    Await(&'g Node, &'g Await),
    /// It starts children: branches, rounds, or a method, whose goal is the value.
    Fan(&'g Node, Fan, Value),
    /// It has walked many steps without a call: it saves its position and continues.
    Save,
    /// No step is left in this phase.
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

/// The variables that a step assigns, in order, as pairs of name and value.
pub type Assigned = Vec<(String, Value)>;

/// Returns the name of the internal variable that holds the items of a step's `foreach`.
#[must_use]
pub fn items_name(node: &Node) -> String {
    format!("#each {}", node.key)
}

/// Returns the names under which the items and results of the `foreach` with this key are stored. The name
/// of a variable equals one of them, or starts with one of them and a space.
#[must_use]
pub fn kept_under(key: &str) -> [String; 3] {
    ["each", "out", "implied"].map(|what| format!("#{what} {key}"))
}

/// Returns the name of the internal variable that holds one result of a `foreach` with `out`.
#[must_use]
fn result_name(node: &Node, index: usize) -> String {
    format!("#out {} {index}", node.key)
}

/// Returns the name of the internal variable that holds what one item of a `foreach` adds to the variable
/// that its verb implies.
fn implied_name(node: &Node, index: usize) -> String {
    format!("#implied {} {index}", node.key)
}

/// Returns the names of the internal variables that hold the results of one item of a `foreach`.
#[must_use]
pub fn kept_names(node: &Node, index: usize) -> Vec<String> {
    let result = node.out().map(|_| result_name(node, index));
    let implied = node.implies().map(|_| implied_name(node, index));
    result.into_iter().chain(implied).collect()
}

/// Moves `state` to the next call and returns it. Adds the variables assigned on the way to `assigned`:
/// those of `set`, the frozen items of a `foreach`, and the joined `out` of a `foreach` that is done.
///
/// After an error `state` is invalid: load what is missing and start again from the stored state.
pub fn next<'g>(
    graph: &'g Graph,
    state: &mut RunState,
    (scope, assigned): (&mut StepScope, &mut Assigned),
) -> Result<Next<'g>, StepError> {
    bind_items_around(graph, state, scope)?;
    for _ in 0..limits::WALK_STEPS_MAX {
        let Some(node) = state.node(graph) else {
            if leave(graph, state, scope)? {
                continue;
            }
            return Ok(Next::NothingLeft);
        };
        mark(node, state, scope);
        let found =
            at_node(node, state, (scope, assigned)).map_err(|e| e.with_reads(node, scope))?;
        if let Some(next) = found {
            return Ok(next);
        }
    }
    Ok(Next::Save)
}

/// Returns what the current step leads to; `None` if the walk continues.
fn at_node<'g>(
    node: &'g Node,
    state: &mut RunState,
    (scope, assigned): (&mut StepScope, &mut Assigned),
) -> Result<Option<Next<'g>>, StepError> {
    if let Some(each) = enter_foreach(node, state, (scope, assigned))? {
        if each.index >= each.len {
            collect(node, (each, state), (scope, assigned))?;
            step_over(state);
            return Ok(None);
        }
        if let Some(abreast) = abreast(node, state) {
            return Ok(Some(Next::Fan(node, Fan::of(each.len, each.len, abreast), Value::Null)));
        }
        bind_item(node, (each, state), scope)?;
    }
    if !holds(node.when.as_ref(), scope, &node.step_id)? {
        if let Some(each) = state.frame_mut().each {
            let nothing = kept_names(node, each.index).into_iter();
            assigned.extend(nothing.map(|name| (name, Value::Null)));
        }
        skip(state);
        return Ok(None);
    }
    act(node, state, (scope, assigned))
}

fn act<'g>(
    node: &'g Node,
    state: &mut RunState,
    (scope, assigned): (&mut StepScope, &mut Assigned),
) -> Result<Option<Next<'g>>, StepError> {
    let place = || format!("`{}`", node.step_id);
    match &node.action {
        StepAction::Call(call) => {
            let args = call.args.evaluate(scope).map_err(|e| StepError::from_eval(e, &place()))?;
            return Ok(Some(Next::Call(CallSpec { node, args })));
        }
        StepAction::Method(call) => {
            let with = call.with.evaluate(scope).map_err(|e| StepError::from_eval(e, &place()))?;
            return Ok(Some(Next::Fan(node, Fan::of(1, 1, 1), with)));
        }
        StepAction::Parallel(parallel) => {
            let total = parallel.branches.len();
            return Ok(Some(Next::Fan(node, Fan::of(total, parallel.need, total), Value::Null)));
        }
        StepAction::Await(wait) => return Ok(Some(Next::Await(node, wait))),
        StepAction::Set(members) => {
            for (name, arg) in members {
                let value = arg.evaluate(scope).map_err(|e| StepError::from_eval(e, &place()))?;
                scope.set(name, value.clone());
                assigned.push((name.clone(), value));
            }
            skip(state);
        }
        StepAction::Switch(cases) => match first_case(node, cases, scope)? {
            Some(ix) => enter(state, Inside::Case(ix))?,
            None => skip(state),
        },
        StepAction::Repeat(_) | StepAction::Steps(_) => enter(state, Inside::Body)?,
    }
    Ok(None)
}

fn first_case(node: &Node, cases: &[Case], scope: &StepScope) -> Result<Option<usize>, StepError> {
    for (ix, case) in cases.iter().enumerate() {
        if holds(case.condition.as_ref(), scope, &node.step_id)? {
            return Ok(Some(ix));
        }
    }
    Ok(None)
}

/// Returns how many rounds of the step's `foreach` run at the same time as child runs. `None` if the rounds
/// are not child runs, or if `state` is that of such a round.
#[must_use]
pub fn abreast(node: &Node, state: &RunState) -> Option<usize> {
    let abreast = node.foreach.as_ref()?.concurrency.filter(|_| !state.is_own_round())?;
    usize::try_from(abreast).ok()
}

/// Joins the results of a `foreach` whose items are all done.
fn collect(
    node: &Node,
    (each, state): (Each, &RunState),
    (scope, assigned): (&mut StepScope, &mut Assigned),
) -> Result<(), StepError> {
    if state.is_own_round() {
        return Ok(()); // the run that started the rounds joins them
    }
    let mut missing = Vec::new();
    let mut lists = Vec::new();
    if let Some(out) = node.out() {
        let results = kept(each, |index| result_name(node, index), scope, &mut missing);
        lists.push((out, results));
    }
    if let Some(implied) = node.implies() {
        let mut items = kept(each, |index| implied_name(node, index), scope, &mut missing);
        items.retain(|item| !item.is_null());
        lists.push((implied, items));
    }
    if !missing.is_empty() {
        return Err(StepError::Variables(missing));
    }
    for (name, items) in lists {
        scope.set(name, Value::Array(items.clone()));
        assigned.push((name.to_owned(), Value::Array(items)));
    }
    Ok(())
}

/// Returns the progress of the step's `foreach`, if it has one. Entering the `foreach` freezes its items.
fn enter_foreach(
    node: &Node,
    state: &mut RunState,
    (scope, assigned): (&mut StepScope, &mut Assigned),
) -> Result<Option<Each>, StepError> {
    let Some(foreach) = &node.foreach else { return Ok(None) };
    if let Some(each) = state.frame_mut().each {
        return Ok(Some(each));
    }
    let place = format!("`foreach` of `{}`", node.step_id);
    let value = expr::eval(&foreach.over, scope).map_err(|e| StepError::from_eval(e, &place))?;
    let items = match value {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        other => {
            let found = kind_of(&other);
            return Err(StepError::Faulty(Problem::author(
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
        return Err(StepError::Faulty(problem));
    }
    let each = Each { index: 0, len: items.len() };
    state.frame_mut().each = Some(each);
    let (name, items) = (items_name(node), Value::Array(items));
    scope.set(&name, items.clone());
    assigned.push((name, items));
    Ok(Some(each))
}

/// Binds the items of all enclosing `foreach` steps.
fn bind_items_around(
    graph: &Graph,
    state: &RunState,
    scope: &mut StepScope,
) -> Result<(), StepError> {
    let around = state.path(graph).into_iter().zip(&state.frames);
    for (node, frame) in around.filter(|(_, frame)| frame.inside.is_some()) {
        if let Some(each) = frame.each {
            bind_item(node, (each, state), scope)?;
        }
    }
    Ok(())
}

fn bind_item(
    node: &Node,
    (each, state): (Each, &RunState),
    scope: &mut StepScope,
) -> Result<(), StepError> {
    let Some(foreach) = &node.foreach else { return Ok(()) };
    if matches!(state.phase, Phase::Item { .. }) && foreach.concurrency.is_some() {
        return Ok(()); // the item is a variable of the child run
    }
    let name = items_name(node);
    let item = match scope.variables.get(&name) {
        Some(Some(items)) => items.get(each.index).cloned().unwrap_or(Value::Null),
        Some(None) => Value::Null,
        None => return Err(StepError::Variables(vec![name])),
    };
    scope.set(&foreach.variable, item);
    Ok(())
}

/// Moves past a finished step to the next item or step. Returns the variables to assign.
///
/// A `foreach` with `out` stores each result under a name of its own, so that no step rewrites the whole
/// list. [`next`] joins the results when the last item is done.
pub fn called(node: &Node, state: &mut RunState, value: &Value) -> Assigned {
    let frame = state.frame_mut();
    let assigned = match (node.out(), frame.each) {
        (None, _) => Vec::new(),
        (Some(out), None) => vec![(out.to_owned(), value.clone())],
        (Some(_), Some(each)) => vec![(result_name(node, each.index), value.clone())],
    };
    frame.call = None;
    skip(state);
    assigned
}

/// Returns what a finished call adds to the variable that its verb implies: a list of at most one item, or
/// in a `foreach` a single item, which [`next`] joins with the others.
#[must_use]
pub fn implied(node: &Node, state: &RunState, item: Option<&Value>) -> Assigned {
    let Some(name) = node.implies() else { return Vec::new() };
    match state.frame().and_then(|frame| frame.each) {
        None => vec![(name.to_owned(), item.into_iter().cloned().collect())],
        Some(each) => {
            vec![(implied_name(node, each.index), item.cloned().unwrap_or(Value::Null))]
        }
    }
}

/// Moves past a finished step that has no result.
pub fn passed(state: &mut RunState) {
    state.frame_mut().call = None;
    skip(state);
}

/// Marks all rounds of a `foreach` as done after child runs have executed them. Their results are still to
/// be joined.
pub fn rounds_done(state: &mut RunState) {
    let frame = state.frame_mut();
    frame.call = None;
    if let Some(each) = &mut frame.each {
        each.index = each.len;
    }
}

/// Returns the results of the items of a `foreach`, in order; null for skipped items. Adds variables that
/// are not loaded to `missing`.
fn kept(
    each: Each,
    name_of: impl Fn(usize) -> String,
    scope: &StepScope,
    missing: &mut Vec<String>,
) -> Vec<Value> {
    let mut values = Vec::with_capacity(each.len);
    for name in (0..each.len).map(name_of) {
        match scope.variables.get(&name) {
            Some(value) => values.push(value.as_deref().cloned().unwrap_or(Value::Null)),
            None => missing.push(name),
        }
    }
    values
}

/// Evaluates the arguments of the call that undoes the call of `node`, with the current values.
pub fn undo_args(
    graph: &Graph,
    (state, node): (&RunState, &Node),
    undo: NodeIndex,
    scope: &mut StepScope,
) -> Result<Value, StepError> {
    bind_items_around(graph, state, scope)?;
    if let Some(each) = state.frame().and_then(|frame| frame.each) {
        bind_item(node, (each, state), scope)?;
    }
    let Some(call) = graph.node(undo).and_then(Node::call) else { return Ok(Value::Null) };
    call.args.evaluate(scope).map_err(|e| StepError::from_eval(e, &format!("`{}`", node.step_id)))
}
