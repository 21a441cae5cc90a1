//! The error type that crosses module and process boundaries: a stable code,
//! who must act, a message for the user, a detail for the operator, and a remedy.

use serde::{Deserialize, Serialize};

use super::limits::PROBLEM_CHARS_MAX;
use super::text::shortened;

/// Who must act to solve a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blame {
    /// Nobody: a retry may succeed, for example after a lock or a lost connection.
    Transient,
    /// The caller: the input is invalid, or the request comes at the wrong time.
    Caller,
    /// The author of a method, a template or a contract.
    Author,
    /// The operator: a setting, the disk or the database needs attention.
    Operator,
    /// The developers of abide: an invariant of the engine does not hold.
    Bug,
}

/// The words that end the detail of each failure that a test injects.
/// [`Problem::is_injected`] recognizes such a failure by these words.
pub const BY_REQUEST: &str = "by request of a test";

/// A stable, documented code in `snake_case`, such as `version_conflict`.
pub type Code = std::borrow::Cow<'static, str>;

/// A failure, described for the user and for the operator.
///
/// `message` is safe to show to the user who caused the failure; `detail` is for the operator and may name
/// internals; `hint` is the remedy. Messages start in lower case and have no full stop. Message
/// and detail are cut to [`PROBLEM_CHARS_MAX`] characters, since they may quote input of any length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// The stable code; `docs/errors/<code>.md` explains it.
    pub code: Code,
    /// Description of the problem, safe to show to the user.
    pub message: String,
    /// Full description of the problem, for the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The remedy, as an imperative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Who must act to solve the problem.
    pub blame: Blame,
}

impl Problem {
    /// Returns a problem with a message that is safe to show to the user.
    #[must_use]
    pub fn new(blame: Blame, code: impl Into<Code>, message: impl Into<String>) -> Self {
        let message = shortened(&message.into(), PROBLEM_CHARS_MAX);
        Self { code: code.into(), message, detail: None, hint: None, blame }
    }

    /// Returns a problem that the caller must solve: invalid input, or a request at the wrong time.
    #[must_use]
    pub fn caller(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::new(Blame::Caller, code, message)
    }

    /// Returns a problem that the author of a method, a template or a contract must solve.
    #[must_use]
    pub fn author(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::new(Blame::Author, code, message)
    }

    /// Returns a problem that the operator must solve.
    #[must_use]
    pub fn operator(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::new(Blame::Operator, code, message)
    }

    /// Returns a problem that a retry may solve.
    #[must_use]
    pub fn transient(code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self::new(Blame::Transient, code, message)
    }

    /// Returns a problem for a violated invariant of the engine.
    /// `message` becomes the detail; the user sees a generic message.
    #[must_use]
    pub fn bug(message: impl Into<String>) -> Self {
        Self::new(Blame::Bug, "internal", "something went wrong on our side").with_detail(message)
    }

    /// Returns a problem for a panic. The panic was caught, and the process continues.
    /// The parameter `what` names the work that panicked.
    #[must_use]
    pub fn panicked(what: &str, panic: &(dyn std::any::Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Self::bug(format!("{what} panicked: {}", text.unwrap_or("no message")))
    }

    /// Adds a detail that only the operator may read.
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

    /// Whether a test injected this failure; such a failure need not be reported to the operator.
    #[must_use]
    pub fn is_injected(&self) -> bool {
        let detail = self.detail.as_deref();
        self.is_transient() && detail.is_some_and(|detail| detail.ends_with(BY_REQUEST))
    }

    /// Whether a retry may succeed.
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
        assert!(problem.message.ends_with("x` is no role"), "the end with the reason is kept");
        assert_eq!(problem.detail.map(|detail| detail.chars().count()), Some(PROBLEM_CHARS_MAX));
    }
}
