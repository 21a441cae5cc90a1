//! Diagnostics: the findings of a checker about a file.
//! Each finding has a stable code, a position, a message and a remedy.
//!
//! A checker does not stop at the first error; it collects all findings.
//! Each code has a page in `docs/errors/`.

pub mod codes;
mod findings;
mod render;
mod source;

pub use crate::base::{did_you_mean, nearest};
pub use findings::Findings;
pub use render::render;
pub use source::Source;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The severity of a finding. An error prevents the use of the file; a warning does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file can be used, but probably does not do what its author intends.
    Warning,
}

/// One finding of a checker. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Diagnostic {
    /// The name of the file, as given by the caller.
    pub file: String,
    /// The line of the finding, from 1.
    pub line: u32,
    /// The first column, from 1, in characters.
    pub col: u32,
    /// The column after the last character, on the same line.
    pub end_col: u32,
    /// The severity of the finding.
    pub severity: Severity,
    /// The stable code, such as `unknown-verb`; `docs/errors/<code>.md` explains it.
    pub code: &'static str,
    /// Description of the fault. Begins in lower case and has no full stop.
    pub message: String,
    /// The remedy, as an imperative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Adds the remedy as a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Whether the finding prevents the use of the file.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Returns the sort key for reading order: by position in the file, then errors before warnings.
    #[must_use]
    pub fn order(&self) -> (&str, u32, u32, Severity, &'static str) {
        (&self.file, self.line, self.col, self.severity, self.code)
    }
}
