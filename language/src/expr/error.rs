//! Syntax errors of expressions, and excerpts that show where they are.

use super::ast::Range;

/// A syntax error in the source of an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    /// Description of the error, in lower case, without a full stop.
    pub message: String,
    /// The byte range of the error in the source.
    pub at: Range,
    /// The remedy.
    pub hint: Option<String>,
}

impl SyntaxError {
    pub(super) fn new(message: impl Into<String>, at: Range) -> Self {
        Self { message: message.into(), at, hint: None }
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Returns the line of the source in which the range `at` begins,
/// and a line of carets under the characters of this range.
///
/// This excerpt is for callers that have only the source of the expression.
/// Findings about methods show the source of the method instead.
#[must_use]
pub fn excerpt(text: &str, at: Range) -> String {
    let clamp = |offset: u32| floor_char(text, usize::try_from(offset).unwrap_or(usize::MAX));
    let (start, end) = (clamp(at.start), clamp(at.end));
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let before = text[line_start..start].chars().count();
    let width = text[start..end.clamp(start, line_end)].chars().count().max(1);
    format!("{}\n{}{}", &text[line_start..line_end], " ".repeat(before), "^".repeat(width))
}

/// Returns the last character boundary at or before `offset`.
fn floor_char(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
