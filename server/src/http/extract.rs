//! Extractors: what handlers read from a request. Each reason to reject a request has its own code.

use abide_engine::base::{TypedId, text};
use abide_trade::files::FILE_BYTES_MAX;
use axum::body::Body as Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{Method, Uri};
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::problem::ProblemDocument;

/// Maximum size of a request body in bytes, enough for large requests: for example, a thousand people
/// with all their fields take 300 KB.
pub(super) const BODY_BYTES_MAX: usize = 1 << 20;
/// The path of the only route whose body is a file.
const FILES_PATH: &str = "/v1/files";
/// Maximum number of bytes that are read from an oversized body, so that the client can read the response.
const DISCARDED_BYTES_MAX: usize = 64 << 20;

/// Extracts a JSON body.
///
/// Responds with 413 if the body is larger than [`BODY_BYTES_MAX`], with 400 if it is not JSON, and with
/// 422 if it does not fit the type. U+0000, which PostgreSQL cannot store, becomes U+FFFD.
pub(super) struct Body<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = ProblemDocument;

    async fn from_request(request: Request, _: &S) -> Result<Self, ProblemDocument> {
        let bytes = read_body(request.into_body(), BODY_BYTES_MAX).await?;
        parse_json(&bytes).map(Self)
    }
}

/// Extracts a body that is a file, of any media type.
///
/// Responds with 413 if the file is larger than [`FILE_BYTES_MAX`].
pub(super) struct FileBody(pub(super) Vec<u8>);

impl<S: Send + Sync> FromRequest<S> for FileBody {
    type Rejection = ProblemDocument;

    async fn from_request(request: Request, _: &S) -> Result<Self, ProblemDocument> {
        read_body(request.into_body(), FILE_BYTES_MAX).await.map(Self)
    }
}

/// Returns the maximum size of the body of a request in bytes, for middleware that reads a body before the
/// route does.
pub(super) fn body_bytes_max(method: &Method, uri: &Uri) -> usize {
    if method == Method::POST && uri.path() == FILES_PATH { FILE_BYTES_MAX } else { BODY_BYTES_MAX }
}

/// Reads a whole body and returns it. A body that is larger than `most` bytes is an error.
/// Such a body is still read, up to [`DISCARDED_BYTES_MAX`] bytes, before the error is returned.
/// If the connection were closed while the client still sends, the client would not read the response.
pub(super) async fn read_body(body: Bytes, most: usize) -> Result<Vec<u8>, ProblemDocument> {
    let mut parts = body.into_data_stream();
    let (mut kept, mut bytes) = (Vec::new(), 0);
    while let Some(part) = parts.next().await {
        let part = part.map_err(|_| {
            ProblemDocument::new(400, "body_incomplete", "the body did not arrive whole")
        })?;
        bytes += part.len();
        if bytes <= most {
            kept.extend_from_slice(&part);
        } else if bytes > DISCARDED_BYTES_MAX {
            break;
        }
    }
    if bytes > most {
        let detail = format!("the body is larger than {} MiB", most >> 20);
        let hint = match most {
            FILE_BYTES_MAX => "store a smaller version of the file",
            _ => "send it in several requests",
        };
        return Err(ProblemDocument::new(413, "too_large", detail).with_hint(hint));
    }
    Ok(kept)
}

/// Parses a body. An empty body counts as an empty object, because most orders to a run need no body.
fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ProblemDocument> {
    let bytes = if bytes.is_empty() { b"{}" } else { bytes };
    let mut value: Value = serde_json::from_slice(bytes)
        .map_err(|e| ProblemDocument::new(400, "not_json", format!("the body is not JSON: {e}")))?;
    text::replace_nul(&mut value);
    serde_json::from_value(value)
        .map_err(|e| ProblemDocument::schema(format!("the body does not fit: {e}")))
}

/// Extracts the query parameters. Responds with 422 if a parameter does not fit the type.
pub(super) struct Query<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ProblemDocument;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemDocument> {
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        query.map(|axum::extract::Query(query)| Self(query)).map_err(|e| {
            let detail = e.body_text();
            let detail =
                detail.strip_prefix("Failed to deserialize query string: ").unwrap_or(&detail);
            ProblemDocument::schema(format!("the query does not fit: {detail}"))
        })
    }
}

/// Returns the phone number that a query parameter contains. If the client did not encode the plus sign
/// of the number, the plus sign arrives as a space; the space is then replaced by a plus sign.
pub(super) fn phone_in_query(text: String) -> String {
    match text.strip_prefix(' ') {
        Some(digits) => format!("+{digits}"),
        None => text,
    }
}

/// Extracts the id from a path. Responds with 404 to a malformed id, because nothing has such an id.
pub(super) struct Id<T>(pub(super) T);

impl<S: Send + Sync, T: TypedId> FromRequestParts<S> for Id<T> {
    type Rejection = ProblemDocument;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemDocument> {
        let Path(given) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|e| ProblemDocument::new(404, "not_found", e.body_text()))?;
        given.parse().map(Self).map_err(|e: abide_engine::base::BadId| {
            let (code, what) = match T::PREFIX {
                "run" => ("unknown_run", "run"),
                "req" => ("request_unknown", "request"),
                "tmr" => ("schedule_unknown", "schedule"),
                "per" => ("person_unknown", "person"),
                "msg" => ("inbox_unknown", "message"),
                "tok" => ("token_unknown", "token"),
                _ => ("not_found", "thing"),
            };
            ProblemDocument::new(404, code, format!("there is no {what} `{}`", e.text))
                .with_hint(format!("the id of a {what} begins with `{}_`", T::PREFIX))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal_of(bytes: &[u8]) -> (u16, String) {
        let problem = parse_json::<Vec<u32>>(bytes).expect_err("is refused");
        (problem.status, problem.code)
    }

    #[test]
    fn what_is_not_json_is_400_and_what_does_not_fit_is_422() {
        for bytes in [&b"{"[..], b"[1,", b"nul", b"\xff", "[".repeat(100_000).as_bytes()] {
            assert_eq!(refusal_of(bytes), (400, "not_json".into()));
        }
        assert_eq!(refusal_of(b"{\"a\":1}"), (422, "schema".into()));
        assert_eq!(refusal_of(b""), (422, "schema".into()), "an empty body is an empty object");
    }

    #[test]
    fn nul_becomes_the_replacement_character_in_keys_and_values() {
        let value: Value = parse_json(br#"{"a\u0000":["b\u0000"]}"#).expect("parses");
        assert_eq!(value, serde_json::json!({"a\u{fffd}": ["b\u{fffd}"]}));
    }
}
