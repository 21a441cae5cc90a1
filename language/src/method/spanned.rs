//! A value that keeps its position in the file, for error messages.

use std::ops::Range;

/// A value and its byte range in the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spanned<T> {
    pub value: T,
    pub at: Range<usize>,
}
