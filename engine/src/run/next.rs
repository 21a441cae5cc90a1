//! The next call of a run: skips steps whose `when` does not hold, walks `foreach`, fills arguments.

use super::scope::{StepError, StepScope};
use super::state::{Each, RunState};
use crate::base::{Problem, Value, limits};
use crate::expr::{self, Expr};
use crate::method::{Graph, Node};

/// What a run does next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next<'g> {
    /// It makes this call.
    Call(CallSpec<'g>),
    /// No step is left in this phase.
    NothingLeft,
}

/// A call with its arguments filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct CallSpec<'g> {
    /// The step.
    pub node: &'g Node,
    /// The arguments.
    pub args: Value,
}

/// Variables that a step assigns, in order.
pub type Assigned = Vec<(String, Value)>;

/// The name of the variable that keeps the items of a step's `foreach`.
fn items_name(node: &Node) -> String {
    format!("#each {}", node.key)
}

/// The name of the variable that keeps one result of a `foreach` with `out`.
fn result_name(node: &Node, index: usize) -> String {
    format!("#out {} {index}", node.key)
}

/// Moves `state` to the next call and gives it, with the variables assigned on the way (the frozen
/// items of a `foreach`, the joined `out` of one whose items are done).
///
/// On an error `state` is spoilt: load what is missing and begin again from the stored state.
pub fn next<'g>(
    graph: &'g Graph,
    state: &mut RunState,
    (scope, assigned): (&mut StepScope, &mut Assigned),
) -> Result<Next<'g>, StepError> {
    while let Some(node) = state.node(graph) {
        if let Some(each) = enter_foreach(node, state, (scope, assigned))? {
            if each.index >= each.len {
                if let Some(out) = &node.call.out {
                    let results = joined(node, each, scope)?;
                    scope.set(out, results.clone());
                    assigned.push((out.clone(), results));
                }
                step_over(state);
                continue;
            }
            bind_item(node, each, scope)?;
        }
        if !holds(node.when.as_ref(), scope, &node.step_id)? {
            skip(state);
            continue;
        }
        let args = node
            .call
            .args
            .evaluate(scope)
            .map_err(|e| StepError::from_eval(e, &format!("`{}`", node.step_id)))?;
        return Ok(Next::Call(CallSpec { node, args }));
    }
    Ok(Next::NothingLeft)
}

/// Where a step's `foreach` stands; entering it freezes its items.
fn enter_foreach(
    node: &Node,
    state: &mut RunState,
    (scope, assigned): (&mut StepScope, &mut Assigned),
) -> Result<Option<Each>, StepError> {
    let Some(foreach) = &node.call.foreach else { return Ok(None) };
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
                format!("{place} walks a list, this is {found}"),
            )));
        }
    };
    if items.len() > limits::FOREACH_ITEMS_MAX {
        let problem = Problem::author(
            "foreach_too_long",
            format!("{place} has {} items, at most {}", items.len(), limits::FOREACH_ITEMS_MAX),
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

fn bind_item(node: &Node, each: Each, scope: &mut StepScope) -> Result<(), StepError> {
    let name = items_name(node);
    let item = match scope.variables.get(&name) {
        Some(Some(items)) => items.get(each.index).cloned().unwrap_or(Value::Null),
        Some(None) => Value::Null,
        None => return Err(StepError::Variables(vec![name])),
    };
    if let Some(foreach) = &node.call.foreach {
        scope.set(&foreach.variable, item);
    }
    Ok(())
}

pub(super) fn holds(
    condition: Option<&Expr>,
    scope: &StepScope,
    place: &str,
) -> Result<bool, StepError> {
    let Some(condition) = condition else { return Ok(true) };
    let value = expr::eval(condition, scope)
        .map_err(|e| StepError::from_eval(e, &format!("condition of `{place}`")))?;
    match value {
        Value::Bool(holds) => Ok(holds),
        Value::Null => Ok(false),
        other => Err(StepError::Faulty(Problem::author(
            "not_a_condition",
            format!("condition of `{place}` is {}, not true or false", kind_of(&other)),
        ))),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A finished call moves on to the next item or step; gives the variables to assign.
///
/// A `foreach` with `out` keeps each result under a name of its own, so that no step rewrites the
/// whole list; [`next`] joins them when the last item is done.
pub fn called(node: &Node, state: &mut RunState, value: &Value) -> Assigned {
    let frame = state.frame_mut();
    frame.call = None;
    let assigned = match (&node.call.out, frame.each) {
        (None, _) => Vec::new(),
        (Some(out), None) => vec![(out.clone(), value.clone())],
        (Some(_), Some(each)) => vec![(result_name(node, each.index), value.clone())],
    };
    skip(state);
    assigned
}

/// The results of a `foreach` in the order of its items; null for an item that was skipped.
fn joined(node: &Node, each: Each, scope: &StepScope) -> Result<Value, StepError> {
    let mut missing = Vec::new();
    let mut results = Vec::with_capacity(each.len);
    for index in 0..each.len {
        let name = result_name(node, index);
        match scope.variables.get(&name) {
            Some(result) => results.push(result.as_deref().cloned().unwrap_or(Value::Null)),
            None => missing.push(name),
        }
    }
    if missing.is_empty() { Ok(Value::Array(results)) } else { Err(StepError::Variables(missing)) }
}

/// Past one item, or past the step.
fn skip(state: &mut RunState) {
    let frame = state.frame_mut();
    match &mut frame.each {
        Some(each) => each.index += 1,
        None => frame.at += 1,
    }
}

/// Past the whole step.
fn step_over(state: &mut RunState) {
    let frame = state.frame_mut();
    frame.at += 1;
    frame.each = None;
    frame.call = None;
}
