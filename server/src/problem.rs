//! Problem documents (RFC 9457): how every refusal looks, over HTTP and on stderr alike.

use crate::beacon::Beacon;
use crate::output;
use abide_engine::base::Problem;
use abide_engine::base::limits::PROBLEM_CHARS_MAX;
use abide_engine::base::problem::Blame;
use abide_engine::base::text::shortened;
use serde::Deserialize;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

/// A refusal with everything that anybody who meets it needs.
///
/// On the wire it also has `type` (a URI made of the code) and `title` (what its status means).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct ProblemDocument {
    /// The HTTP status.
    pub status: u16,
    /// What is wrong here, safe for the person who caused it.
    pub detail: String,
    /// The stable code.
    pub code: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// What only an operator may read.
    pub cause: Option<String>,
    /// Everything that is wrong with a text, each with its place.
    #[serde(default)]
    pub findings: Box<[Value]>,
}

impl Serialize for ProblemDocument {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("type", &format_args!("urn:abide:problem:{}", self.code))?;
        map.serialize_entry("title", title(self.status))?;
        map.serialize_entry("status", &self.status)?;
        map.serialize_entry("detail", &self.detail)?;
        map.serialize_entry("code", &self.code)?;
        for (name, text) in [("hint", &self.hint), ("cause", &self.cause)] {
            if let Some(text) = text {
                map.serialize_entry(name, text)?;
            }
        }
        if !self.findings.is_empty() {
            map.serialize_entry("findings", &self.findings)?;
        }
        map.end()
    }
}

impl ProblemDocument {
    /// A document with a status of its own choice.
    #[must_use]
    pub(crate) fn new(status: u16, code: &str, detail: impl Into<String>) -> Self {
        let detail = shortened(&detail.into(), PROBLEM_CHARS_MAX);
        Self {
            status,
            detail,
            code: code.to_owned(),
            hint: None,
            cause: None,
            findings: Box::default(),
        }
    }

    /// Tells it on stderr: as itself with `json`, else in words.
    pub(crate) fn print(&self, json: bool) {
        if json {
            output::tell(serde_json::to_string_pretty(self).unwrap_or_default());
            return;
        }
        output::tell(format_args!("error: {}", self.detail));
        for finding in &*self.findings {
            output::tell(finding_line(finding));
        }
        for (label, text) in [("cause", &self.cause), ("hint", &self.hint)] {
            if let Some(text) = text {
                output::tell(format_args!("{label}: {text}"));
            }
        }
    }

    /// Adds the remedy.
    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds what only an operator may read.
    #[must_use]
    pub(crate) fn with_cause(mut self, cause: impl std::fmt::Display) -> Self {
        self.cause = Some(shortened(&cause.to_string(), PROBLEM_CHARS_MAX));
        self
    }
}

impl From<Problem> for ProblemDocument {
    fn from(problem: Problem) -> Self {
        let problem = Beacon::hidden(problem);
        let mut document = Self::new(status(&problem), &problem.code, problem.message);
        document.hint = problem.hint;
        document.cause = problem.detail;
        document
    }
}

/// The status of a problem: its code says it where the code has one meaning, else who must act.
fn status(problem: &Problem) -> u16 {
    match &*problem.code {
        "not_json" => 400,
        "unauthorized" => 401,
        "forbidden" => 403,
        "too_large" => 413,
        "rate_limited" | "too_many_signals" => 429,
        "overloaded" | "database_away" => 503,
        code if names_nothing(code) => 404,
        code if conflicts(code) => 409,
        _ => match problem.blame {
            Blame::Caller | Blame::Author => 422,
            Blame::Transient | Blame::Operator => 503,
            Blame::Bug => 500,
        },
    }
}

/// Codes that say "there is no such thing".
fn names_nothing(code: &str) -> bool {
    code.starts_with("unknown_")
        || code.ends_with("_unknown")
        || matches!(code, "not_found" | "clock_not_virtual")
}

/// Codes that say "not in this state" or "not again".
fn conflicts(code: &str) -> bool {
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
        )
}

/// A finding in one line: its place, its code, what is wrong and what to do about it.
fn finding_line(finding: &Value) -> String {
    let text = |name: &str| finding[name].as_str().unwrap_or_default();
    let place = format!("{}:{}:{}", text("file"), finding["line"], finding["col"]);
    let hint = match text("hint") {
        "" => String::new(),
        hint => format!(" ({hint})"),
    };
    format!("  {place}: {} [{}]{hint}", text("message"), text("code"))
}

fn title(status: u16) -> &'static str {
    match status {
        400 => "Bad request",
        401 => "Not signed in",
        403 => "Not allowed",
        404 => "Not found",
        405 => "Method not allowed",
        409 => "Conflict",
        413 => "Too large",
        415 => "Unsupported media type",
        422 => "Not acceptable as it stands",
        429 => "Too many",
        500 => "Internal error",
        503 => "Not available now",
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
