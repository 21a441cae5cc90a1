//! Converts the errors of the YAML parser to findings with a position, a message and a remedy.

use serde_saphyr::Error;
use serde_saphyr::budget::BudgetBreach;

use super::location::bytes_of;
use crate::base::limits;
use crate::diagnostic::{Diagnostic, Severity, Source, codes};

/// Maximum length of a message from the YAML parser, in characters. The message can quote
/// the whole input, so a longer message is truncated.
const MESSAGE_CHARS_MAX: usize = 200;

/// Returns the finding for a file with too many bytes.
pub(super) fn too_long(file: &str, bytes: usize) -> Diagnostic {
    let max = limits::METHOD_BYTES_MAX;
    Source::new(file, "")
        .finding(
            Severity::Error,
            codes::TOO_LARGE,
            &(0..0),
            format!("the file has {bytes} bytes, but can have at most {max}"),
        )
        .with_hint("store the data elsewhere and refer to it here")
}

/// Returns the finding for a file that is not UTF-8. The string `good` is the beginning of the file, up
/// to the first invalid byte.
pub(super) fn not_utf8(file: &str, good: &str) -> Diagnostic {
    let at = good.len();
    Source::new(file, good)
        .finding(
            Severity::Error,
            codes::YAML_ENCODING,
            &(at..at),
            format!("the file is not valid UTF-8 from byte {at} on"),
        )
        .with_hint("save the file as UTF-8")
}

/// Returns the finding for a file that was not read, because the parser could not be started or panicked.
pub(super) fn no_parser(source: &Source<'_>) -> Diagnostic {
    let message = "the file could not be read: the parser did not run";
    source
        .finding(Severity::Error, codes::YAML_SYNTAX, &(0..0), message)
        .with_hint("free memory or threads and try again; if the problem persists, report the file")
}

/// Converts an error of the parser to a finding.
pub(super) fn finding(source: &Source<'_>, error: &Error) -> Diagnostic {
    let error = original(error);
    let mut at = error.location().map_or(0..0, |location| bytes_of(source, &location));
    if at.start >= source.text().len() {
        at.start = source.text().trim_end().len();
    }
    let plain_words = error.to_string();
    if let Some((message, hint)) = beyond_limits(error, &plain_words) {
        return source.finding(Severity::Error, codes::TOO_LARGE, &at, message).with_hint(hint);
    }
    if let Some((message, hint)) = refused(error) {
        return source.finding(Severity::Error, codes::YAML_SYNTAX, &at, message).with_hint(hint);
    }
    if let Some(tab) = tab_near(source, at.start) {
        let message = "a tab cannot be used for indentation in YAML";
        return source
            .finding(Severity::Error, codes::YAML_TAB, &(tab..tab + 1), message)
            .with_hint("indent with two spaces per level");
    }
    source
        .finding(Severity::Error, codes::YAML_SYNTAX, &at, plain(&plain_words))
        .with_hint(hint_for(source, at.start))
}

/// Returns the original error, without the layers that the parser wraps around it.
fn original(error: &Error) -> &Error {
    match error.without_snippet() {
        Error::AliasError { error, .. } => original(error),
        other => other,
    }
}

/// Returns the message and the remedy for an exceeded limit; `None` for any other error.
fn beyond_limits(error: &Error, words: &str) -> Option<(String, &'static str)> {
    let depth = words.contains("recursion limit")
        || matches!(error, Error::Budget { breach: BudgetBreach::Depth { .. }, .. });
    if depth {
        let message =
            format!("the document is nested deeper than {} levels", limits::YAML_DEPTH_MAX);
        return Some((message, "nest fewer levels"));
    }
    match error {
        Error::Budget { breach: BudgetBreach::Documents { .. }, .. } => None,
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => {
            let message = format!(
                "the document has more than {} values, with aliases expanded",
                limits::YAML_NODES_MAX
            );
            Some((message, "shorten the document, and do not nest aliases"))
        }
        _ => None,
    }
}

/// Returns the message and the remedy for a merge key, a second document,
/// an invalid key or an invalid alias; `None` for any other error.
fn refused(error: &Error) -> Option<(&'static str, &'static str)> {
    Some(match error {
        Error::MergeKeyNotAllowed { .. } => {
            ("merge keys (`<<`) are not supported", "write out the members")
        }
        Error::MultipleDocuments { .. }
        | Error::Budget { breach: BudgetBreach::Documents { .. }, .. } => (
            "the file contains more than one document",
            "keep one document: remove the `---` between the documents",
        ),
        Error::NullIntoString { .. } => ("a key is empty", "write a name before the colon"),
        Error::Unexpected { expected: "string scalar", .. } => {
            ("a key is not a text", "put quotes around `{{…}}`: in YAML a brace begins a mapping")
        }
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            ("an alias is inside the value that it refers to", "write out the value")
        }
        Error::UnknownAnchor { .. } => (
            "an alias refers to an anchor that does not exist",
            "put a text that begins with `*` or `&` in quotes",
        ),
        _ => return None,
    })
}

/// Finds a tab in the indentation of the line that contains `offset`, or of the line before it.
fn tab_near(source: &Source<'_>, offset: usize) -> Option<usize> {
    let line = source.line(offset);
    [line, line.saturating_sub(1)].into_iter().filter(|line| *line > 0).find_map(|line| {
        let start = source.line_start(line);
        let rest = source.text().get(start..)?;
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        rest[..blank].find('\t').map(|at| start + at)
    })
}

/// Rewrites the parser's message in the style of the other findings' messages.
/// Removes the line and column from the message, because the finding has its own position.
fn plain(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default().trim();
    let first = first.split(" at line ").next().unwrap_or(first).trim_end_matches(['.', ',', ' ']);
    let first: String = first.chars().take(MESSAGE_CHARS_MAX).collect();
    let mut chars = first.chars();
    match chars.next() {
        Some(c) => format!("invalid YAML: {}{}", c.to_lowercase(), chars.as_str()),
        None => "invalid YAML".into(),
    }
}

fn hint_for(source: &Source<'_>, offset: usize) -> &'static str {
    let line = source.line(offset);
    let start = source.line_start(line);
    let text = source.text().get(start..).unwrap_or_default().lines().next().unwrap_or_default();
    if text.contains(": {{") || text.contains("- {{") || text.contains("[{{") {
        "put quotes around `{{…}}`: in YAML a brace begins a mapping"
    } else if text.matches(": ").count() > 1 {
        "put a text that contains a colon and a space in quotes"
    } else {
        "check the indentation and the quotes of this line and the previous one"
    }
}
