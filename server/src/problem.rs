//! Problem documents (RFC 9457): the form of every error, over HTTP and on stderr.

use std::num::NonZeroU16;

use crate::output;
use crate::server_address::ServerAddress;
use abide_engine::base::limits::PROBLEM_CHARS_MAX;
use abide_engine::base::problem::Blame;
use abide_engine::base::text::shortened;
use abide_engine::base::{Problem, Span};
use abide_engine::diagnostic::Diagnostic;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::ToSchema;

/// A problem document: an error with its code, explanation, remedy and cause.
///
/// The JSON form also has `type` (a URI made from the code) and `title` (the meaning of the status).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct ProblemDocument {
    /// HTTP status.
    pub status: u16,
    /// What is wrong in this case; safe to show to the person who caused it.
    pub detail: String,
    /// Stable error code.
    pub code: String,
    /// Remedy for the error.
    pub hint: Option<String>,
    /// Cause of the error, for operators.
    pub cause: Option<String>,
    /// Seconds to wait before the next try, if they are known; sent as a header.
    #[serde(skip)]
    pub retry_after_s: Option<NonZeroU16>,
    /// All findings in a method, each with its place.
    #[serde(default)]
    pub findings: Box<[Value]>,
}

/// A problem document (RFC 9457): why a request was refused, and what to do.
#[derive(Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemBody<'a> {
    /// URN that contains the code.
    #[serde(rename = "type")]
    kind: String,
    /// Meaning of the HTTP status.
    title: &'static str,
    /// HTTP status.
    status: u16,
    /// What is wrong with this request, in one sentence.
    detail: &'a str,
    /// Stable code; `docs/errors/<code>.md` explains it.
    code: &'a str,
    /// Remedy for the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    /// Cause of the problem, for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    /// All findings in a method, each with its place.
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    #[schema(value_type = Vec<Diagnostic>)]
    findings: &'a [Value],
}

impl Serialize for ProblemDocument {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let body = ProblemBody {
            kind: format!("urn:abide:problem:{}", self.code),
            title: title(self.status),
            status: self.status,
            detail: &self.detail,
            code: &self.code,
            hint: self.hint.as_deref(),
            cause: self.cause.as_deref(),
            findings: &self.findings,
        };
        body.serialize(s)
    }
}

impl ProblemDocument {
    /// Creates a problem document with the given HTTP status. A long `detail` is shortened.
    #[must_use]
    pub(crate) fn new(status: u16, code: &str, detail: impl Into<String>) -> Self {
        let detail = shortened(&detail.into(), PROBLEM_CHARS_MAX);
        Self {
            status,
            detail,
            code: code.to_owned(),
            hint: None,
            cause: None,
            retry_after_s: None,
            findings: Box::default(),
        }
    }

    /// Creates the problem document of a failure inside this program, with its cause for operators.
    #[must_use]
    pub(crate) fn internal(detail: &str, cause: impl std::fmt::Display) -> Self {
        Self::new(500, "internal", detail).with_cause(cause)
    }

    /// Creates the problem document of a route that failed inside this program.
    /// The cause is meant for operators.
    #[must_use]
    pub(crate) fn internal_in_route(cause: impl std::fmt::Display) -> Self {
        Self::internal("something went wrong on our side", cause)
    }

    /// Creates the problem document of a request with a value that does not fit its schema.
    #[must_use]
    pub(crate) fn schema(detail: impl Into<String>) -> Self {
        Self::new(422, "schema", detail)
    }

    /// Creates the problem document of a request whose cursor this API has not issued.
    #[must_use]
    pub(crate) fn invalid_cursor(detail: impl Into<String>) -> Self {
        Self::new(422, "invalid_cursor", detail)
            .with_hint("give `next_cursor` of the previous page unchanged")
    }

    /// Prints the document to stderr as JSON.
    pub(crate) fn print_json(&self) {
        output::stderr_line(serde_json::to_string_pretty(self).unwrap_or_default());
    }

    /// Prints the document to stderr as text.
    pub(crate) fn print_text(&self) {
        output::stderr_line(format_args!("error: {}", self.detail));
        for finding in &*self.findings {
            output::stderr_line(finding_line(finding));
        }
        for (label, text) in [("cause", &self.cause), ("hint", &self.hint)] {
            if let Some(text) = text {
                output::stderr_line(format_args!("{label}: {text}"));
            }
        }
    }

    /// Adds how long to wait before the next try, rounded up to whole seconds.
    #[must_use]
    pub(crate) fn with_retry_after(mut self, wait: Span) -> Self {
        let seconds = u16::try_from(wait.micros().max(0).cast_unsigned().div_ceil(1_000_000));
        self.retry_after_s = seconds.ok().and_then(NonZeroU16::new);
        self
    }

    /// Adds the remedy for the error.
    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the cause of the error, for operators. A long cause is shortened.
    #[must_use]
    pub(crate) fn with_cause(mut self, cause: impl std::fmt::Display) -> Self {
        self.cause = Some(shortened(&cause.to_string(), PROBLEM_CHARS_MAX));
        self
    }
}

impl From<Problem> for ProblemDocument {
    fn from(problem: Problem) -> Self {
        let problem = ServerAddress::without_key(problem);
        let mut document = Self::new(status(&problem), &problem.code, problem.message);
        document.hint = problem.hint;
        document.cause = problem.detail;
        document
    }
}

/// Chooses the HTTP status of a problem.
/// If its code has no fixed status, the status follows from who must act.
fn status(problem: &Problem) -> u16 {
    status_of(&problem.code).unwrap_or(match problem.blame {
        Blame::Caller | Blame::Author => 422,
        Blame::Transient | Blame::Operator => 503,
        Blame::Bug => 500,
    })
}

/// Returns the HTTP status of a problem code, or `None` if the code has no fixed status.
pub(crate) fn status_of(code: &str) -> Option<u16> {
    Some(match code {
        "not_json" | "body_incomplete" => 400,
        "unauthorized" => 401,
        "forbidden" => 403,
        "too_large" => 413,
        "rate_limited" | "too_many_attempts" | "too_many_signals" => 429,
        "internal" => 500,
        "overloaded" | "database_away" | "database_unavailable" | "stopping" => 503,
        "clock_skewed" | "disk_full" | "schema_newer" => 503,
        "file_damaged" | "file_missing" | "files_unavailable" => 503,
        "archive_busy" => 409,
        "archive_missing" | "archive_unavailable" | "archive_unwritable" | "archive_unreadable" => {
            503
        }
        code if means_not_found(code) => 404,
        code if means_conflict(code) => 409,
        _ => return None,
    })
}

/// Whether a code means that something does not exist.
fn means_not_found(code: &str) -> bool {
    code.starts_with("unknown_")
        || code.ends_with("_unknown")
        || matches!(code, "not_found" | "clock_not_virtual")
}

/// Whether a code means that a request conflicts with the current state or repeats an earlier request.
fn means_conflict(code: &str) -> bool {
    code.starts_with("already_")
        || matches!(
            code,
            "version_conflict"
                | "version_active"
                | "version_in_use"
                | "no_older_version"
                | "upgrade_impossible"
                | "upgrade_needs_mapping"
                | "wrong_state"
                | "cannot_fork"
                | "key_clash"
                | "request_exists"
                | "call_finished"
                | "approval_decided"
                | "approval_expired"
        )
}

/// Formats the first error among the findings in one line: file, line, column and message.
pub(crate) fn first_error(findings: &[Diagnostic]) -> Option<String> {
    let first = findings.iter().find(|finding| finding.is_error())?;
    let Diagnostic { file, line, col, message, .. } = first;
    Some(format!("{file}:{line}:{col}: {message}"))
}

/// Formats a finding in one line: file, line, column, message, code and hint.
fn finding_line(finding: &Value) -> String {
    let text = |name: &str| finding[name].as_str().unwrap_or_default();
    let place = format!("{}:{}:{}", text("file"), finding["line"], finding["col"]);
    let hint = match text("hint") {
        "" => String::new(),
        hint => format!(" ({hint})"),
    };
    format!("  {place}: {} [{}]{hint}", text("message"), text("code"))
}

pub(crate) fn title(status: u16) -> &'static str {
    match status {
        400 => "Bad request",
        401 => "Not signed in",
        403 => "Not allowed",
        404 => "Not found",
        405 => "Method not allowed",
        409 => "Conflict",
        413 => "Too large",
        415 => "Unsupported media type",
        422 => "Invalid content",
        429 => "Too many requests",
        500 => "Internal error",
        503 => "Temporarily unavailable",
        _ => "Problem",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_blame_choose_the_status() {
        let cases = [
            (Problem::caller("unknown_run", "m"), 404),
            (Problem::caller("already_running", "m"), 409),
            (Problem::caller("version_conflict", "m"), 409),
            (Problem::caller("goal_invalid", "m"), 422),
            (Problem::transient("busy", "m"), 503),
            (Problem::operator("disk_full", "m"), 503),
            (Problem::bug("m"), 500),
        ];
        for (problem, expected) in cases {
            assert_eq!(status(&problem), expected, "{}", problem.code);
        }
    }

    #[test]
    fn absent_members_are_left_out() {
        let document = ProblemDocument::new(404, "unknown_run", "no run `run_1`");
        let json = serde_json::to_value(&document).expect("serializes");
        assert!(json.get("hint").is_none() && json.get("cause").is_none());
        assert_eq!(json["type"], "urn:abide:problem:unknown_run");
    }
}
