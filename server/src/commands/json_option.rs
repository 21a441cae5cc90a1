//! Parses options of the command line whose values are JSON.

use serde_json::Value;

use crate::problem::ProblemDocument;

/// Parses JSON given on the command line as the value of `flag`.
pub(super) fn parse_json_option(flag: &str, text: &str) -> Result<Value, ProblemDocument> {
    serde_json::from_str(text).map_err(|e| {
        let detail = format!("`{flag}` is not JSON: {e}");
        ProblemDocument::new(400, "not_json", detail)
            .with_hint(format!("quote it for the shell: {flag} '{{\"kind\": \"FillRole\"}}'"))
    })
}
