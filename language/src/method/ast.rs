//! The syntax tree of a method, with positions: the parser produces it, the checker reads it.

use std::ops::Range;

use super::formula::Formula;
use super::graph::MethodLimits;
use super::retry::Retry;
use crate::base::{Span, Value};
use crate::yaml::Node;

/// A value and its byte range in the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed<T> {
    pub value: T,
    pub at: Range<usize>,
}

/// A method.
#[derive(Debug)]
pub(super) struct MethodAst {
    pub name: Placed<String>,
    pub description: Option<String>,
    pub applicable_if: Option<Formula>,
    pub inputs: Option<Placed<Value>>,
    pub limits: MethodLimits,
    /// Position of the key `max_messages`.
    pub max_messages_at: Option<Range<usize>>,
    pub steps: Vec<StepAst>,
    pub success_when: Vec<Formula>,
    pub fallbacks: Vec<FallbackAst>,
    pub on_cancel: Vec<StepAst>,
}

/// One entry of `fallbacks`.
#[derive(Debug)]
pub(super) struct FallbackAst {
    pub key: String,
    pub at: Range<usize>,
    pub condition: Formula,
    pub steps: Vec<StepAst>,
}

/// One step.
#[derive(Debug)]
pub(super) struct StepAst {
    pub key: String,
    pub at: Range<usize>,
    pub id: Option<Placed<String>>,
    pub when: Option<Formula>,
    pub foreach: Option<ForeachAst>,
    pub act: ActAst,
    /// Position of what the step does: the name of the verb or method, otherwise the key of the action.
    pub act_at: Range<usize>,
    pub limits: MethodLimits,
    pub on_error: Vec<StepAst>,
}

/// What a step does.
#[derive(Debug)]
pub(super) enum ActAst {
    Call(Box<CallAst>),
    Set(Vec<(Placed<String>, Node)>),
    Await(AwaitAst),
    Switch(Vec<CaseAst>),
    Repeat(RepeatAst),
    Parallel(ParallelAst),
    Steps(Vec<StepAst>),
}

/// A call of a verb or a method.
#[derive(Debug)]
pub(super) struct CallAst {
    pub name: Placed<String>,
    pub args: Option<Node>,
    /// Goal and variables passed to a called method, with the position of the key `with`.
    pub with: Option<Placed<Node>>,
    pub out: Option<Placed<String>>,
    pub retry: Option<Placed<Retry>>,
    pub timeout: Option<Span>,
    pub occasion: Option<Placed<String>>,
    pub compensate: Option<StepAst>,
}

/// `await: { signal: name, timeout: 2h, out: x }`, or a list of such mappings.
#[derive(Debug)]
pub(super) struct AwaitAst {
    pub signals: Vec<AwaitedAst>,
    pub timeout: Option<Span>,
}

/// A signal to wait for.
#[derive(Debug)]
pub(super) struct AwaitedAst {
    pub signal: Placed<String>,
    pub out: Option<Placed<String>>,
}

/// A case of a `switch`.
#[derive(Debug)]
pub(super) struct CaseAst {
    /// Condition; `None` for `else`.
    pub condition: Option<Formula>,
    pub at: Range<usize>,
    pub steps: Vec<StepAst>,
}

/// `repeat: { until: …, max: 10, steps: [ … ] }`.
#[derive(Debug)]
pub(super) struct RepeatAst {
    pub until: Option<Formula>,
    pub max: u32,
    pub steps: Vec<StepAst>,
}

/// `parallel: [ [ … ], [ … ] ]`; `need` is the number of branches that its `join` requires.
#[derive(Debug)]
pub(super) struct ParallelAst {
    pub branches: Vec<Vec<StepAst>>,
    pub need: usize,
}

/// `foreach: person in accepted`.
#[derive(Debug)]
pub(super) struct ForeachAst {
    pub variable: Placed<String>,
    pub over: Formula,
    pub concurrency: Option<u32>,
}

impl StepAst {
    /// Returns the name of what the step does: the verb, the method, or the keyword of the language.
    pub(super) fn does(&self) -> &str {
        match &self.act {
            ActAst::Call(call) => &call.name.value,
            ActAst::Set(_) => "set",
            ActAst::Await(_) => "await",
            ActAst::Switch(_) => "switch",
            ActAst::Repeat(_) => "repeat",
            ActAst::Parallel(_) => "parallel",
            ActAst::Steps(_) => "steps",
        }
    }

    /// Returns the variables that the step itself assigns, without those of nested steps.
    pub(super) fn outs(&self) -> Vec<&Placed<String>> {
        match &self.act {
            ActAst::Call(call) => call.out.iter().collect(),
            ActAst::Set(members) => members.iter().map(|(name, _)| name).collect(),
            ActAst::Await(wait) => wait.signals.iter().filter_map(|s| s.out.as_ref()).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the lists of steps nested directly inside it, in document order; `on_error` is last.
    pub(super) fn blocks(&self) -> Vec<&[StepAst]> {
        let mut blocks: Vec<&[StepAst]> = match &self.act {
            ActAst::Call(call) => call.compensate.iter().map(std::slice::from_ref).collect(),
            ActAst::Set(_) | ActAst::Await(_) => Vec::new(),
            ActAst::Switch(cases) => cases.iter().map(|case| case.steps.as_slice()).collect(),
            ActAst::Repeat(repeat) => vec![&repeat.steps],
            ActAst::Parallel(parallel) => parallel.branches.iter().map(Vec::as_slice).collect(),
            ActAst::Steps(steps) => vec![steps],
        };
        blocks.push(&self.on_error);
        blocks
    }

    /// Visits the step and all steps nested inside it, each before its own nested steps.
    pub(super) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        for block in self.blocks() {
            block.iter().for_each(|step| step.walk(visit));
        }
    }
}

impl MethodAst {
    /// Visits every step, in the order of the graph's nodes.
    pub(super) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a StepAst)) {
        let fallbacks = self.fallbacks.iter().flat_map(|fallback| &fallback.steps);
        let all = self.steps.iter().chain(fallbacks).chain(&self.on_cancel);
        all.for_each(|step| step.walk(visit));
    }
}
