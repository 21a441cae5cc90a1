//! Collects findings in any order, up to a limit, and sorts them.

use std::ops::Range;

use super::{Diagnostic, Severity, Source};
use crate::base::limits;

/// The findings about one source file.
///
/// At most [`limits::FINDINGS_MAX`] errors and as many warnings are kept.
/// Further findings are only counted, so a file full of errors takes no more memory than a file with a few.
#[derive(Debug)]
pub struct Findings<'a, 't> {
    source: &'a Source<'t>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    seen: usize,
}

impl<'a, 't> Findings<'a, 't> {
    /// Creates an empty collection for a source.
    #[must_use]
    pub const fn of(source: &'a Source<'t>) -> Self {
        Self { source, errors: Vec::new(), warnings: Vec::new(), seen: 0 }
    }

    /// Returns the number of findings so far, including findings that were not kept.
    #[must_use]
    pub const fn seen(&self) -> usize {
        self.seen
    }

    /// Whether any finding is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Whether the maximum number of errors is reached. Further errors are only counted.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.errors.len() >= limits::FINDINGS_MAX
    }

    /// Adds an error: the source cannot be used.
    pub fn error(
        &mut self,
        code: &'static str,
        at: &Range<usize>,
        message: impl Into<String>,
        hint: impl Into<Option<String>>,
    ) {
        self.seen += 1;
        if !self.is_full() {
            let finding = self.source.finding(Severity::Error, code, at, message);
            self.errors.push(Diagnostic { hint: hint.into(), ..finding });
        }
    }

    /// Adds a warning: the source can be used, but probably does not do what its author intends.
    pub fn warning(
        &mut self,
        code: &'static str,
        at: &Range<usize>,
        message: impl Into<String>,
        hint: impl Into<Option<String>>,
    ) {
        self.seen += 1;
        if self.warnings.len() < limits::FINDINGS_MAX {
            let finding = self.source.finding(Severity::Warning, code, at, message);
            self.warnings.push(Diagnostic { hint: hint.into(), ..finding });
        }
    }

    /// Adds findings that are already built, such as the findings of the YAML reader.
    pub fn extend(&mut self, findings: impl IntoIterator<Item = Diagnostic>) {
        for finding in findings {
            self.seen += 1;
            let kept = if finding.is_error() { &mut self.errors } else { &mut self.warnings };
            if kept.len() < limits::FINDINGS_MAX {
                kept.push(finding);
            }
        }
    }

    /// Returns the findings that were kept, in reading order and without duplicates.
    #[must_use]
    pub fn sorted(self) -> Vec<Diagnostic> {
        let mut all = self.errors;
        all.extend(self.warnings);
        all.sort_by(|a, b| a.order().cmp(&b.order()));
        all.dedup();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_never_crowd_out_an_error() {
        let source = Source::new("f", "text");
        let mut findings = Findings::of(&source);
        for _ in 0..limits::FINDINGS_MAX * 3 {
            findings.warning("same-message-key", &(0..1), "w", None);
        }
        assert!(!findings.has_errors());
        findings.error("unknown-verb", &(2..3), "e", "hint".to_owned());
        assert_eq!(findings.seen(), limits::FINDINGS_MAX * 3 + 1);
        let codes: Vec<_> = findings.sorted().into_iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["same-message-key", "unknown-verb"], "each once, in reading order");
    }
}
