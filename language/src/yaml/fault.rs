//! What the parser refuses, in our words: the place, what is wrong, the remedy.

use serde_saphyr::Error;
use serde_saphyr::budget::BudgetBreach;

use super::read::bytes_of;
use crate::base::limits;
use crate::diagnostic::{Diagnostic, Severity, Source, codes};

/// A parser's message that is longer than this quotes the input.
const MESSAGE_CHARS_MAX: usize = 200;

/// More bytes than a file of ours may have.
pub(super) fn too_long(file: &str, bytes: usize) -> Diagnostic {
    let max = limits::METHOD_BYTES_MAX;
    Source::new(file, "")
        .finding(
            Severity::Error,
            codes::TOO_LARGE,
            &(0..0),
            format!("the file has {bytes} bytes; at most {max} are read"),
        )
        .with_hint("a text of that size is data: store it elsewhere and name it here")
}

/// Bytes that are not UTF-8, after `good` that is.
pub(super) fn not_utf8(file: &str, good: &str) -> Diagnostic {
    let at = good.len();
    Source::new(file, good)
        .finding(
            Severity::Error,
            codes::YAML_ENCODING,
            &(at..at),
            format!("the text is not UTF-8 from byte {at} on"),
        )
        .with_hint("save the file as UTF-8")
}

/// The parser could not be run at all.
pub(super) fn no_parser(source: &Source<'_>) -> Diagnostic {
    let message = "the file could not be read: the parser did not run";
    source
        .finding(Severity::Error, codes::YAML_SYNTAX, &(0..0), message)
        .with_hint("free memory or threads and try again; if it stays, report the file")
}

/// The parser's error as a finding.
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
        let message = "a tab cannot indent in YAML";
        return source
            .finding(Severity::Error, codes::YAML_TAB, &(tab..tab + 1), message)
            .with_hint("use spaces: two for each level");
    }
    source
        .finding(Severity::Error, codes::YAML_SYNTAX, &at, plain(&plain_words))
        .with_hint(hint_for(source, at.start))
}

/// The error without what the parser wraps round it.
fn original(error: &Error) -> &Error {
    match error.without_snippet() {
        Error::AliasError { error, .. } => original(error),
        other => other,
    }
}

/// What is too much, and the remedy.
fn beyond_limits(error: &Error, words: &str) -> Option<(String, &'static str)> {
    let depth = words.contains("recursion limit")
        || matches!(error, Error::Budget { breach: BudgetBreach::Depth { .. }, .. });
    if depth {
        let message = format!("nested deeper than {} levels", limits::YAML_DEPTH_MAX);
        return Some((message, "flatten the document"));
    }
    match error {
        Error::Budget { breach: BudgetBreach::Documents { .. }, .. } => None,
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => {
            let message =
                format!("more than {} values once aliases are expanded", limits::YAML_NODES_MAX);
            Some((message, "write less, and without aliases of aliases"))
        }
        _ => None,
    }
}

/// YAML that we do not read, and the remedy.
fn refused(error: &Error) -> Option<(&'static str, &'static str)> {
    Some(match error {
        Error::MergeKeyNotAllowed { .. } => {
            ("merge keys (`<<`) are not read", "write the members out")
        }
        Error::MultipleDocuments { .. }
        | Error::Budget { breach: BudgetBreach::Documents { .. }, .. } => (
            "the file holds more than one document",
            "one file, one document: remove the `---` in the middle",
        ),
        Error::NullIntoString { .. } => ("a key is empty", "every key is a word before a colon"),
        Error::Unexpected { expected: "string scalar", .. } => {
            ("a key is not a text", "put quotes around `{{…}}`: a brace begins a mapping in YAML")
        }
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            ("an alias stands inside what it names", "write the value out")
        }
        Error::UnknownAnchor { .. } => (
            "this alias names an anchor that is not there",
            "a text that begins with `*` or `&` must stand in quotes",
        ),
        _ => return None,
    })
}

/// A tab that indents the line of `offset`, or the one before it.
fn tab_near(source: &Source<'_>, offset: usize) -> Option<usize> {
    let line = source.line(offset);
    [line, line.saturating_sub(1)].into_iter().filter(|line| *line > 0).find_map(|line| {
        let start = source.line_start(line);
        let rest = source.text().get(start..)?;
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        rest[..blank].find('\t').map(|at| start + at)
    })
}

/// The parser's sentence without its places (we show our own), in our style.
fn plain(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default().trim();
    let first = first.split(" at line ").next().unwrap_or(first).trim_end_matches(['.', ',', ' ']);
    let first: String = first.chars().take(MESSAGE_CHARS_MAX).collect();
    let mut chars = first.chars();
    match chars.next() {
        Some(c) => format!("this is not YAML: {}{}", c.to_lowercase(), chars.as_str()),
        None => "this is not YAML".into(),
    }
}

fn hint_for(source: &Source<'_>, offset: usize) -> &'static str {
    let line = source.line(offset);
    let start = source.line_start(line);
    let text = source.text().get(start..).unwrap_or_default().lines().next().unwrap_or_default();
    if text.contains(": {{") || text.contains("- {{") || text.contains("[{{") {
        "put quotes around `{{…}}`: a brace begins a mapping in YAML"
    } else if text.matches(": ").count() > 1 {
        "a text with a colon and a space in it must stand in quotes"
    } else {
        "check the indentation and the quotes of this line and the one before it"
    }
}
