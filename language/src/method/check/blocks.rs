//! Checks steps that contain other steps or make no call,
//! and records the variables that these steps assign.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::scope::Variable;
use super::step::CompiledAction;
use super::{Checker, constant};
use crate::base::{Span, Value};
use crate::diagnostic::codes;
use crate::expr::Type;
use crate::method::arg::Arg;
use crate::method::ast::{
    ActionAst, AwaitAst, AwaitedSignalAst, CaseAst, ComputedDeadlineAst, ParallelAst, RepeatAst,
    StepAst,
};
use crate::method::deadline::ComputedDeadline;
use crate::method::graph::{Await, AwaitedSignal, Case, Parallel, Repeat, StepAction};
use crate::method::spanned::Spanned;
use crate::yaml::YamlNode;

impl Checker<'_, '_> {
    /// Checks a `set` step. The expression of each value can
    /// read the variables that the step sets earlier.
    pub(super) fn set(&mut self, members: &[(Spanned<String>, YamlNode)]) -> CompiledAction {
        let mut set = Vec::with_capacity(members.len());
        let mut assigns = Vec::with_capacity(members.len());
        for (name, value) in members {
            let typed = self.argument(value, &Value::Null, &name.value);
            let at_most = match &typed.arg {
                Arg::Expr(expr) => self.scope.at_most(expr),
                _ => None,
            };
            let variable = Variable { ty: typed.ty, at_most };
            self.scope.assign(&name.value, variable.clone());
            assigns.push((name.value.clone(), variable));
            set.push((name.value.clone(), typed.arg));
        }
        CompiledAction { action: StepAction::Set(set), assigns }
    }

    pub(super) fn wait(&mut self, step: &StepAst, wait: &AwaitAst) -> CompiledAction {
        if wait.timeout.is_none() {
            let message = "this `await` could wait forever";
            let hint = match wait.computed.is_empty() {
                true => "add `timeout`, such as `timeout: 2h`",
                false => "add `at_most`, the longest time that it may wait: `at_most: 14days`",
            };
            self.error(codes::WAIT_WITHOUT_TIMEOUT, &step.action_at, message, hint);
        }
        let any = Variable { ty: Type::Any, at_most: None };
        let signals = wait.signals.iter().map(|awaited| AwaitedSignal {
            signal: awaited.signal.value.clone(),
            out: self.awaited_out(awaited).cloned(),
        });
        let signals: Vec<_> = signals.collect();
        let outs = signals.iter().filter_map(|awaited| awaited.out.clone());
        let assigns = outs.map(|out| (out, any.clone())).collect();
        let timeout = wait.timeout.unwrap_or(Span::ZERO);
        let computed = wait.computed.iter().map(|end| self.computed_deadline(end)).collect();
        CompiledAction { action: StepAction::Await(Await { signals, timeout, computed }), assigns }
    }

    fn computed_deadline(&mut self, end: &ComputedDeadlineAst) -> ComputedDeadline {
        match end {
            ComputedDeadlineAst::Until(node) => {
                let schema = json!({ "type": "string", "x-type": "instant" });
                ComputedDeadline::Until(self.argument(node, &schema, "until").arg)
            }
            ComputedDeadlineAst::Timeout(node) => {
                let schema = json!({ "type": "string", "x-type": "duration" });
                ComputedDeadline::Timeout(self.argument(node, &schema, "timeout").arg)
            }
        }
    }

    /// Returns the variable that takes the data of a signal: the signal's own `out`,
    /// or the `out` of the call that asked the question, if the signal answers a question.
    fn awaited_out<'s>(&self, awaited: &'s AwaitedSignalAst) -> Option<&'s String> {
        let signal = &awaited.signal.value;
        let answer = Some(signal).filter(|name| self.answers.contains(*name));
        awaited.out.as_ref().map(|out| &out.value).or(answer)
    }

    pub(super) fn switch(&mut self, cases: &[CaseAst]) -> CompiledAction {
        let mut made = Vec::with_capacity(cases.len());
        let before = self.scope.clone();
        let mut after = before.clone();
        for case in cases {
            self.scope = before.clone();
            if let Some(condition) = &case.condition {
                self.condition(condition);
                if constant(&condition.expr) == Some(false) {
                    let message = "this case is never taken: its `if` is always false";
                    self.warning(codes::UNREACHABLE_STEP, &case.at, message, "leave it out");
                }
            }
            let steps = self.steps(&case.steps);
            let condition = case.condition.as_ref().map(|condition| condition.expr.clone());
            made.push(Case { condition, steps });
            after.merge_path(&self.scope);
        }
        self.scope = after;
        CompiledAction { action: StepAction::Switch(made), assigns: Vec::new() }
    }

    /// Checks a `repeat` step.
    /// The steps of the loop run at least once, so their variables are certainly assigned after the loop.
    pub(super) fn repeat(&mut self, repeat: &RepeatAst) -> CompiledAction {
        self.rounds.push(Some(repeat.max.into()));
        let steps = self.steps(&repeat.steps);
        self.rounds.pop();
        if let Some(until) = &repeat.until {
            self.condition(until);
        }
        let until = repeat.until.as_ref().map(|until| until.expr.clone());
        let action = StepAction::Repeat(Repeat { until, max: repeat.max, steps });
        CompiledAction { action, assigns: Vec::new() }
    }

    /// Checks a `parallel` step, in which a branch cannot read the variables of other branches.
    pub(super) fn parallel(&mut self, parallel: &ParallelAst) -> CompiledAction {
        let before = self.scope.clone();
        let mut after = before.clone();
        let mut branches = Vec::with_capacity(parallel.branches.len());
        for branch in &parallel.branches {
            self.scope = before.clone();
            branches.push(self.steps(branch));
            after.merge_path(&self.scope);
        }
        self.scope = after;
        let assigns =
            parallel.branches.iter().map(|branch| self.assigned_names(branch)).collect::<Vec<_>>();
        self.check_shared_variables(&parallel.branches);
        let assigns = assigns.into_iter().map(|names| names.into_iter().collect()).collect();
        let action = StepAction::Parallel(Parallel { branches, need: parallel.need, assigns });
        CompiledAction { action, assigns: Vec::new() }
    }

    /// Returns the variables that a list of steps assigns, including nested steps.
    pub(super) fn assigned_names(&self, steps: &[StepAst]) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for step in steps {
            step.walk(&mut |step| {
                names.extend(step.outs().into_iter().map(|out| out.value.clone()));
                match &step.action {
                    ActionAst::Call(call) => {
                        let contract = self.definitions.contracts.get(&call.name.value);
                        let implies = contract.and_then(|contract| contract.implies.as_ref());
                        names.extend(implies.map(|implies| implies.variable.clone()));
                    }
                    ActionAst::Await(wait) => {
                        let outs = wait.signals.iter().filter_map(|one| self.awaited_out(one));
                        names.extend(outs.cloned());
                    }
                    _ => {}
                }
            });
        }
        names
    }

    /// Reports a variable that several branches assign, because its value after the `parallel` would be
    /// ambiguous.
    fn check_shared_variables(&mut self, branches: &[Vec<StepAst>]) {
        let mut owners: BTreeMap<String, usize> = BTreeMap::new();
        for (ix, branch) in branches.iter().enumerate() {
            let mut outs: Vec<Spanned<String>> = Vec::new();
            for step in branch {
                step.walk(&mut |step| outs.extend(step.outs().into_iter().cloned()));
            }
            for out in outs {
                let owner = *owners.entry(out.value.clone()).or_insert(ix);
                if owner != ix {
                    let message =
                        format!("`{}` is also assigned in branch {}", out.value, owner + 1);
                    let hint = "use a different variable in each branch";
                    self.error(codes::BRANCHES_SHARE_VARIABLE, &out.at, message, hint);
                }
            }
        }
    }
}
