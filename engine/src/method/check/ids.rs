//! Step ids: the author's, or the verb's name, numbered from the second on.

use std::collections::{BTreeMap, BTreeSet};

use super::Checker;
use crate::diagnostic::codes;
use crate::method::ast::{MethodAst, StepAst};

/// Every step in the order of the nodes: main steps, then each fallback's.
fn all(ast: &MethodAst) -> impl Iterator<Item = &StepAst> {
    ast.steps.iter().chain(ast.fallbacks.iter().flat_map(|fallback| &fallback.steps))
}

/// The id of every step. A number that would repeat an author's id is passed over.
pub(super) fn step_ids(ast: &MethodAst) -> Vec<String> {
    let taken: BTreeSet<&str> =
        all(ast).filter_map(|step| step.id.as_ref()).map(|id| id.value.as_str()).collect();
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let name = |step: &StepAst, number: usize| match number {
        1 => step.call.value.clone(),
        number => format!("{}_{number}", step.call.value),
    };
    let mut ids = Vec::new();
    for step in all(ast) {
        if let Some(id) = &step.id {
            ids.push(id.value.clone());
            continue;
        }
        let number = used.entry(step.call.value.as_str()).or_default();
        *number += 1;
        while taken.contains(name(step, *number).as_str()) {
            *number += 1;
        }
        ids.push(name(step, *number));
    }
    ids
}

impl Checker<'_, '_> {
    /// An author's id stands once.
    pub(super) fn duplicate_ids(&mut self, ast: &MethodAst) {
        let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
        for id in all(ast).filter_map(|step| step.id.as_ref()) {
            let line = self.source.line(id.at.start);
            if let Some(first) = seen.get(id.value.as_str()) {
                let message = format!("the id `{}` stands already in line {first}", id.value);
                let hint = "ids name a step in receipts, positions and pictures: give each its own";
                self.error(codes::DUPLICATE_ID, &id.at, message, hint);
            } else {
                seen.insert(&id.value, line);
            }
        }
    }
}
