//! Renders findings for people: an excerpt with carets under the marked characters, and the remedy below.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::{Diagnostic, Severity};

/// Width of the excerpt in columns; the renderer cuts longer lines.
const WIDTH: usize = 120;

/// Renders a finding with its code, `file:line:col`, the excerpt and the hint, without colours.
#[must_use]
pub fn render(finding: &Diagnostic, text: &str) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(finding.message.as_str()).id(finding.code);
    let line = text.split('\n').nth((finding.line as usize).saturating_sub(1)).unwrap_or_default();
    let line = line.trim_end_matches('\r');
    let snippet = Snippet::source(line)
        .line_start(finding.line as usize)
        .path(finding.file.as_str())
        .annotation(AnnotationKind::Primary.span(bytes_of(line, finding)));
    let mut group = title.element(snippet);
    if let Some(hint) = &finding.hint {
        group = group.element(Level::HELP.with_name("hint").message(hint.as_str()));
    }
    Renderer::plain().term_width(WIDTH).render(&[group])
}

/// Converts the columns of a finding to a range of bytes within the line of the finding.
fn bytes_of(line: &str, finding: &Diagnostic) -> std::ops::Range<usize> {
    let offset = |col: u32| {
        let chars = (col as usize).saturating_sub(1);
        line.char_indices().nth(chars).map_or(line.len(), |(at, _)| at)
    };
    offset(finding.col)..offset(finding.end_col)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Source, codes};

    #[test]
    fn the_excerpt_shows_the_place_in_characters_whatever_ends_the_line() {
        let text = "a: 1\r\nschön: {{x}}\r\n";
        let source = Source::new("m.yaml", text);
        let at = text.find("{{").map(|at| at..at + 5).expect("a place");
        let finding = source
            .finding(Severity::Error, codes::YAML_SYNTAX, &at, "no")
            .with_hint("put it in quotes");
        let expected = "\
error[yaml-syntax]: no
 --> m.yaml:2:8
  |
2 | schön: {{x}}
  |        ^^^^^
  |
  = hint: put it in quotes";
        assert_eq!(render(&finding, text), expected);
        let elsewhere = Diagnostic { line: 9, ..finding };
        assert!(render(&elsewhere, "").contains("m.yaml:9"), "the text has changed since");
    }
}
