//! Parses the retry rule of a call.

use super::Parser;
use super::keys;
use super::scalar::Name;
use crate::base::limits;
use crate::diagnostic::codes;
use crate::method::retry::{Backoff, Retry};
use crate::yaml::{YamlKind, YamlNode};

impl Parser<'_, '_, '_> {
    pub(super) fn retry(&mut self, node: &YamlNode) -> Retry {
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
                    let message = "`backoff` must be `fixed` or `exponential`";
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
            self.error(
                codes::WRONG_VALUE,
                &node.at,
                message,
                "make `max` at least as long as `first`",
            );
        }
        if let Some(node) = fields.get("on") {
            retry.on = self.failures(node);
        }
        retry
    }

    /// Parses the list of failures after which a call is retried.
    fn failures(&mut self, node: &YamlNode) -> Vec<String> {
        let hint = "write `on: [transient]`, or codes of problems such as `rate_limited`";
        let YamlKind::List(items) = &node.kind else {
            let message = format!("`on` must be a list, but this is {}", node.describe());
            self.error(codes::WRONG_TYPE, &node.at, message, hint);
            return Retry::default().on;
        };
        let named =
            items.iter().filter_map(|item| self.name(item, "the code of a failure", Name::Method));
        named.map(|name| name.value).collect()
    }
}
