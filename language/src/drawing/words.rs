//! Formats arguments, conditions, actions and durations as short strings for a drawing, close to the author's
//! text but without braces and brackets.

use super::picture::{Shape, Way};
use crate::base::{Span, Value};
use crate::expr::{self, Expr};
use crate::method::{Arg, Backoff, Block, Case, Node, Retry, StepAction, TextPart};

/// Formats an expression on one line.
pub(super) fn expression(expr: &Expr) -> String {
    one_line(&expr::print(expr))
}

/// Formats an argument on one line. If the whole value is an expression, the expression has no braces,
/// because `count goal.count` is easier to read than `count {{goal.count}}`.
pub(super) fn value(arg: &Arg) -> String {
    match arg {
        Arg::Literal(value) => literal(value),
        Arg::Expr(expr) => expression(expr),
        Arg::Text(parts) => parts
            .iter()
            .map(|part| match part {
                TextPart::Literal(text) => one_line(text),
                TextPart::Expr(expr) => format!("{{{{{}}}}}", expression(expr)),
            })
            .collect(),
        Arg::List(items) => items.iter().map(value).collect::<Vec<_>>().join(", "),
        Arg::Object(members) => members
            .iter()
            .map(|(name, member)| format!("{name}: {}", value(member)))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// Formats arguments as rows of name and value.
/// Objects are expanded by one level, so that `filter` becomes `filter.roles` and `filter.campus`.
pub(super) fn rows(args: &Arg) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    for (name, arg) in members(args) {
        let inner = members(&arg);
        if inner.is_empty() {
            rows.push((name, value(&arg)));
        } else {
            rows.extend(inner.into_iter().map(|(key, arg)| (format!("{name}.{key}"), value(&arg))));
        }
    }
    rows
}

/// Formats the action of a step as rows of name and value.
pub(super) fn action(action: &StepAction) -> Vec<(String, String)> {
    let row = |name: &str, value: String| (name.to_owned(), value);
    match action {
        StepAction::Call(call) => rows(&call.args),
        StepAction::Method(call) => rows(&call.with),
        StepAction::Set(members) => {
            members.iter().map(|(name, arg)| row(name, value(arg))).collect()
        }
        StepAction::Await(wait) => {
            let signals = wait.signals.iter().map(|awaited| row("signal", awaited.signal.clone()));
            let computed = wait.computed.iter().map(|end| row(end.key(), value(end.arg())));
            let longest = if wait.computed.is_empty() { "timeout" } else { "at most" };
            signals.chain(computed).chain([row(longest, span(wait.timeout))]).collect()
        }
        StepAction::Switch(cases) => {
            let case = |case: &Case| case.condition.as_ref().map_or("else".into(), expression);
            cases.iter().map(|one| row("if", case(one))).collect()
        }
        StepAction::Repeat(repeat) => {
            let until = repeat.until.iter().map(|until| row("until", expression(until)));
            until.chain([row("at most", repeat.max.to_string())]).collect()
        }
        StepAction::Parallel(parallel) => {
            let all = parallel.branches.len();
            vec![row("join", format!("{} of {all} branches", parallel.need))]
        }
        StepAction::Steps(_) => Vec::new(),
    }
}

/// A list of steps nested in or attached to a step.
pub(super) struct Inner<'g> {
    pub(super) way: Way,
    /// Label on the edge into the list.
    pub(super) label: Option<String>,
    /// Description of the list, such as `each round of wait`, for formats that do not draw nesting.
    pub(super) inside: String,
    pub(super) steps: &'g Block,
}

/// Returns how the lists inside a step are executed.
pub(super) fn shape(node: &Node) -> Shape {
    match &node.action {
        StepAction::Switch(_) => Shape::Choice,
        StepAction::Parallel(_) => Shape::Parallel,
        StepAction::Repeat(_) => Shape::Loop("again"),
        StepAction::Steps(_) => match &node.foreach {
            Some(foreach) if foreach.concurrency.is_none() => Shape::Loop("next"),
            _ => Shape::Bracket,
        },
        StepAction::Call(_) | StepAction::Method(_) | StepAction::Set(_) | StepAction::Await(_) => {
            Shape::Plain
        }
    }
}

/// Returns the lists of steps inside a step, in the order of the source.
pub(super) fn lanes(node: &Node) -> Vec<Inner<'_>> {
    let id = &node.step_id;
    let only = |inside: String, steps| Inner { way: Way::Next, label: None, inside, steps };
    match &node.action {
        StepAction::Switch(cases) => switch(id, cases),
        StepAction::Repeat(repeat) => vec![only(format!("each round of {id}"), &repeat.steps)],
        StepAction::Parallel(parallel) => {
            let branches = parallel.branches.iter().enumerate();
            let branch = |(ix, steps)| {
                let inside = format!("{id}: branch {}", ix + 1);
                Inner { way: Way::Branch, ..only(inside, steps) }
            };
            branches.map(branch).collect()
        }
        StepAction::Steps(steps) => vec![only(format!("inside {id}"), steps)],
        StepAction::Call(_) | StepAction::Method(_) | StepAction::Set(_) | StepAction::Await(_) => {
            Vec::new()
        }
    }
}

/// Returns the cases of a `switch`, with an empty `else` if the author wrote no `else`.
fn switch<'g>(id: &str, cases: &'g [Case]) -> Vec<Inner<'g>> {
    const NOTHING: &Block = &Block::new();
    let mut lanes: Vec<Inner<'g>> = Vec::new();
    for case in cases {
        let condition = case.condition.as_ref().map(expression);
        let words = condition.as_ref().map_or("else".to_owned(), |text| format!("if {text}"));
        let (label, inside) = (Some(words.clone()), format!("{id}: {words}"));
        lanes.push(Inner { way: Way::Case, label, inside, steps: &case.steps });
    }
    if cases.iter().all(|case| case.condition.is_some()) {
        let label = Some("else".to_owned());
        lanes.push(Inner { way: Way::Case, label, inside: String::new(), steps: NOTHING });
    }
    lanes
}

/// Returns the lists of steps attached to a step: error handling and undo.
pub(super) fn asides(node: &Node) -> Vec<Inner<'_>> {
    let id = &node.step_id;
    let aside = |way, inside, steps| Inner { way, label: None, inside, steps };
    let undo =
        node.call().map(|call| aside(Way::Undone, format!("undoes {id}"), &call.compensation));
    let fails = aside(Way::Fails, format!("when {id} fails"), &node.on_error);
    // Error handling comes first and is therefore drawn nearest to the step. It must be near,
    // because the edge that leaves it leads back to the edge below the step.
    [fails].into_iter().chain(undo).filter(|inner| !inner.steps.is_empty()).collect()
}

/// Formats the argument named `name`; `None` if there is no such argument.
pub(super) fn named(args: &Arg, name: &str) -> Option<String> {
    members(args).into_iter().find(|(key, _)| key == name).map(|(_, arg)| value(&arg))
}

fn members(arg: &Arg) -> Vec<(String, Arg)> {
    match arg {
        Arg::Object(members) => members.clone(),
        Arg::Literal(Value::Object(members)) => {
            members.iter().map(|(k, v)| (k.clone(), Arg::Literal(v.clone()))).collect()
        }
        _ => Vec::new(),
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text),
        Value::Array(items) => items.iter().map(literal).collect::<Vec<_>>().join(", "),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| format!("{name}: {}", literal(member)))
            .collect::<Vec<_>>()
            .join(", "),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Formats a retry rule: the number of attempts and, unless the rule is the default, the delays.
pub(super) fn tries(retry: &Retry) -> String {
    match (retry.attempts, retry.backoff) {
        (0 | 1, _) => "1 try".into(),
        (n, _) if *retry == Retry::default() => format!("{n} tries"),
        (n, Backoff::Fixed) => format!("{n} tries every {}", span(retry.first)),
        (n, Backoff::Exponential) => format!("{n} tries from {}", span(retry.first)),
    }
}

/// Formats a duration without spaces: `1h30m`.
pub(super) fn span(span: Span) -> String {
    span.to_string().replace(' ', "")
}

/// Replaces each sequence of white space, including line breaks, with a single space.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
