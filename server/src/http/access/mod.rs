//! Who may call which route, and what of its answer is redacted.
//!
//! [`RULES`] has one row for each route. A route without a row is refused for everybody, so that a forgotten
//! row locks a route instead of opening it. What people wrote and their phone numbers are removed from
//! answers in one place, after the route has answered.

mod redaction;
mod rule;
mod rules;
#[cfg(test)]
mod tests;

pub(super) use redaction::{redact, redact_answer};
pub(super) use rule::{Access, Redaction, RouteRule, ShowPii};
pub(super) use rules::{RULES, rule_of};
