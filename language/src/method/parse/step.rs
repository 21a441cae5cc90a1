//! Parses a step: the keys that every step may have, and the key that names the step's action.

use super::Parser;
use super::fields::Fields;
use super::keys;
use super::scalar::Name;
use crate::base::limits;
use crate::diagnostic::codes;
use crate::method::ast::{ActionAst, ForeachAst, StepAst};
use crate::method::formula::ExprText;
use crate::yaml::YamlNode;

impl Parser<'_, '_, '_> {
    pub(super) fn step(&mut self, node: &YamlNode, key: String) -> Option<StepAst> {
        let fields = self.fields(node, &keys::STEP)?;
        let word = self.action_key(&fields, node)?;
        self.misplaced(&fields, word);
        let action = self.action(&fields, word, &key)?;
        let id = fields.get("id").and_then(|node| self.name(node, "a step's id", Name::Label));
        let limits = fields.get("limits").map(|node| self.limits(node).0).unwrap_or_default();
        let on_error = fields.get("on_error");
        let on_error = on_error.map(|node| self.steps(node, &format!("{key}/on_error")));
        Some(StepAst {
            at: node.at.clone(),
            id,
            when: fields.get("when").and_then(|node| self.condition(node, "`when`")),
            foreach: self.foreach(&fields),
            action_at: action_at(&action, &fields, word),
            action,
            limits,
            on_error: on_error.unwrap_or_default(),
            key,
        })
    }

    /// Returns the key that names the step's action. Reports a step that has no such key or several.
    fn action_key(&mut self, fields: &Fields<'_>, node: &YamlNode) -> Option<&'static str> {
        let mut words = keys::ACTIONS.iter().copied().filter(|word| fields.key_at(word).is_some());
        let first = words.next();
        if let (Some(first), Some(second)) = (first, words.next()) {
            let at = fields.key_at(second).cloned().unwrap_or(node.at.clone());
            let message = format!("the step already has `{first}`: a step does one thing");
            self.error(codes::TWO_ACTS, &at, message, "split it into two steps");
        }
        if first.is_none() && keys::ACTIONS.iter().all(|word| fields.should_report_missing(word)) {
            let hint = "add `call:` with the name of a verb";
            self.error(codes::MISSING_KEY, &node.at, "the step does nothing", hint);
        }
        first
    }

    /// Reports keys that do not apply to the step's action.
    fn misplaced(&mut self, fields: &Fields<'_>, word: &str) {
        let of_a_call = keys::OF_A_CALL.iter().filter(|_| word != "call").map(|key| (*key, "call"));
        let of_parallel = (word != "parallel").then_some(("join", "parallel"));
        for (key, owner) in of_a_call.chain(of_parallel) {
            if let Some(at) = fields.key_at(key) {
                let message = format!("`{key}` belongs to `{owner}`, but this step is `{word}`");
                let hint = if key == "out" && word == "await" {
                    "put `out` beside `signal`, inside `await`"
                } else {
                    "leave it out, or move it to a step inside this one"
                };
                self.error(codes::MISPLACED_KEY, at, message, hint);
            }
        }
        if let Some(at) = fields.key_at("concurrency").filter(|_| fields.get("foreach").is_none()) {
            let hint = "add `foreach: item in list`, or leave it out";
            self.error(codes::MISPLACED_KEY, at, "`concurrency` needs `foreach`", hint);
        }
    }

    fn foreach(&mut self, fields: &Fields<'_>) -> Option<ForeachAst> {
        let node = fields.get("foreach")?;
        self.text(node, "`foreach`")?;
        let concurrency = fields
            .get("concurrency")
            .and_then(|node| self.count(node, "`concurrency`", limits::CONCURRENCY_MAX.into()))
            .and_then(|count| u32::try_from(count).ok());
        match ExprText::of(self.source, node)?.foreach() {
            Ok((variable, over)) => {
                self.free_name(&variable).then_some(ForeachAst { variable, over, concurrency })
            }
            Err(findings) => {
                self.found.extend(findings);
                None
            }
        }
    }
}

/// Returns the position for findings about the step's action: in a `call` step the name of the verb,
/// otherwise the key `word`.
fn action_at(action: &ActionAst, fields: &Fields<'_>, word: &str) -> std::ops::Range<usize> {
    match action {
        ActionAst::Call(call) => call.name.at.clone(),
        _ => fields.key_at(word).cloned().unwrap_or_default(),
    }
}
