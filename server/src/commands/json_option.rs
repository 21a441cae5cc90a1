//! Parses options of the command line whose values are JSON.

use serde_json::Value;

use crate::problem::ProblemDocument;

/// Parses JSON that is the value of `flag`, or that is in the file whose name stands there after an `@`.
pub(super) fn parse_json_or_file(flag: &str, option: &str) -> Result<Value, ProblemDocument> {
    let Some(path) = option.strip_prefix('@') else { return parse_json_option(flag, option) };
    let text = std::fs::read_to_string(path).map_err(|error| {
        ProblemDocument::new(422, "file_unreadable", format!("cannot read {path}: {error}"))
            .with_hint("give the name of a file with a JSON object after the `@`")
    })?;
    parse_json_option(flag, &text)
}

/// Parses JSON given on the command line as the value of `flag`.
pub(super) fn parse_json_option(flag: &str, text: &str) -> Result<Value, ProblemDocument> {
    serde_json::from_str(text).map_err(|e| {
        let detail = format!("`{flag}` is not JSON: {e}");
        ProblemDocument::new(400, "not_json", detail)
            .with_hint(format!("quote it for the shell: {flag} '{{\"kind\": \"FillRole\"}}'"))
    })
}
