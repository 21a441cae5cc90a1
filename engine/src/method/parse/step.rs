//! One step.

use super::Parser;
use super::keys;
use super::scalar::Name;
use crate::base::limits;
use crate::diagnostic::codes;
use crate::method::ast::{ForeachAst, Placed, StepAst};
use crate::method::formula::Text;
use crate::method::graph::{Backoff, Retry};
use crate::yaml::{Kind, Node};

impl Parser<'_, '_, '_> {
    pub(super) fn step(&mut self, node: &Node, key: String) -> Option<StepAst> {
        let fields = self.fields(node, &keys::STEP)?;
        let call = match fields.get("call") {
            Some(call) => self
                .text(call, "`call`")
                .map(|text| Placed { value: text.to_owned(), at: call.at.clone() }),
            None if !fields.misses("call") => None,
            None => {
                let hint = "add `call:` with the name of a verb";
                self.error(codes::MISSING_KEY, &node.at, "the step calls nothing", hint);
                None
            }
        };
        if fields.later {
            self.filled_by(node);
        }
        let step = StepAst {
            key,
            at: node.at.clone(),
            id: fields.get("id").and_then(|node| self.name(node, "a step's id", Name::Label)),
            call: call
                .clone()
                .unwrap_or_else(|| Placed { value: String::new(), at: node.at.clone() }),
            calls_method: fields.key_at("with").is_some(),
            args: fields.get("args").and_then(|node| self.arguments(node)),
            out: fields
                .get("out")
                .and_then(|node| self.name(node, "a variable's name", Name::Variable)),
            when: fields.get("when").and_then(|node| self.condition(node, "`when`")),
            foreach: fields.get("foreach").and_then(|node| self.foreach(node)),
            retry: fields.get("retry").map(|node| self.retry(node)).unwrap_or_default(),
            timeout: fields.get("timeout").and_then(|node| self.duration(node, "`timeout`")),
            occasion: fields
                .get("occasion")
                .and_then(|node| self.name(node, "an occasion", Name::Label)),
        };
        call.is_some().then_some(step)
    }

    /// Notes the variables that a part of the language fills which is not read yet, so that their
    /// use is no finding.
    fn filled_by(&mut self, node: &Node) {
        if let Kind::List(items) = &node.kind {
            items.iter().for_each(|item| self.filled_by(item));
        }
        for member in node.members() {
            match member.key.as_str() {
                "out" => self.filled_elsewhere.extend(member.value.text().map(str::to_owned)),
                "set" => {
                    let names = member.value.members().iter().map(|inner| inner.key.clone());
                    self.filled_elsewhere.extend(names);
                }
                _ => self.filled_by(&member.value),
            }
        }
    }

    fn arguments(&mut self, node: &Node) -> Option<Node> {
        if matches!(node.kind, Kind::Map(_)) {
            return Some(node.clone());
        }
        let message = format!("`args` is a mapping, and this is {}", node.describe());
        self.error(codes::WRONG_TYPE, &node.at, message, "write `args: { name: value }`");
        None
    }

    fn foreach(&mut self, node: &Node) -> Option<ForeachAst> {
        self.text(node, "`foreach`")?;
        match Text::of(self.source, node)?.foreach() {
            Ok((variable, over)) => {
                self.free_name(&variable).then_some(ForeachAst { variable, over })
            }
            Err(findings) => {
                self.found.extend(findings);
                None
            }
        }
    }

    fn retry(&mut self, node: &Node) -> Retry {
        let mut retry = Retry::default();
        let Some(fields) = self.fields(node, &keys::RETRY) else { return retry };
        if let Some(node) = fields.get("attempts")
            && let Some(count) = self.count(node, "`attempts`", u64::from(limits::ATTEMPTS_MAX))
        {
            retry.attempts = u32::try_from(count).unwrap_or(limits::ATTEMPTS_MAX);
        }
        if let Some(node) = fields.get("backoff") {
            match node.text() {
                Some("fixed") => retry.backoff = Backoff::Fixed,
                Some("exponential") => retry.backoff = Backoff::Exponential,
                _ => {
                    let message = "`backoff` is `fixed` or `exponential`";
                    self.error(
                        codes::WRONG_VALUE,
                        &node.at,
                        message,
                        "leave it out for `exponential`",
                    );
                }
            }
        }
        let first = fields.get("first").and_then(|node| self.duration(node, "`first`"));
        let max = fields.get("max").and_then(|node| self.duration(node, "`max`"));
        retry.first = first.unwrap_or(retry.first);
        retry.max = max.unwrap_or_else(|| retry.max.max(retry.first));
        if let Some(node) = fields.get("max").filter(|_| retry.max < retry.first) {
            let message = "the longest pause is shorter than the first";
            self.error(codes::WRONG_VALUE, &node.at, message, "`max` is at least `first`");
        }
        if let Some(node) = fields.get("on") {
            retry.on = self.failures(node);
        }
        retry
    }

    /// The failures that are tried again.
    fn failures(&mut self, node: &Node) -> Vec<String> {
        let hint = "write `on: [transient]`, or codes of problems such as `rate_limited`";
        let Kind::List(items) = &node.kind else {
            let message = format!("`on` is a list, and this is {}", node.describe());
            self.error(codes::WRONG_TYPE, &node.at, message, hint);
            return Retry::default().on;
        };
        let named =
            items.iter().filter_map(|item| self.name(item, "the code of a failure", Name::Method));
        named.map(|name| name.value).collect()
    }
}
