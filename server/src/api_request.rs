//! Builds the requests that commands send to the HTTP API, in this process or over the network,
//! and parses the responses of the API.

use axum::body::Bytes;
use axum::http::Method;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::problem::ProblemDocument;

/// The request header that names the tenant.
pub(crate) const TENANT_HEADER: &str = "abide-tenant";
/// The tenant of a request that names no tenant.
pub(crate) const TENANT_DEFAULT: &str = "default";
/// Characters to percent-encode: all except the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The body of a request.
#[derive(Debug, Clone)]
pub(crate) enum ApiBody {
    /// A JSON value.
    Json(Value),
    /// A file as it is.
    File(Bytes),
}

impl ApiBody {
    /// Returns the media type of the body.
    #[must_use]
    pub(crate) const fn content_type(&self) -> &'static str {
        match self {
            Self::Json(_) => "application/json",
            Self::File(_) => "application/octet-stream",
        }
    }

    /// Returns the body as it is sent.
    #[must_use]
    pub(crate) fn to_bytes(&self) -> Bytes {
        match self {
            Self::Json(value) => value.to_string().into(),
            Self::File(bytes) => bytes.clone(),
        }
    }
}

/// A request to a route of the API.
#[derive(Debug, Clone)]
pub(crate) struct ApiRequest {
    /// HTTP method. GET only reads; every other method changes something.
    pub method: Method,
    /// Path and query string of the URL.
    pub path: String,
    /// Body, if any.
    pub body: Option<ApiBody>,
    /// Idempotency key, if any.
    pub key: Option<String>,
}

impl ApiRequest {
    /// Creates a GET request, which only reads.
    #[must_use]
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), body: None, key: None }
    }

    /// Creates a POST request, which changes something.
    #[must_use]
    pub(crate) fn post(path: impl Into<String>, body: Value) -> Self {
        Self::with_body(path, ApiBody::Json(body))
    }

    /// Creates a POST request whose body is a file.
    #[must_use]
    pub(crate) fn post_file(path: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self::with_body(path, ApiBody::File(bytes.into()))
    }

    fn with_body(path: impl Into<String>, body: ApiBody) -> Self {
        Self { method: Method::POST, path: path.into(), body: Some(body), key: None }
    }

    /// Creates a PUT request, which writes the resource that the path names.
    #[must_use]
    pub(crate) fn put(path: impl Into<String>, body: Value) -> Self {
        Self { method: Method::PUT, ..Self::post(path, body) }
    }

    /// Creates a PATCH request, which changes some fields of a resource.
    #[must_use]
    pub(crate) fn patch(path: impl Into<String>, body: Value) -> Self {
        Self { method: Method::PATCH, ..Self::post(path, body) }
    }

    /// Creates a DELETE request, which removes a resource.
    #[must_use]
    pub(crate) fn delete(path: impl Into<String>) -> Self {
        Self { method: Method::DELETE, ..Self::get(path) }
    }

    /// Adds a query parameter, unless `value` is `None`.
    #[must_use]
    pub(crate) fn query(mut self, name: &str, value: Option<impl std::fmt::Display>) -> Self {
        if let Some(value) = value {
            let sign = if self.path.contains('?') { '&' } else { '?' };
            self.path.push(sign);
            self.path.push_str(name);
            self.path.push('=');
            self.path.push_str(&path_segment(&value.to_string()));
        }
        self
    }

    /// Adds an idempotency key, unless `key` is `None`.
    #[must_use]
    pub(crate) fn with_key(mut self, key: Option<String>) -> Self {
        self.key = key;
        self
    }

    /// Whether the request can change something.
    #[must_use]
    pub(crate) fn is_change(&self) -> bool {
        self.method != Method::GET
    }
}

/// Percent-encodes one segment of a path, such as an id from the command line.
#[must_use]
pub(crate) fn path_segment(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Parses a response of the API: returns its JSON body if the status reports success.
///
/// # Errors
/// The problem document in the response, or `foreign_answer` if the response does not come from abide.
pub(crate) fn read_answer(status: u16, body: &[u8]) -> Result<Value, ProblemDocument> {
    if status < 400 {
        return if body.is_empty() {
            Ok(Value::Null)
        } else {
            serde_json::from_slice(body).map_err(|e| foreign_answer(status, &e.to_string()))
        };
    }
    Err(serde_json::from_slice(body).unwrap_or_else(|_| {
        foreign_answer(status, &String::from_utf8_lossy(&body[..body.len().min(200)]))
    }))
}

fn foreign_answer(status: u16, cause: &str) -> ProblemDocument {
    let detail = format!("the server answered {status}, but not in the form that abide uses");
    ProblemDocument::new(if status < 400 { 502 } else { status }, "foreign_answer", detail)
        .with_hint("check the address given with `--server`")
        .with_cause(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_encoded_and_absent_members_are_left_out() {
        let request = ApiRequest::get("/v1/messages")
            .query("to", Some("+1512 5&x"))
            .query("from", None::<u8>)
            .query("limit", Some(5));
        assert_eq!(request.path, "/v1/messages?to=%2B1512%205%26x&limit=5");
        assert_eq!(path_segment("a/b?"), "a%2Fb%3F");
    }

    #[test]
    fn an_answer_is_its_body_or_its_problem() {
        assert_eq!(read_answer(200, b"{\"a\":1}"), Ok(serde_json::json!({"a": 1})));
        assert_eq!(read_answer(204, b""), Ok(Value::Null));
        let problem = ProblemDocument::new(404, "unknown_run", "no run `x`").with_hint("list them");
        let wire = serde_json::to_vec(&problem).expect("serializes");
        assert_eq!(read_answer(404, &wire), Err(problem));
        assert_eq!(read_answer(502, b"<html>").expect_err("is refused").code, "foreign_answer");
    }
}
