//! Checks the laws of findings: the range of a finding is inside
//! the source, and the finding can be rendered for people.

use abide_engine::base::limits::FINDINGS_MAX;
use abide_engine::diagnostic::{Diagnostic, render};

/// Maximum size of one rendered finding in bytes: a screenful, even if the source line is very long.
const SHOWN_BYTES_MAX: usize = 8_000;

/// Checks that the findings about one source keep the laws.
///
/// # Panics
/// Panics if a law is broken.
pub(crate) fn hold(text: &str, findings: &[Diagnostic]) {
    assert!(findings.len() <= FINDINGS_MAX * 2, "{} findings", findings.len());
    let lines: Vec<&str> = text.split('\n').collect();
    for finding in findings {
        let line = lines.get(finding.line as usize - 1);
        let line = line.unwrap_or_else(|| panic!("outside the text: {finding:?}"));
        let width = u32::try_from(line.chars().count()).unwrap_or(u32::MAX);
        assert!((1..=width + 1).contains(&finding.col), "outside its line: {finding:?}");
        assert!(finding.end_col > finding.col, "an empty place: {finding:?}");
        assert!(finding.end_col <= width + 2, "past the end of its line: {finding:?}");
        assert!(!finding.message.is_empty() && !finding.code.is_empty(), "{finding:?}");
        let broke_down = finding.message.contains("the parser did not run");
        assert!(!broke_down, "the parser panicked");
    }
    // Rendering is slow compared with reading, so only a few findings are rendered.
    for finding in findings.iter().take(3) {
        let shown = render(finding, text);
        assert!(shown.contains(finding.code), "{shown}");
        assert!(shown.len() <= SHOWN_BYTES_MAX, "{} bytes for {finding:?}", shown.len());
    }
}
