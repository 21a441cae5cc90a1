//! The ends of a wait that are known only when the wait begins.

use serde::{Deserialize, Serialize};

use super::arg::Arg;
use crate::expr;
use crate::yaml::YamlNode;

/// A rule about the keys of a wait that the checker of methods enforces.
pub(super) struct WaitRule {
    /// What is wrong.
    pub(super) message: &'static str,
    /// The remedy.
    pub(super) hint: &'static str,
}

/// `until` and `timeout` stand side by side.
pub(super) const UNTIL_OR_TIMEOUT: WaitRule = WaitRule {
    message: "`timeout` cannot be combined with `until`",
    hint: "write the longest time as `at_most`",
};
/// `at_most` stands beside nothing that it bounds.
pub(super) const AT_MOST_BOUNDS: WaitRule = WaitRule {
    message: "`at_most` has no `until` or computed `timeout` beside it",
    hint: "write a fixed time as `timeout`",
};

/// Whether a value contains an expression, so that it is known only when the wait begins.
pub(super) fn is_computed(node: &YamlNode) -> bool {
    node.text().is_some_and(|text| text.contains("{{"))
}

/// An end of a wait that depends on data. It is evaluated when the wait begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComputedDeadline {
    /// The wait ends at this instant.
    Until(Arg),
    /// The wait ends after this duration.
    Timeout(Arg),
}

impl ComputedDeadline {
    /// Returns the key under which the author wrote the deadline.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Self::Until(_) => "until",
            Self::Timeout(_) => "timeout",
        }
    }

    /// Returns the value that the author wrote.
    #[must_use]
    pub fn arg(&self) -> &Arg {
        let (Self::Until(arg) | Self::Timeout(arg)) = self;
        arg
    }

    /// Says when the wait ends, in words for people: ``at `goal.at` ``.
    #[must_use]
    pub fn describe(&self) -> String {
        let value = match self.arg() {
            Arg::Expr(expr) => format!("`{}`", expr::print(expr)),
            Arg::Literal(value) => value.as_str().unwrap_or_default().to_owned(),
            _ => "a computed time".to_owned(),
        };
        match self {
            Self::Until(_) => format!("at {value}"),
            Self::Timeout(_) => format!("after {value}"),
        }
    }
}
