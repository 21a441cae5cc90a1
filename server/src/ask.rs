//! A request as a command builds it, and the answer it reads: the same whoever serves it.

use axum::http::Method;
use serde_json::Value;

use crate::problem::ProblemDocument;

/// A request to a route of the API.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    /// GET reads; everything else changes something.
    pub method: Method,
    /// Path and query.
    pub path: String,
    /// The JSON body, if any.
    pub body: Option<Value>,
    /// The idempotency key, if any.
    pub key: Option<String>,
}

impl Ask {
    /// Asks to read.
    #[must_use]
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), body: None, key: None }
    }

    /// Asks to change.
    #[must_use]
    pub(crate) fn post(path: impl Into<String>, body: Value) -> Self {
        Self { method: Method::POST, path: path.into(), body: Some(body), key: None }
    }

    /// Asks to write a thing whose name is in the path.
    #[must_use]
    pub(crate) fn put(path: impl Into<String>, body: Value) -> Self {
        Self { method: Method::PUT, ..Self::post(path, body) }
    }

    /// Asks to change some members of a thing.
    #[must_use]
    pub(crate) fn patch(path: impl Into<String>, body: Value) -> Self {
        Self { method: Method::PATCH, ..Self::post(path, body) }
    }

    /// Asks to take a thing away.
    #[must_use]
    pub(crate) fn delete(path: impl Into<String>) -> Self {
        Self { method: Method::DELETE, ..Self::get(path) }
    }

    /// Adds a member to the query, if there is a value.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: Option<impl std::fmt::Display>) -> Self {
        if let Some(value) = value {
            let sign = if self.path.contains('?') { '&' } else { '?' };
            self.path.push(sign);
            self.path.push_str(name);
            self.path.push('=');
            push_encoded(&mut self.path, &value.to_string());
        }
        self
    }

    /// Adds an idempotency key, if there is one.
    #[must_use]
    pub(crate) fn keyed(mut self, key: Option<String>) -> Self {
        self.key = key;
        self
    }

    /// True where the request may change something.
    #[must_use]
    pub(crate) fn changes(&self) -> bool {
        self.method != Method::GET
    }
}

/// One segment of a path, such as an id that somebody typed.
#[must_use]
pub(crate) fn segment(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    push_encoded(&mut encoded, text);
    encoded
}

fn push_encoded(out: &mut String, text: &str) {
    use std::fmt::Write as _;
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte as char);
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

/// Reads the answer: the body where it went well, else the problem document.
///
/// # Errors
/// The problem that the route answered, or one that says that the answer was none of ours.
pub(crate) fn read(status: u16, body: &[u8]) -> Result<Value, ProblemDocument> {
    if status < 400 {
        return if body.is_empty() {
            Ok(Value::Null)
        } else {
            serde_json::from_slice(body).map_err(|e| foreign(status, &e.to_string()))
        };
    }
    Err(serde_json::from_slice(body).unwrap_or_else(|_| {
        foreign(status, &String::from_utf8_lossy(&body[..body.len().min(200)]))
    }))
}

fn foreign(status: u16, cause: &str) -> ProblemDocument {
    let detail = format!("the server answered {status}, and not as abide does");
    ProblemDocument::new(if status < 400 { 502 } else { status }, "foreign_answer", detail)
        .with_hint("check the address given with `--server`")
        .with_cause(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_encoded_and_absent_members_are_left_out() {
        let ask = Ask::get("/v1/messages")
            .with("to", Some("+1512 5&x"))
            .with("from", None::<u8>)
            .with("limit", Some(5));
        assert_eq!(ask.path, "/v1/messages?to=%2B1512%205%26x&limit=5");
        assert_eq!(segment("a/b?"), "a%2Fb%3F");
    }

    #[test]
    fn an_answer_is_its_body_or_its_problem() {
        assert_eq!(read(200, b"{\"a\":1}"), Ok(serde_json::json!({"a": 1})));
        assert_eq!(read(204, b""), Ok(Value::Null));
        let problem = ProblemDocument::new(404, "unknown_run", "no run `x`").with_hint("list them");
        let wire = serde_json::to_vec(&problem).expect("serializes");
        assert_eq!(read(404, &wire), Err(problem));
        assert_eq!(read(502, b"<html>").expect_err("is refused").code, "foreign_answer");
    }
}
