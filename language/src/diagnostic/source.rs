//! Converts byte offsets in the source that a checker inspects to lines and columns, and creates findings.

use std::ops::Range;

use super::{Diagnostic, Severity};

/// A named source with an index of its lines, so that the line of an offset is found without a scan.
#[derive(Debug)]
pub struct Source<'t> {
    file: &'t str,
    text: &'t str,
    line_starts: Vec<usize>,
}

impl<'t> Source<'t> {
    /// Indexes a source. Findings use `file` as its name.
    #[must_use]
    pub fn new(file: &'t str, text: &'t str) -> Self {
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { file, text, line_starts }
    }

    /// Returns the name of the source.
    #[must_use]
    pub const fn file(&self) -> &'t str {
        self.file
    }

    /// Returns the whole source as a string.
    #[must_use]
    pub const fn text(&self) -> &'t str {
        self.text
    }

    /// Returns the source in a byte range; an empty string if the range does not fit the source.
    #[must_use]
    pub fn slice(&self, at: &Range<usize>) -> &'t str {
        self.text.get(at.clone()).unwrap_or_default()
    }

    /// Returns the line of a byte offset, counted from 1.
    #[must_use]
    pub fn line(&self, offset: usize) -> u32 {
        number(self.line_starts.partition_point(|start| *start <= offset))
    }

    /// Returns the byte offset at which a line (from 1) begins;
    /// the end of the source if there is no such line.
    #[must_use]
    pub fn line_start(&self, line: u32) -> usize {
        let ix = (line as usize).saturating_sub(1);
        self.line_starts.get(ix).copied().unwrap_or(self.text.len())
    }

    /// Returns the byte range of a line (from 1).
    #[must_use]
    pub fn line_range(&self, line: u32) -> Range<usize> {
        self.line_start(line)..self.line_start(line + 1)
    }

    /// Returns a finding at a byte range.
    /// A range that spans several lines is marked on its first line only.
    #[must_use]
    pub fn finding(
        &self,
        severity: Severity,
        code: &'static str,
        at: &Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        let start = self.boundary(at.start);
        let line = self.line(start);
        let line_start = self.line_start(line);
        let line_text = self.text[line_start..].split('\n').next().unwrap_or_default();
        let line_end = line_start + line_text.trim_end().len();
        let end = self.boundary(at.end).min(line_end).max(start);
        let col = number(self.text[line_start..start].chars().count() + 1);
        let width = number(self.text[start..end].chars().count().max(1));
        Diagnostic {
            file: self.file.to_owned(),
            line,
            col,
            end_col: col + width,
            severity,
            code,
            message: message.into(),
            hint: None,
        }
    }

    fn boundary(&self, offset: usize) -> usize {
        let mut at = offset.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, at: Range<usize>) -> (u32, u32, u32) {
        let found = Source::new("f", text).finding(Severity::Error, "wrong-type", &at, "m");
        (found.line, found.col, found.end_col)
    }

    #[test]
    fn columns_count_characters_from_one() {
        assert_eq!(place("steps: x", 7..8), (1, 8, 9));
        assert_eq!(place("é: ñandú\nb: c", 4..11), (1, 4, 9));
        assert_eq!(place("é: ñandú\nb: c", 15..16), (2, 4, 5));
    }

    #[test]
    fn a_place_never_leaves_its_line_or_its_text() {
        assert_eq!(place("a: b\nc: d\n", 3..9), (1, 4, 5));
        assert_eq!(place("a: b", 40..90), (1, 5, 6));
        assert_eq!(place("", 0..0), (1, 1, 2));
        assert_eq!(place("é", 1..2), (1, 1, 2));
    }
}
