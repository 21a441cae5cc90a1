//! Checks a step: its condition, its `foreach`, its action and the variables that it assigns.

use std::collections::BTreeSet;

use super::scope::{Scope, Variable};
use super::{Checker, constant};
use crate::base::limits;
use crate::contract::Contract;
use crate::diagnostic::codes;
use crate::expr::{self, Expr, Type};
use crate::method::ast::{ActionAst, ForeachAst, StepAst};
use crate::method::graph::{Foreach, Node, NodeIndex, StepAction};

/// The rounds of a step with `foreach`.
pub(super) struct Rounds {
    /// Maximum number of rounds, if known.
    pub at_most: Option<u64>,
    /// Name of the item variable.
    pub variable: String,
}

/// The result of compiling a step: its action and the variables that it assigns.
pub(super) struct CompiledAction {
    pub action: StepAction,
    pub assigns: Vec<(String, Variable)>,
}

impl Checker<'_, '_> {
    /// Checks a step, adds its node and returns the node's index.
    pub(super) fn step(&mut self, step: &StepAst) -> NodeIndex {
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
        let CompiledAction { mut action, assigns } = self.action(step, rounds.as_ref());
        let implied = self.implied(&action, rounds.as_ref());
        if let (StepAction::Call(compiled), ActionAst::Call(call)) = (&mut action, &step.action) {
            compiled.compensation = self.compensation(call, &assigns);
        }
        if rounds.is_some() {
            self.rounds.pop();
            self.scope.leave_item();
        }
        for (name, variable) in assigns {
            self.assign(&name, variable, step, rounds.as_ref());
        }
        if let Some((name, variable)) = implied {
            self.keep(&name, variable);
        }
        if let Some(before) = before {
            self.scope.mark_maybe_assigned(before);
        }
        let on_error = self.on_error(step);
        let foreach = step.foreach.as_ref().map(|foreach| {
            self.compiled_foreach(step, foreach, rounds.as_ref().and_then(|r| r.at_most))
        });
        let (reads, queries_database) = reads(step, &action);
        if let StepAction::Call(call) = &mut action {
            call.queries_database = queries_database;
        }
        if let Some(node) = self.nodes.get_mut(ix as usize) {
            node.when = step.when.as_ref().map(|when| when.expr.clone());
            *node = Node {
                foreach,
                action,
                limits: step.limits.clone(),
                on_error,
                reads,
                ..node.clone()
            };
        }
        ix
    }

    /// Reserves the node of the step before the nodes of the steps nested inside it.
    fn reserve(&mut self, step: &StepAst) -> NodeIndex {
        let ix = self.nodes.len();
        self.nodes.push(Node {
            key: step.key.clone(),
            step_id: self.step_ids.get(ix).cloned().unwrap_or_default(),
            line: self.source.line(step.at.start),
            when: None,
            foreach: None,
            action: StepAction::Steps(Vec::new()),
            limits: Default::default(),
            on_error: Vec::new(),
            reads: Vec::new(),
        });
        NodeIndex::try_from(ix).unwrap_or(NodeIndex::MAX)
    }

    fn action(&mut self, step: &StepAst, rounds: Option<&Rounds>) -> CompiledAction {
        match &step.action {
            ActionAst::Call(call) => self.call(step, call, rounds),
            ActionAst::Set(members) => self.set(members),
            ActionAst::Await(wait) => self.wait(step, wait),
            ActionAst::Switch(cases) => self.switch(cases),
            ActionAst::Repeat(repeat) => self.repeat(repeat),
            ActionAst::Parallel(parallel) => self.parallel(parallel),
            ActionAst::Steps(steps) => {
                CompiledAction { action: StepAction::Steps(self.steps(steps)), assigns: Vec::new() }
            }
        }
    }

    /// Compiles the steps of `on_error`, which can read the variable `error`.
    /// The variables that these steps assign count as possibly unassigned afterwards.
    fn on_error(&mut self, step: &StepAst) -> Vec<NodeIndex> {
        if step.on_error.is_empty() {
            return Vec::new();
        }
        let before = self.scope.clone();
        self.scope.assign("error", Scope::error());
        let steps = self.steps(&step.on_error);
        self.scope.mark_maybe_assigned(before);
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

    /// Compiles a `foreach`. If rounds may wait and there can be more than
    /// [`limits::FOREACH_WAITING_MAX`] rounds, each round becomes a child run,
    /// because the head of one run has no space for the state of all rounds.
    fn compiled_foreach(
        &self,
        step: &StepAst,
        foreach: &ForeachAst,
        at_most: Option<u64>,
    ) -> Foreach {
        let many = at_most.is_none_or(|rounds| rounds > limits::FOREACH_WAITING_MAX);
        let in_turn = (many && self.can_wait(step)).then_some(1);
        let concurrency = foreach.concurrency.or(in_turn);
        let inside = step.blocks().into_iter().flat_map(|block| self.assigned_names(block));
        let inside = inside.collect::<BTreeSet<String>>();
        Foreach {
            variable: foreach.variable.value.clone(),
            over: foreach.over.expr.clone(),
            concurrency,
            assigns: inside.into_iter().filter(|_| concurrency == Some(1)).collect(),
        }
    }

    /// Whether the step, or a step nested inside it, can wait.
    pub(super) fn can_wait(&self, step: &StepAst) -> bool {
        let mut waits = false;
        step.walk(&mut |inner| {
            waits |= match &inner.action {
                ActionAst::Call(call) => {
                    let verb = self.definitions.contracts.get(&call.name.value);
                    verb.map_or(call.with.is_some(), Contract::waits)
                }
                ActionAst::Await(_) | ActionAst::Parallel(_) => true,
                _ => false,
            };
        });
        waits
    }

    fn assign(&mut self, name: &str, assigned: Variable, step: &StepAst, rounds: Option<&Rounds>) {
        let collects = matches!(step.action, ActionAst::Call(_));
        let variable = match rounds.filter(|_| collects) {
            Some(rounds) => Variable { ty: Type::list(assigned.ty), at_most: rounds.at_most },
            None => assigned,
        };
        self.keep(name, variable);
    }

    fn keep(&mut self, name: &str, variable: Variable) {
        if self.in_fallback {
            self.scope.assign_maybe(name, variable);
        } else {
            self.scope.assign(name, variable);
        }
    }
}

/// Returns the variables that the expressions of a step read, and whether any of
/// the expressions queries the database. The expressions of nested steps do not count.
fn reads(step: &StepAst, action: &StepAction) -> (Vec<String>, bool) {
    let mut reads = BTreeSet::new();
    let mut queries_database = false;
    let mut read = |expr: &Expr| {
        reads.extend(expr::variables(expr));
        queries_database |= expr::facts(expr);
    };
    match action {
        StepAction::Call(call) => call.args.each_expr(&mut read),
        StepAction::Method(call) => call.with.each_expr(&mut read),
        StepAction::Set(members) => members.iter().for_each(|(_, arg)| arg.each_expr(&mut read)),
        StepAction::Switch(cases) => {
            cases.iter().filter_map(|case| case.condition.as_ref()).for_each(&mut read);
        }
        StepAction::Repeat(repeat) => repeat.until.iter().for_each(&mut read),
        StepAction::Await(wait) => {
            wait.computed.iter().for_each(|end| end.arg().each_expr(&mut read));
        }
        StepAction::Parallel(_) | StepAction::Steps(_) => {}
    }
    if let Some(foreach) = &step.foreach {
        reads.remove(&foreach.variable.value);
    }
    let outside = step.foreach.iter().map(|foreach| &foreach.over).chain(&step.when);
    for formula in outside {
        reads.extend(expr::variables(&formula.expr));
        queries_database |= expr::facts(&formula.expr);
    }
    (reads.into_iter().collect(), queries_database)
}
