//! How a method ends: fallbacks, what is reached, and what a timer leads to.

use super::step::TIMEOUT;
use super::{Checker, constant};
use crate::diagnostic::codes;
use crate::expr;
use crate::method::ast::{MethodAst, StepAst};
use crate::method::graph::Fallback;

impl Checker<'_, '_> {
    /// Notes which variable each verb of the main steps fills: a fallback refreshes it.
    pub(super) fn remember_main_outs(&mut self) {
        for node in &self.nodes {
            if let Some(out) = &node.call.out {
                let outs = self.main_outs.entry(node.call.verb.clone()).or_default();
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
                        "say in `success_when` what must hold",
                    )
                } else {
                    ("this fallback is never tried: its `if` cannot hold", "leave it out")
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

    /// A main step that can end by its timer leads somewhere: to a fallback, or to a later step
    /// that looks at `timeout`.
    pub(super) fn waits_have_a_way_out(&mut self, ast: &MethodAst) {
        if !ast.fallbacks.is_empty() {
            return;
        }
        let looks = |step: &StepAst| {
            step.when.as_ref().is_some_and(|when| expr::variables(&when.expr).contains("timeout"))
        };
        let last_look = ast.steps.iter().rposition(looks);
        let waits: Vec<_> = ast
            .steps
            .iter()
            .zip(&self.nodes)
            .enumerate()
            .filter(|(ix, (step, node))| {
                let bounded = step.args.as_ref().is_some_and(|args| args.get(TIMEOUT).is_some());
                node.call.waits && bounded && last_look.is_none_or(|last| last <= *ix)
            })
            .map(|(_, (step, _))| step.call.clone())
            .collect();
        for call in waits {
            let message =
                format!("when `{}` ends by its timer, nothing is done about it", call.value);
            let hint =
                "add `fallbacks:` with `- if: timeout`, or a later step with `when: timeout`";
            self.warning(codes::TIMEOUT_WITHOUT_FALLBACK, &call.at, message, hint);
        }
    }
}
