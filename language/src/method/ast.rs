//! The syntax tree of a method, with positions. The parser builds the tree, and the checker reads it.

use std::ops::Range;

use super::formula::LocatedExpr;
use super::graph::MethodLimits;
use super::retry::Retry;
use super::spanned::Spanned;
use crate::base::{Span, Value};
use crate::yaml::YamlNode;

/// A method.
#[derive(Debug)]
pub(super) struct MethodAst {
    pub name: Spanned<String>,
    pub description: Option<String>,
    pub applicable_if: Option<LocatedExpr>,
    pub inputs: Option<Spanned<Value>>,
    pub limits: MethodLimits,
    /// Position of the key `max_messages`.
    pub max_messages_at: Option<Range<usize>>,
    pub steps: Vec<StepAst>,
    pub success_when: Vec<LocatedExpr>,
    pub fallbacks: Vec<FallbackAst>,
    pub on_cancel: Vec<StepAst>,
}

/// One entry of `fallbacks`.
#[derive(Debug)]
pub(super) struct FallbackAst {
    pub key: String,
    pub at: Range<usize>,
    pub condition: LocatedExpr,
    pub steps: Vec<StepAst>,
}

/// One step.
#[derive(Debug)]
pub(super) struct StepAst {
    pub key: String,
    pub at: Range<usize>,
    pub id: Option<Spanned<String>>,
    pub when: Option<LocatedExpr>,
    pub foreach: Option<ForeachAst>,
    pub action: ActionAst,
    /// Position of the step's action: the name of the verb or method, or else the key of the action.
    pub action_at: Range<usize>,
    pub limits: MethodLimits,
    pub on_error: Vec<StepAst>,
}

/// The action of a step.
#[derive(Debug)]
pub(super) enum ActionAst {
    Call(Box<CallAst>),
    Set(Vec<(Spanned<String>, YamlNode)>),
    Await(AwaitAst),
    Switch(Vec<CaseAst>),
    Repeat(RepeatAst),
    Parallel(ParallelAst),
    Steps(Vec<StepAst>),
}

/// A call of a verb or a method.
#[derive(Debug)]
pub(super) struct CallAst {
    pub name: Spanned<String>,
    pub args: Option<YamlNode>,
    /// Goal and variables passed to a called method, with the position of the key `with`.
    pub with: Option<Spanned<YamlNode>>,
    pub out: Option<Spanned<String>>,
    pub retry: Option<Spanned<Retry>>,
    pub timeout: Option<Span>,
    pub occasion: Option<Spanned<String>>,
    pub compensate: Option<StepAst>,
}

/// `await: { signal: name, timeout: 2h, out: x }`, or a list of such mappings.
#[derive(Debug)]
pub(super) struct AwaitAst {
    pub signals: Vec<AwaitedSignalAst>,
    /// The shortest of the durations in `timeout` and `at_most`.
    pub timeout: Option<Span>,
    pub computed: Vec<ComputedDeadlineAst>,
}

/// An `until`, or a `timeout` that contains an expression.
#[derive(Debug)]
pub(super) enum ComputedDeadlineAst {
    Until(YamlNode),
    Timeout(YamlNode),
}

/// A signal to wait for.
#[derive(Debug)]
pub(super) struct AwaitedSignalAst {
    pub signal: Spanned<String>,
    pub out: Option<Spanned<String>>,
}

/// A case of a `switch`.
#[derive(Debug)]
pub(super) struct CaseAst {
    /// Condition; `None` for `else`.
    pub condition: Option<LocatedExpr>,
    pub at: Range<usize>,
    pub steps: Vec<StepAst>,
}

/// `repeat: { until: …, max: 10, steps: [ … ] }`.
#[derive(Debug)]
pub(super) struct RepeatAst {
    pub until: Option<LocatedExpr>,
    pub max: u32,
    pub steps: Vec<StepAst>,
}

/// `parallel: [ [ … ], [ … ] ]`; `need` is the number of branches that the key `join` requires.
#[derive(Debug)]
pub(super) struct ParallelAst {
    pub branches: Vec<Vec<StepAst>>,
    pub need: usize,
}

/// `foreach: person in accepted`.
#[derive(Debug)]
pub(super) struct ForeachAst {
    pub variable: Spanned<String>,
    pub over: LocatedExpr,
    pub concurrency: Option<u32>,
}

impl StepAst {
    /// Returns the name of the step's action: the verb, the method, or the keyword of the language.
    pub(super) fn action_name(&self) -> &str {
        match &self.action {
            ActionAst::Call(call) => &call.name.value,
            ActionAst::Set(_) => "set",
            ActionAst::Await(_) => "await",
            ActionAst::Switch(_) => "switch",
            ActionAst::Repeat(_) => "repeat",
            ActionAst::Parallel(_) => "parallel",
            ActionAst::Steps(_) => "steps",
        }
    }

    /// Returns the variables that the step itself assigns, without the variables of nested steps.
    pub(super) fn outs(&self) -> Vec<&Spanned<String>> {
        match &self.action {
            ActionAst::Call(call) => call.out.iter().collect(),
            ActionAst::Set(members) => members.iter().map(|(name, _)| name).collect(),
            ActionAst::Await(wait) => wait.signals.iter().filter_map(|s| s.out.as_ref()).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the lists of steps nested directly inside the step, in document order; `on_error` is last.
    pub(super) fn blocks(&self) -> Vec<&[StepAst]> {
        let mut blocks: Vec<&[StepAst]> = match &self.action {
            ActionAst::Call(call) => call.compensate.iter().map(std::slice::from_ref).collect(),
            ActionAst::Set(_) | ActionAst::Await(_) => Vec::new(),
            ActionAst::Switch(cases) => cases.iter().map(|case| case.steps.as_slice()).collect(),
            ActionAst::Repeat(repeat) => vec![&repeat.steps],
            ActionAst::Parallel(parallel) => parallel.branches.iter().map(Vec::as_slice).collect(),
            ActionAst::Steps(steps) => vec![steps],
        };
        blocks.push(&self.on_error);
        blocks
    }

    /// Visits the step and all steps nested inside it, each step before its own nested steps.
    pub(super) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        for block in self.blocks() {
            block.iter().for_each(|step| step.walk(visit));
        }
    }
}

impl MethodAst {
    /// Visits every step of the method, in the order of the graph's nodes.
    pub(super) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a StepAst)) {
        let fallbacks = self.fallbacks.iter().flat_map(|fallback| &fallback.steps);
        let all = self.steps.iter().chain(fallbacks).chain(&self.on_cancel);
        all.for_each(|step| step.walk(visit));
    }
}
