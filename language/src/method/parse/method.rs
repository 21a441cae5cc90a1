//! Parses the top level of a method file: name, inputs, limits, fallbacks and the lists of steps.

use super::Parser;
use super::fields::Fields;
use super::keys;
use super::scalar::Name;
use crate::base::limits;
use crate::diagnostic::codes;
use crate::method::ast::{FallbackAst, MethodAst, StepAst};
use crate::method::formula::LocatedExpr;
use crate::method::graph::MethodLimits;
use crate::method::spanned::Spanned;
use crate::yaml::{YamlKind, YamlNode};

impl Parser<'_, '_, '_> {
    pub(super) fn method(mut self, root: &YamlNode) -> Option<MethodAst> {
        let fields = self.fields(root, &keys::METHOD)?;
        let name = match fields.get("method") {
            Some(node) => self.name(node, "a method's name", Name::Method),
            None if !fields.should_report_missing("method") => None,
            None => {
                let hint = "begin the file with `method: some_name`";
                self.error(
                    codes::MISSING_KEY,
                    &(root.at.start..root.at.start),
                    "the method has no name",
                    hint,
                );
                None
            }
        };
        let description = fields
            .get("description")
            .and_then(|node| self.text(node, "a description"))
            .map(str::to_owned);
        let applicable_if =
            fields.get("applicable_if").and_then(|node| self.condition(node, "`applicable_if`"));
        let inputs = fields.get("inputs").and_then(|node| self.inputs(node));
        let (limits, max_messages_at) =
            fields.get("limits").map(|node| self.limits(node)).unwrap_or_default();
        let steps = match fields.get("steps") {
            Some(node) => self.steps(node, "steps"),
            None if !fields.should_report_missing("steps") => Vec::new(),
            None => {
                let hint = "add `steps:` with a list of calls";
                self.error(
                    codes::MISSING_KEY,
                    &(root.at.start..root.at.start),
                    "the method has no steps",
                    hint,
                );
                Vec::new()
            }
        };
        let success_when =
            fields.get("success_when").map(|node| self.conditions(node)).unwrap_or_default();
        let fallbacks = self.fallbacks(&fields);
        let on_cancel =
            fields.get("on_cancel").map(|node| self.steps(node, "on_cancel")).unwrap_or_default();
        Some(MethodAst {
            name: name.unwrap_or_else(|| Spanned { value: "unnamed".into(), at: root.at.clone() }),
            description,
            applicable_if,
            inputs,
            limits,
            max_messages_at,
            steps,
            success_when,
            fallbacks,
            on_cancel,
        })
    }

    fn inputs(&mut self, node: &YamlNode) -> Option<Spanned<crate::base::Value>> {
        if !matches!(node.kind, YamlKind::Map(_)) {
            let message =
                format!("`inputs` must be a JSON Schema, but this is {}", node.describe());
            let hint = "begin with `type: object` and `properties:`";
            self.error(codes::WRONG_TYPE, &node.at, message, hint);
            return None;
        }
        let schema = node.to_value();
        match crate::contract::Schema::compile(schema.clone()) {
            Ok(_) => Some(Spanned { value: schema, at: node.at.clone() }),
            Err(fault) => {
                let place = node.nearest(fault.pointer.split('/').filter(|part| !part.is_empty()));
                let message = format!("`inputs` is not a JSON Schema: {}", fault.what);
                let hint = "use `type`, `properties` and `required`; see https://json-schema.org";
                self.error(codes::BAD_SCHEMA, &place.at, message, hint);
                None
            }
        }
    }

    pub(super) fn limits(
        &mut self,
        node: &YamlNode,
    ) -> (MethodLimits, Option<std::ops::Range<usize>>) {
        let Some(fields) = self.fields(node, &keys::LIMITS) else { return Default::default() };
        let max_duration =
            fields.get("max_duration").and_then(|node| self.duration(node, "`max_duration`"));
        let max_messages = fields
            .get("max_messages")
            .and_then(|node| self.count(node, "`max_messages`", limits::METHOD_MESSAGES_MAX));
        let max_tool_calls = fields
            .get("max_tool_calls")
            .and_then(|node| self.count(node, "`max_tool_calls`", limits::METHOD_CALLS_MAX));
        let at = max_messages.and_then(|_| fields.key_at("max_messages").cloned());
        (MethodLimits { max_duration, max_messages, max_tool_calls }, at)
    }

    /// Parses a list of conditions, or a single condition without a list.
    fn conditions(&mut self, node: &YamlNode) -> Vec<LocatedExpr> {
        match &node.kind {
            YamlKind::List(items) => {
                items.iter().filter_map(|item| self.condition(item, "a condition")).collect()
            }
            _ => self.condition(node, "`success_when`").into_iter().collect(),
        }
    }

    fn fallbacks(&mut self, fields: &Fields<'_>) -> Vec<FallbackAst> {
        let Some(node) = fields.get("fallbacks") else { return Vec::new() };
        let YamlKind::List(items) = &node.kind else {
            let message = format!("`fallbacks` must be a list, but this is {}", node.describe());
            self.error(codes::WRONG_TYPE, &node.at, message, "begin each fallback with `- if: …`");
            return Vec::new();
        };
        let mut fallbacks = Vec::with_capacity(items.len());
        for (ix, item) in items.iter().enumerate() {
            let key = format!("fallbacks/{ix}");
            let Some(fields) = self.fields(item, &keys::FALLBACK) else { continue };
            let condition = match fields.get("if") {
                Some(node) => self.condition(node, "`if`"),
                None if !fields.should_report_missing("if") => None,
                None => {
                    let hint = "add `if: timeout`, or `if: true` for one that is always tried";
                    self.error(codes::MISSING_KEY, &item.at, "the fallback has no `if`", hint);
                    None
                }
            };
            let steps = match fields.get("then") {
                Some(node) => self.steps(node, &format!("{key}/then")),
                None if !fields.should_report_missing("then") => Vec::new(),
                None => {
                    let hint = "add `then:` with a list of calls";
                    self.error(codes::MISSING_KEY, &item.at, "the fallback has no `then`", hint);
                    Vec::new()
                }
            };
            let at = item.at.clone();
            let condition = condition.unwrap_or_else(|| LocatedExpr::constant(true, at.clone()));
            fallbacks.push(FallbackAst { key, at, condition, steps });
        }
        fallbacks
    }

    pub(super) fn steps(&mut self, node: &YamlNode, key: &str) -> Vec<StepAst> {
        let items = match &node.kind {
            YamlKind::List(items) if !items.is_empty() => items,
            YamlKind::List(_) => {
                let hint = "add a step: `- call: search_people`";
                self.error(codes::MISSING_KEY, &node.at, "the list has no steps", hint);
                return Vec::new();
            }
            _ => {
                let message = format!("steps must be a list, but this is {}", node.describe());
                self.error(
                    codes::WRONG_TYPE,
                    &node.at,
                    message,
                    "begin each step with `- call: …`",
                );
                return Vec::new();
            }
        };
        let mut steps = Vec::with_capacity(items.len());
        for (ix, item) in items.iter().enumerate() {
            self.steps += 1;
            if self.steps == limits::METHOD_STEPS_MAX + 1 {
                let message = format!("a method has at most {} steps", limits::METHOD_STEPS_MAX);
                self.error(codes::TOO_LARGE, &item.at, message, "use `foreach` for repeated calls");
            }
            if self.steps > limits::METHOD_STEPS_MAX {
                break;
            }
            steps.extend(self.step(item, format!("{key}/{ix}")));
        }
        steps
    }
}
