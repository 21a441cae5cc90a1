//! Findings stand inside the text that they are about, and can be shown to people.

use abide_engine::base::limits::FINDINGS_MAX;
use abide_engine::diagnostic::{Diagnostic, render};

/// Bytes of one finding as it is shown: a screenful, even of a line without an end.
const SHOWN_BYTES_MAX: usize = 8_000;

/// Holds the laws of findings over those of one text.
pub(crate) fn hold(text: &str, findings: &[Diagnostic]) {
    assert!(findings.len() <= FINDINGS_MAX * 2, "{} findings", findings.len());
    let lines: Vec<&str> = text.split('\n').collect();
    for finding in findings {
        let line = lines.get(finding.line as usize - 1);
        let line = line.unwrap_or_else(|| panic!("outside of the text: {finding:?}"));
        let width = u32::try_from(line.chars().count()).unwrap_or(u32::MAX);
        assert!((1..=width + 1).contains(&finding.col), "outside of its line: {finding:?}");
        assert!(finding.end_col > finding.col, "an empty place: {finding:?}");
        assert!(finding.end_col <= width + 2, "beyond its line: {finding:?}");
        assert!(!finding.message.is_empty() && !finding.code.is_empty(), "{finding:?}");
        let broke_down = finding.message.contains("the parser did not run");
        assert!(!broke_down, "the parser broke down");
    }
    // Drawing is slow beside reading: the first shows what all of a text would.
    for finding in findings.iter().take(3) {
        let shown = render(finding, text);
        assert!(shown.contains(finding.code), "{shown}");
        assert!(shown.len() <= SHOWN_BYTES_MAX, "{} bytes for {finding:?}", shown.len());
    }
}
