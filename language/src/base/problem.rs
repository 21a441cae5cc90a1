//! The one error that crosses boundaries: a stable code, who must act, two messages, a remedy.

use serde::{Deserialize, Serialize};

use super::limits::PROBLEM_CHARS_MAX;
use super::text::shortened;

/// Who must act on a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blame {
    /// Nobody yet: trying again may help (a lock, a lost connection).
    Transient,
    /// The caller: the input is wrong or comes at the wrong time.
    Caller,
    /// The author of a method, template or contract.
    Author,
    /// The operator: a setting, the disk, the database.
    Operator,
    /// Us: a rule of the engine did not hold.
    Bug,
}

/// How the detail of a failure ends that a test asked for.
pub const BY_REQUEST: &str = "by request of a test";

/// A stable, documented code in `snake_case`, such as `version_conflict`.
pub type Code = std::borrow::Cow<'static, str>;

/// A failure with everything that anybody who meets it needs.
///
/// `message` is safe to show to the person who caused it; `detail` is for the operator and may name
/// internals; `hint` is the remedy. Messages start in lower case and have no full stop. Message and
/// detail are bounded, whatever they quote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// The stable code.
    pub code: Code,
    /// Safe for the person.
    pub message: String,
    /// For the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Who must act.
    pub blame: Blame,
}

impl Problem {
    /// A problem of the given blame, code and safe message.
    #[must_use]
    pub fn new(blame: Blame, code: impl Into<Code>, message: impl Into<String>) -> Self {
        let message = shortened(&message.into(), PROBLEM_CHARS_MAX);
        Self { code: code.into(), message, detail: None, hint: None, blame }
    }

    /// The caller gave wrong input or called at the wrong time.
    #[must_use]
    pub fn caller(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::new(Blame::Caller, code, message)
    }

    /// The author of a method, template or contract must mend it.
    #[must_use]
    pub fn author(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::new(Blame::Author, code, message)
    }

    /// The operator must act.
    #[must_use]
    pub fn operator(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::new(Blame::Operator, code, message)
    }

    /// Trying again may help.
    #[must_use]
    pub fn transient(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::new(Blame::Transient, code, message)
    }

    /// A rule of the engine did not hold.
    #[must_use]
    pub fn bug(message: impl Into<String>) -> Self {
        Self::new(Blame::Bug, "internal", "something went wrong on our side").with_detail(message)
    }

    /// A panic that was caught: it fails what it happened in, never the process's part around it.
    #[must_use]
    pub fn panicked(what: &str, panic: &(dyn std::any::Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Self::bug(format!("{what} panicked: {}", text.unwrap_or("no message")))
    }

    /// Adds what only the operator may read.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(shortened(&detail.into(), PROBLEM_CHARS_MAX));
        self
    }

    /// Adds the remedy.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// True for a failure that a test asked for: no operator need hear of it.
    #[must_use]
    pub fn is_injected(&self) -> bool {
        let detail = self.detail.as_deref();
        self.is_transient() && detail.is_some_and(|detail| detail.ends_with(BY_REQUEST))
    }

    /// True where trying again may help.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.blame == Blame::Transient
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_problem_quotes_is_bounded_and_its_end_is_kept() {
        let quoted = "x".repeat(50 << 20);
        let problem = Problem::caller("c", format!("`{quoted}` is no role")).with_detail(&*quoted);
        assert_eq!(problem.message.chars().count(), PROBLEM_CHARS_MAX);
        assert!(problem.message.ends_with("x` is no role"), "the reason");
        assert_eq!(problem.detail.map(|detail| detail.chars().count()), Some(PROBLEM_CHARS_MAX));
    }
}
