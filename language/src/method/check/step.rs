//! Checks a step: its condition, its `foreach`, its action and the variables that it assigns.

use std::collections::BTreeSet;

use super::scope::{Scope, Variable};
use super::{Checker, constant};
use crate::base::limits;
use crate::contract::Contract;
use crate::diagnostic::codes;
use crate::expr::{self, Expr, Type};
use crate::method::ast::{ActAst, ForeachAst, StepAst};
use crate::method::graph::{Act, Foreach, Node, NodeIx};

/// The rounds of a step with `foreach`.
pub(super) struct Rounds {
    /// Maximum number of rounds, if known.
    pub at_most: Option<u64>,
    /// Name of the item variable.
    pub variable: String,
}

/// The result of compiling a step: its action and the variables that it assigns.
pub(super) struct Made {
    pub act: Act,
    pub fills: Vec<(String, Variable)>,
}

impl Checker<'_, '_> {
    /// Checks a step, adds its node and returns the node's index.
    pub(super) fn step(&mut self, step: &StepAst) -> NodeIx {
        let ix = self.reserve(step);
        let rounds = step.foreach.as_ref().map(|foreach| self.foreach(foreach));
        if let Some(when) = &step.when {
            self.condition(when);
            if constant(&when.expr) == Some(false) {
                let message = "this step is never executed: its `when` is always false";
                self.warning(codes::UNREACHABLE_STEP, &when.at(), message, "leave the step out");
            }
        }
        let before = step.when.as_ref().map(|_| self.scope.clone());
        self.rounds.extend(rounds.as_ref().map(|rounds| rounds.at_most));
        let Made { mut act, fills } = self.act(step, rounds.as_ref());
        let implied = self.implied(&act, rounds.as_ref());
        if let (Act::Call(made), ActAst::Call(call)) = (&mut act, &step.act) {
            made.undo = self.undo(call, &fills);
        }
        if rounds.is_some() {
            self.rounds.pop();
            self.scope.leave_item();
        }
        for (name, filled) in fills {
            self.fill((&name, filled), step, rounds.as_ref());
        }
        if let Some((name, filled)) = implied {
            self.keep(&name, filled);
        }
        if let Some(before) = before {
            self.scope.only_perhaps(before);
        }
        let on_error = self.on_error(step);
        let foreach = step.foreach.as_ref().map(|foreach| {
            self.compiled_foreach(step, foreach, rounds.as_ref().and_then(|r| r.at_most))
        });
        let (reads, facts) = reads(step, &act);
        if let Act::Call(call) = &mut act {
            call.facts = facts;
        }
        if let Some(node) = self.nodes.get_mut(ix as usize) {
            node.when = step.when.as_ref().map(|when| when.expr.clone());
            *node =
                Node { foreach, act, limits: step.limits.clone(), on_error, reads, ..node.clone() };
        }
        ix
    }

    /// Reserves the step's node before those of the steps nested inside it.
    fn reserve(&mut self, step: &StepAst) -> NodeIx {
        let ix = self.nodes.len();
        self.nodes.push(Node {
            key: step.key.clone(),
            step_id: self.step_ids.get(ix).cloned().unwrap_or_default(),
            line: self.source.line(step.at.start),
            when: None,
            foreach: None,
            act: Act::Steps(Vec::new()),
            limits: Default::default(),
            on_error: Vec::new(),
            reads: Vec::new(),
        });
        NodeIx::try_from(ix).unwrap_or(NodeIx::MAX)
    }

    fn act(&mut self, step: &StepAst, rounds: Option<&Rounds>) -> Made {
        match &step.act {
            ActAst::Call(call) => self.call(step, call, rounds),
            ActAst::Set(members) => self.set(members),
            ActAst::Await(wait) => self.wait(step, wait),
            ActAst::Switch(cases) => self.switch(cases),
            ActAst::Repeat(repeat) => self.repeat(repeat),
            ActAst::Parallel(parallel) => self.parallel(parallel),
            ActAst::Steps(steps) => Made { act: Act::Steps(self.steps(steps)), fills: Vec::new() },
        }
    }

    /// Compiles the steps of `on_error`. They see the variable `error`; after them, their own variables are
    /// possibly unassigned.
    fn on_error(&mut self, step: &StepAst) -> Vec<NodeIx> {
        if step.on_error.is_empty() {
            return Vec::new();
        }
        let before = self.scope.clone();
        self.scope.fill("error", Scope::error());
        let steps = self.steps(&step.on_error);
        self.scope.only_perhaps(before);
        self.scope.forget("error");
        steps
    }

    /// Checks the list of a `foreach`, adds its item variable to the scope and returns its rounds.
    fn foreach(&mut self, foreach: &ForeachAst) -> Rounds {
        let ty = self.formula(&foreach.over);
        let at_most = self.scope.at_most(&foreach.over.expr);
        let at = foreach.over.at();
        let item = match ty {
            Type::List(item) => *item,
            Type::Any | Type::Null => Type::Any,
            other => {
                let message = format!("`foreach` needs a list, but this is {other}");
                self.error(codes::WRONG_TYPE, &at, message, "name a variable that holds a list");
                Type::Any
            }
        };
        if at_most == Some(0) {
            let message = "this step is never executed: the list is always empty";
            self.warning(codes::UNREACHABLE_STEP, &at, message, "leave the step out");
        }
        let item = Variable { ty: item, at_most: None };
        self.scope.enter_item(&foreach.variable.value, item);
        Rounds { at_most, variable: foreach.variable.value.clone() }
    }

    /// Compiles a `foreach`. Rounds that may wait become child runs if there can be more than
    /// [`limits::FOREACH_WAITING_MAX`] of them, since the head of one run could not hold them all.
    fn compiled_foreach(
        &self,
        step: &StepAst,
        foreach: &ForeachAst,
        at_most: Option<u64>,
    ) -> Foreach {
        let many = at_most.is_none_or(|rounds| rounds > limits::FOREACH_WAITING_MAX);
        let in_turn = (many && self.can_wait(step)).then_some(1);
        let abreast = foreach.concurrency.or(in_turn);
        let inside = step.blocks().into_iter().flat_map(|block| self.fills(block));
        let inside = inside.collect::<BTreeSet<String>>();
        Foreach {
            variable: foreach.variable.value.clone(),
            over: foreach.over.expr.clone(),
            abreast,
            fills: inside.into_iter().filter(|_| abreast == Some(1)).collect(),
        }
    }

    /// Whether the step, or a step nested inside it, can wait.
    pub(super) fn can_wait(&self, step: &StepAst) -> bool {
        let mut waits = false;
        step.walk(&mut |inner| {
            waits |= match &inner.act {
                ActAst::Call(call) => {
                    let verb = self.world.contracts.get(&call.name.value);
                    verb.map_or(call.with.is_some(), Contract::waits)
                }
                ActAst::Await(_) | ActAst::Parallel(_) => true,
                _ => false,
            };
        });
        waits
    }

    fn fill(&mut self, (name, filled): (&str, Variable), step: &StepAst, rounds: Option<&Rounds>) {
        let collects = matches!(step.act, ActAst::Call(_));
        let variable = match rounds.filter(|_| collects) {
            Some(rounds) => Variable { ty: Type::list(filled.ty), at_most: rounds.at_most },
            None => filled,
        };
        self.keep(name, variable);
    }

    fn keep(&mut self, name: &str, variable: Variable) {
        if self.in_fallback {
            self.scope.may_fill(name, variable);
        } else {
            self.scope.fill(name, variable);
        }
    }
}

/// Returns the variables that a step's own expressions read, and whether one of them queries the database.
fn reads(step: &StepAst, act: &Act) -> (Vec<String>, bool) {
    let mut reads = BTreeSet::new();
    let mut facts = false;
    let mut read = |expr: &Expr| {
        reads.extend(expr::variables(expr));
        facts |= expr::facts(expr);
    };
    match act {
        Act::Call(call) => call.args.each_expr(&mut read),
        Act::Method(call) => call.with.each_expr(&mut read),
        Act::Set(members) => members.iter().for_each(|(_, arg)| arg.each_expr(&mut read)),
        Act::Switch(cases) => {
            cases.iter().filter_map(|case| case.condition.as_ref()).for_each(&mut read);
        }
        Act::Repeat(repeat) => repeat.until.iter().for_each(&mut read),
        Act::Await(_) | Act::Parallel(_) | Act::Steps(_) => {}
    }
    if let Some(foreach) = &step.foreach {
        reads.remove(&foreach.variable.value);
    }
    let outside = step.foreach.iter().map(|foreach| &foreach.over).chain(&step.when);
    for formula in outside {
        reads.extend(expr::variables(&formula.expr));
        facts |= expr::facts(&formula.expr);
    }
    (reads.into_iter().collect(), facts)
}
