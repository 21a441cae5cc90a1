//! Checks steps that contain steps or call nothing, and what they assign for the steps inside and after them.

use std::collections::{BTreeMap, BTreeSet};

use super::scope::Variable;
use super::step::Made;
use super::{Checker, constant};
use crate::base::{Span, Value};
use crate::diagnostic::codes;
use crate::expr::Type;
use crate::method::arg::Arg;
use crate::method::ast::{
    ActAst, AwaitAst, AwaitedAst, CaseAst, ParallelAst, Placed, RepeatAst, StepAst,
};
use crate::method::graph::{Act, Await, Awaited, Case, Parallel, Repeat};
use crate::yaml::Node;

impl Checker<'_, '_> {
    /// Checks a `set`: each value sees the variables set before it.
    pub(super) fn set(&mut self, members: &[(Placed<String>, Node)]) -> Made {
        let mut set = Vec::with_capacity(members.len());
        let mut fills = Vec::with_capacity(members.len());
        for (name, value) in members {
            let typed = self.argument(value, &Value::Null, &name.value);
            let at_most = match &typed.arg {
                Arg::Expr(expr) => self.scope.at_most(expr),
                _ => None,
            };
            let variable = Variable { ty: typed.ty, at_most };
            self.scope.fill(&name.value, variable.clone());
            fills.push((name.value.clone(), variable));
            set.push((name.value.clone(), typed.arg));
        }
        Made { act: Act::Set(set), fills }
    }

    pub(super) fn wait(&mut self, step: &StepAst, wait: &AwaitAst) -> Made {
        if wait.timeout.is_none() {
            let message = "this `await` could wait forever";
            let hint = "add `timeout`, such as `timeout: 2h`";
            self.error(codes::WAIT_WITHOUT_TIMEOUT, &step.act_at, message, hint);
        }
        let any = Variable { ty: Type::Any, at_most: None };
        let signals = wait.signals.iter().map(|awaited| Awaited {
            signal: awaited.signal.value.clone(),
            out: self.awaited_out(awaited).cloned(),
        });
        let signals: Vec<_> = signals.collect();
        let outs = signals.iter().filter_map(|awaited| awaited.out.clone());
        let fills = outs.map(|out| (out, any.clone())).collect();
        let timeout = wait.timeout.unwrap_or(Span::ZERO);
        Made { act: Act::Await(Await { signals, timeout }), fills }
    }

    /// Returns the variable that a signal is bound to: its `out`, or that of the question which it answers.
    fn awaited_out<'s>(&self, awaited: &'s AwaitedAst) -> Option<&'s String> {
        let signal = &awaited.signal.value;
        let answer = Some(signal).filter(|name| self.answers.contains(*name));
        awaited.out.as_ref().map(|out| &out.value).or(answer)
    }

    pub(super) fn switch(&mut self, cases: &[CaseAst]) -> Made {
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
            after.perhaps(&self.scope);
        }
        self.scope = after;
        Made { act: Act::Switch(made), fills: Vec::new() }
    }

    /// Checks a `repeat`: its steps are executed at least once, so their variables are assigned afterwards.
    pub(super) fn repeat(&mut self, repeat: &RepeatAst) -> Made {
        self.rounds.push(Some(repeat.max.into()));
        let steps = self.steps(&repeat.steps);
        self.rounds.pop();
        if let Some(until) = &repeat.until {
            self.condition(until);
        }
        let until = repeat.until.as_ref().map(|until| until.expr.clone());
        let act = Act::Repeat(Repeat { until, max: repeat.max, steps });
        Made { act, fills: Vec::new() }
    }

    /// Checks a `parallel`: a branch does not see the variables of other branches.
    pub(super) fn parallel(&mut self, parallel: &ParallelAst) -> Made {
        let before = self.scope.clone();
        let mut after = before.clone();
        let mut branches = Vec::with_capacity(parallel.branches.len());
        for branch in &parallel.branches {
            self.scope = before.clone();
            branches.push(self.steps(branch));
            after.perhaps(&self.scope);
        }
        self.scope = after;
        let fills = parallel.branches.iter().map(|branch| self.fills(branch)).collect::<Vec<_>>();
        self.shared(&parallel.branches);
        let fills = fills.into_iter().map(|names| names.into_iter().collect()).collect();
        let act = Act::Parallel(Parallel { branches, need: parallel.need, fills });
        Made { act, fills: Vec::new() }
    }

    /// Returns the variables that a list of steps assigns, including nested steps.
    pub(super) fn fills(&self, steps: &[StepAst]) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for step in steps {
            step.walk(&mut |step| {
                names.extend(step.outs().into_iter().map(|out| out.value.clone()));
                match &step.act {
                    ActAst::Call(call) => {
                        let contract = self.world.contracts.get(&call.name.value);
                        let implies = contract.and_then(|contract| contract.implies.as_ref());
                        names.extend(implies.map(|implies| implies.variable.clone()));
                    }
                    ActAst::Await(wait) => {
                        let outs = wait.signals.iter().filter_map(|one| self.awaited_out(one));
                        names.extend(outs.cloned());
                    }
                    _ => {}
                }
            });
        }
        names
    }

    /// Reports a variable that several branches assign: its value at the join would be ambiguous.
    fn shared(&mut self, branches: &[Vec<StepAst>]) {
        let mut owners: BTreeMap<String, usize> = BTreeMap::new();
        for (ix, branch) in branches.iter().enumerate() {
            let mut outs: Vec<Placed<String>> = Vec::new();
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
