//! The ends of a wait that are known only when the wait begins.

use serde::{Deserialize, Serialize};

use super::arg::Arg;
use crate::expr;

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
