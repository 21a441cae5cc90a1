//! What a checker says about a file: a stable code, a place, a sentence and a remedy.
//!
//! A checker never stops at the first fault; it collects these. Each code has a page in
//! `docs/errors/`.

pub mod codes;
mod findings;
mod render;
mod source;

pub use crate::base::{did_you_mean, nearest};
pub use findings::Findings;
pub use render::render;
pub use source::Source;

use serde::{Deserialize, Serialize};

/// How bad it is: an error keeps the file from being used, a warning does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file can be used, and somebody will probably regret it.
    Warning,
}

/// One finding, with its place in characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The file as it was named by whoever asked.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// First column, from 1, in characters.
    pub col: u32,
    /// Column after the last character, on the same line.
    pub end_col: u32,
    /// How bad it is.
    pub severity: Severity,
    /// The stable code, such as `unknown-verb`; `docs/errors/<code>.md` explains it.
    pub code: &'static str,
    /// What is wrong: lower-case start, no full stop.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// True where the file cannot be used.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The key that puts findings in reading order: by place, errors before warnings.
    #[must_use]
    pub fn order(&self) -> (&str, u32, u32, Severity, &'static str) {
        (&self.file, self.line, self.col, self.severity, self.code)
    }
}
