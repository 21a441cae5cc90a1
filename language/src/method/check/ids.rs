//! Step ids. A step has its author's id, or else the name of its action.
//! If an earlier step has the same name, a number is added to the name.

use std::collections::{BTreeMap, BTreeSet};

use super::Checker;
use crate::diagnostic::codes;
use crate::method::ast::{MethodAst, StepAst};

/// Returns every step of the method, in the order of the graph's nodes.
fn all(ast: &MethodAst) -> Vec<&StepAst> {
    let mut steps = Vec::new();
    ast.walk(&mut |step| steps.push(step));
    steps
}

/// Returns the id of every step. If a numbered name equals an author's id, the next number is used.
pub(super) fn step_ids(ast: &MethodAst) -> Vec<String> {
    let steps = all(ast);
    let taken: BTreeSet<&str> =
        steps.iter().filter_map(|step| step.id.as_ref()).map(|id| id.value.as_str()).collect();
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let name = |step: &StepAst, number: usize| match number {
        1 => step.action_name().to_owned(),
        number => format!("{}_{number}", step.action_name()),
    };
    let mut ids = Vec::with_capacity(steps.len());
    for step in steps {
        if let Some(id) = &step.id {
            ids.push(id.value.clone());
            continue;
        }
        let number = used.entry(step.action_name()).or_default();
        *number += 1;
        while taken.contains(name(step, *number).as_str()) {
            *number += 1;
        }
        ids.push(name(step, *number));
    }
    ids
}

impl Checker<'_, '_> {
    /// Reports an id that the author used more than once.
    pub(super) fn duplicate_ids(&mut self, ast: &MethodAst) {
        let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
        for id in all(ast).into_iter().filter_map(|step| step.id.as_ref()) {
            let line = self.source.line(id.at.start);
            if let Some(first) = seen.get(id.value.as_str()) {
                let message = format!("the id `{}` is already used in line {first}", id.value);
                let hint =
                    "give each step its own id: receipts, positions and diagrams refer to it";
                self.error(codes::DUPLICATE_ID, &id.at, message, hint);
            } else {
                seen.insert(&id.value, line);
            }
        }
    }
}
