//! Checks how a method ends: its fallbacks, and whether the timeouts of its waits are handled.

use super::call::{TIMEOUT, UNTIL};
use super::{Checker, constant};
use crate::contract::Contract;
use crate::diagnostic::codes;
use crate::expr;
use crate::method::ast::{ActionAst, MethodAst, StepAst};
use crate::method::graph::Fallback;
use crate::method::spanned::Spanned;

impl Checker<'_, '_> {
    /// Records, for each verb, the variables that calls of the verb assign in the main steps. A call of
    /// this verb in a fallback assigns the last of these variables, unless the call has an `out`.
    pub(super) fn remember_main_outs(&mut self) {
        for node in &self.nodes {
            let Some(call) = node.call() else { continue };
            if let Some(out) = &call.out {
                let outs = self.main_outs.entry(call.verb.clone()).or_default();
                outs.retain(|known| known != out);
                outs.push(out.clone());
            }
        }
        self.in_fallback = true;
    }

    pub(super) fn fallbacks(&mut self, ast: &MethodAst) -> Vec<Fallback> {
        let always = ast.success_when.iter().all(|formula| constant(&formula.expr) == Some(true));
        let mut fallbacks = Vec::with_capacity(ast.fallbacks.len());
        for fallback in &ast.fallbacks {
            self.condition(&fallback.condition);
            let never = constant(&fallback.condition.expr) == Some(false);
            if always || never {
                let (message, hint) = if always {
                    (
                        "this fallback is never tried: the method always succeeds",
                        "state in `success_when` what must hold",
                    )
                } else {
                    ("this fallback is never tried: its `if` is always false", "leave it out")
                };
                self.warning(codes::UNREACHABLE_STEP, &fallback.at, message, hint);
            }
            let steps = self.steps(&fallback.steps);
            fallbacks.push(Fallback {
                key: fallback.key.clone(),
                line: self.source.line(fallback.at.start),
                condition: fallback.condition.expr.clone(),
                steps,
                reads: expr::variables(&fallback.condition.expr).into_iter().collect(),
            });
        }
        fallbacks
    }

    /// Warns of each wait in the main steps that can time out although the method does not handle
    /// the timeout. Any fallback, or a later condition that reads `timeout`, handles a timeout.
    pub(super) fn check_timeouts_handled(&mut self, ast: &MethodAst) {
        if !ast.fallbacks.is_empty() {
            return;
        }
        let mut steps = Vec::new();
        ast.steps.iter().for_each(|step| step.walk(&mut |step| steps.push(step)));
        let looks = steps.iter().enumerate().filter(|(_, step)| looks_at_timeout(step));
        let last_look = looks.map(|(ix, step)| ix + steps_before_condition(step)).max();
        let ends_by_timer = |step: &StepAst| match &step.action {
            ActionAst::Call(call) => {
                let verb = self.definitions.contracts.get(&call.name.value);
                verb.is_some_and(Contract::waits)
                    && call
                        .args
                        .as_ref()
                        .is_some_and(|args| args.get(TIMEOUT).or_else(|| args.get(UNTIL)).is_some())
            }
            ActionAst::Await(wait) => !wait.signals.is_empty() && wait.timeout.is_some(),
            _ => false,
        };
        let waits: Vec<Spanned<String>> = steps
            .iter()
            .enumerate()
            .filter(|(ix, step)| ends_by_timer(step) && last_look.is_none_or(|last| last <= *ix))
            .map(|(_, step)| Spanned {
                value: step.action_name().to_owned(),
                at: step.action_at.clone(),
            })
            .collect();
        for call in waits {
            let message = format!("nothing handles a timeout of `{}`", call.value);
            let hint =
                "add `fallbacks:` with `- if: timeout`, or a later step with `when: timeout`";
            self.warning(codes::TIMEOUT_WITHOUT_FALLBACK, &call.at, message, hint);
        }
    }
}

/// Returns the offset from the index of `step` to the index at which the condition of `step` is evaluated.
/// The offset is 0, except for a `repeat`, which evaluates `until` after all its steps.
fn steps_before_condition(step: &StepAst) -> usize {
    let mut inside = 0;
    if let ActionAst::Repeat(_) = &step.action {
        step.walk(&mut |_| inside += 1);
    }
    inside
}

/// Whether a condition of the step, of one of its cases or of its loop reads the variable `timeout`.
fn looks_at_timeout(step: &StepAst) -> bool {
    let cases = match &step.action {
        ActionAst::Switch(cases) => cases.as_slice(),
        _ => &[],
    };
    let until = match &step.action {
        ActionAst::Repeat(repeat) => repeat.until.as_ref(),
        _ => None,
    };
    let conditions = cases.iter().filter_map(|case| case.condition.as_ref()).chain(&step.when);
    conditions.chain(until).any(|formula| expr::variables(&formula.expr).contains("timeout"))
}
