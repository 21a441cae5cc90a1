//! Checks the syntax tree and compiles it into the step graph:
//! names must be known, types must match, and waits must have a timeout.
//!
//! All findings are collected. The checker always returns a graph,
//! but the graph may run only if no finding is an error.

mod arguments;
mod blocks;
mod call;
mod endings;
mod ids;
mod later_start;
mod literal;
mod messages;
mod method_call;
mod scope;
mod step;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Definitions;
use super::ast::{ActionAst, MethodAst, StepAst};
use super::formula::LocatedExpr;
use super::graph::{Graph, Node, NodeIndex};
use crate::diagnostic::{Findings, Source, codes};
use crate::expr::{self, Expr, ExprKind, Type};

use messages::SentMessages;
use scope::Scope;

/// Checks and compiles a method. The graph may run only if none of the findings is an error.
pub(super) fn check<'a, 't>(
    definitions: &'a Definitions<'a>,
    source: &'a Source<'t>,
    ast: MethodAst,
    found: Findings<'a, 't>,
) -> (Graph, Findings<'a, 't>) {
    let inputs = ast.inputs.as_ref().map(|inputs| &inputs.value);
    let mut checker = Checker {
        definitions,
        source,
        found,
        scope: Scope::implied(inputs),
        nodes: Vec::new(),
        sent: Vec::new(),
        step_ids: ids::step_ids(&ast),
        main_outs: BTreeMap::new(),
        answers: BTreeSet::new(),
        in_fallback: false,
        rounds: Vec::new(),
        name: ast.name.value.clone(),
        has_message_limit: ast.limits.max_messages.is_some(),
    };
    checker.duplicate_ids(&ast);
    let graph = checker.method(ast);
    (graph, checker.found)
}

struct Checker<'a, 't> {
    definitions: &'a Definitions<'a>,
    source: &'a Source<'t>,
    found: Findings<'a, 't>,
    scope: Scope,
    nodes: Vec<Node>,
    /// Messages sent by the steps checked so far.
    sent: Vec<SentMessages>,
    /// Id of every step, in the order of the nodes.
    step_ids: Vec<String>,
    /// Variables that the main steps assign, by the verb that assigns them.
    main_outs: BTreeMap<String, Vec<String>>,
    /// Variables to which the answer to a question is assigned when the answer arrives.
    answers: BTreeSet<String>,
    in_fallback: bool,
    /// Maximum number of rounds of each loop that encloses the current step, the outermost
    /// loop first; `None` for a loop whose maximum is unknown.
    rounds: Vec<Option<u64>>,
    /// Name of the method that is being checked.
    name: String,
    has_message_limit: bool,
}

impl Checker<'_, '_> {
    fn method(&mut self, ast: MethodAst) -> Graph {
        if let Some(formula) = &ast.applicable_if {
            let inputs = ast.inputs.as_ref().map(|inputs| &inputs.value);
            let during = std::mem::replace(&mut self.scope, Scope::before_start(inputs));
            self.condition(formula);
            self.scope = during;
        }
        self.announce(&ast);
        let main = self.steps(&ast.steps);
        self.check_timeouts_handled(&ast);
        self.remember_main_outs();
        let fallbacks = self.fallbacks(&ast);
        for formula in &ast.success_when {
            self.condition(formula);
        }
        let on_cancel = self.steps(&ast.on_cancel);
        self.count_messages(&ast);
        self.shared_keys();
        let conditions = ast.success_when.iter().chain(ast.fallbacks.iter().map(|f| &f.condition));
        let ending_reads: BTreeSet<String> =
            conditions.flat_map(|formula| expr::variables(&formula.expr)).collect();
        Graph {
            method: ast.name.value,
            description: ast.description,
            applicable_if: ast.applicable_if.map(|formula| formula.expr),
            inputs: ast.inputs.map(|inputs| inputs.value),
            limits: ast.limits,
            nodes: std::mem::take(&mut self.nodes),
            main,
            success_when: ast.success_when.into_iter().map(|formula| formula.expr).collect(),
            fallbacks,
            on_cancel,
            ending_reads: ending_reads.into_iter().collect(),
        }
    }

    /// Records the variables that steps assign, so that the checker can distinguish
    /// a variable that is read too early from an unknown variable.
    fn announce(&mut self, ast: &MethodAst) {
        let definitions = self.definitions;
        let mut outs = Vec::new();
        ast.walk(&mut |step| {
            outs.extend(step.outs().into_iter().map(|out| (out.value.clone(), out.at.start)));
            let ActionAst::Call(call) = &step.action else { return };
            let Some(contract) = definitions.contracts.get(&call.name.value) else { return };
            outs.extend(contract.implies.iter().map(|i| (i.variable.clone(), step.at.start)));
            let answer = call.out.iter().filter(|_| contract.answered_later);
            self.answers.extend(answer.map(|out| out.value.clone()));
        });
        for (name, at) in outs {
            self.scope.announce(&name, self.source.line(at));
        }
    }

    fn steps(&mut self, steps: &[StepAst]) -> Vec<NodeIndex> {
        steps.iter().map(|step| self.step(step)).collect()
    }

    /// Returns the type of an expression, and reports the findings
    /// about the expression at their positions in the file.
    fn formula(&mut self, formula: &LocatedExpr) -> Type {
        let mut faults = Vec::new();
        let ty = expr::check(&formula.expr, &self.scope, &mut faults);
        self.faults(formula, faults);
        ty
    }

    /// Checks an expression that is used as a condition.
    fn condition(&mut self, formula: &LocatedExpr) {
        let mut faults = Vec::new();
        expr::check_condition(&formula.expr, &self.scope, &mut faults);
        self.faults(formula, faults);
    }

    fn faults(&mut self, formula: &LocatedExpr, faults: Vec<expr::ExprDiagnostic>) {
        for fault in faults {
            self.found.error(fault.code, &formula.find(fault.at), fault.message, fault.hint);
        }
        self.scope.suggest = !self.found.is_full();
        self.read_too_early(formula, &formula.expr);
    }

    fn read_too_early(&mut self, formula: &LocatedExpr, expr: &Expr) {
        if let ExprKind::Path(path) = &expr.kind
            && let Some(root) = path.first()
            && let Some(line) = self.scope.assigned_later(root)
        {
            let root_end = expr.at.start.saturating_add(u32::try_from(root.len()).unwrap_or(0));
            let at =
                formula.find(expr::Range { start: expr.at.start, end: root_end.min(expr.at.end) });
            let message = format!("`{root}` is read before it is assigned in line {line}");
            let hint = "move the step that assigns it before this one";
            self.error(codes::USE_BEFORE_ASSIGNMENT, &at, message, hint);
        }
        expr.children().for_each(|child| self.read_too_early(formula, child));
    }

    fn error(
        &mut self,
        code: &'static str,
        at: &Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.found.error(code, at, message, hint.into());
    }

    fn warning(
        &mut self,
        code: &'static str,
        at: &Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.found.warning(code, at, message, hint.into());
    }
}

/// Returns the value of a condition that is the same in every run; `None` for any other condition.
fn constant(expr: &Expr) -> Option<bool> {
    match &expr.kind {
        ExprKind::Literal(value) => value.as_bool(),
        ExprKind::Unary(expr::UnaryOp::Not, operand) => constant(operand).map(|value| !value),
        ExprKind::Binary(expr::BinaryOp::And, left, right) => {
            match (constant(left), constant(right)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), other) | (other, Some(true)) => other,
                (None, None) => None,
            }
        }
        ExprKind::Binary(expr::BinaryOp::Or, left, right) => {
            match (constant(left), constant(right)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), other) | (other, Some(false)) => other,
                (None, None) => None,
            }
        }
        _ => None,
    }
}
