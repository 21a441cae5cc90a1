//! Posts signed JSON and sorts the answers by what they say about the outcome.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use abide_engine::adapter::{AdapterCall, CallAnswer, CallLookup};
use abide_engine::base::{Problem, Timestamp, Value};
use reqwest::StatusCode;
use reqwest::redirect::Policy;

use crate::signature::signature;

/// Maximum length of an answer in bytes: the limit of the bodies that abide itself accepts.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Maximum number of characters of an answer that a message quotes.
pub(crate) const QUOTED_CHARS_MAX: usize = 300;
/// How long it may take to connect. A server that takes longer counts as away, and nothing was sent to it.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// Why there is no client.
pub(crate) const NO_CERTIFICATES: &str = "this machine has no usable certificates";
/// The shortest time that a request is given, so that a deadline in the past does not panic.
const AT_LEAST: Duration = Duration::from_millis(1);

/// Begins to build an HTTP client. Every client of the program begins here, because the cryptography provider
/// must be named once per process before the first one is built.
#[expect(clippy::disallowed_methods, reason = "this is the one place that names the provider")]
pub fn client_builder() -> reqwest::ClientBuilder {
    // An error means that the provider is named already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
}

/// A client of web services. It follows no redirect, because what it posts is meant for one receiver. It is built
/// for the first post, because building it reads the certificates of the machine and most processes post
/// nothing.
#[derive(Clone, Default)]
pub(crate) struct Client(Arc<OnceLock<Option<reqwest::Client>>>);

/// A signed post.
pub(crate) struct Post<'a> {
    /// The address.
    pub(crate) url: &'a str,
    /// The secret that signs the request.
    pub(crate) secret: &'a str,
    /// The body, which is JSON.
    pub(crate) body: String,
    /// Further headers.
    pub(crate) headers: Vec<(&'static str, String)>,
}

/// What a server answered to a post.
pub(crate) enum Posted {
    /// A status from 200 to 299, with the body.
    Answered {
        /// The status.
        status: StatusCode,
        /// The body.
        body: String,
    },
    /// The server refused the request for good.
    Refused(Problem),
    /// The server was not reached, or is busy: it did nothing.
    Away(Problem),
    /// The server may or may not have acted.
    Unknown(String),
}

impl Client {
    /// Returns the client; `None` if this machine has no usable configuration of TLS.
    pub(crate) fn built(&self) -> Option<&reqwest::Client> {
        let build = || {
            let client = client_builder()
                .redirect(Policy::none())
                .connect_timeout(CONNECT_WITHIN)
                .user_agent(concat!("abide/", env!("CARGO_PKG_VERSION")));
            client.build().ok()
        };
        self.0.get_or_init(build).as_ref()
    }

    /// Posts a call, signed at the time of the call, until its deadline.
    pub(crate) async fn post(&self, call: &AdapterCall, post: Post<'_>) -> Posted {
        let Some(client) = self.built() else { return Posted::Away(away(NO_CERTIFICATES)) };
        let id = call.call.to_string();
        let seconds = seconds(call.at);
        let left = (call.deadline.micros() - call.at.micros()).try_into().unwrap_or_default();
        let mut request = client
            .post(post.url)
            .timeout(Duration::from_micros(left).max(AT_LEAST))
            .header("content-type", "application/json")
            .header("idempotency-key", &id)
            .header("webhook-signature", signature(post.secret, &id, seconds, &post.body))
            .header("webhook-id", id)
            .header("webhook-timestamp", seconds.to_string());
        for (name, value) in post.headers {
            request = request.header(name, value);
        }
        match request.body(post.body).send().await {
            Ok(answer) => read(answer).await,
            Err(error) if error.is_connect() || error.is_builder() => {
                Posted::Away(away(&error.without_url().to_string()))
            }
            Err(error) => Posted::Unknown(error.without_url().to_string()),
        }
    }
}

/// Says what is known about a call that was posted. `read` returns the answer to a status from 200 to 299, or
/// `None` if the server has accepted the call for later.
pub(crate) fn called(
    posted: Result<Posted, Problem>,
    read: fn(StatusCode, &str) -> Option<Value>,
) -> CallAnswer {
    match posted {
        Ok(Posted::Answered { status, body }) => match read(status, &body) {
            Some(answer) => CallAnswer::Done { answer },
            None => CallAnswer::Accepted,
        },
        Ok(Posted::Refused(problem) | Posted::Away(problem)) | Err(problem) => {
            CallAnswer::NotDone { problem }
        }
        Ok(Posted::Unknown(reason)) => CallAnswer::Unknown { reason },
    }
}

/// Says what is known about a call that was posted once more to find out. `read` is that of [`called`].
pub(crate) fn looked_up(
    posted: Result<Posted, Problem>,
    read: fn(StatusCode, &str) -> Option<Value>,
) -> CallLookup {
    match posted {
        Ok(Posted::Answered { status, body }) => match read(status, &body) {
            Some(answer) => CallLookup::Done { answer },
            None => CallLookup::Accepted,
        },
        Ok(Posted::Refused(problem)) => CallLookup::Refused { problem },
        Ok(Posted::Away(problem)) | Err(problem) => CallLookup::NotNow { reason: problem.message },
        Ok(Posted::Unknown(reason)) => CallLookup::NotNow { reason },
    }
}

/// Returns an instant in seconds since 1970, as the signature contains it.
const fn seconds(at: Timestamp) -> i64 {
    at.micros() / 1_000_000
}

async fn read(answer: reqwest::Response) -> Posted {
    let status = answer.status();
    match limited_body(answer).await {
        Ok(body) => sort(status, body),
        Err(why) => Posted::Unknown(why),
    }
}

/// Reads the body of an answer, up to the maximum length. The error says in words why there is none.
pub(crate) async fn limited_body(mut answer: reqwest::Response) -> Result<String, String> {
    let mut body = Vec::new();
    loop {
        match answer.chunk().await {
            Ok(None) => return Ok(String::from_utf8_lossy(&body).into_owned()),
            Ok(Some(chunk)) if body.len() + chunk.len() <= ANSWER_BYTES_MAX => body.extend(chunk),
            Ok(Some(_)) => return Err("its answer is too long".to_owned()),
            Err(error) => return Err(error.without_url().to_string()),
        }
    }
}

/// Sorts an answer by what its status says about the outcome (RFC 9110, section 15; 425 and 429 of RFC 8470
/// and RFC 6585).
fn sort(status: StatusCode, body: String) -> Posted {
    let quoted: String = body.chars().take(QUOTED_CHARS_MAX).collect();
    match status.as_u16() {
        200..=299 => Posted::Answered { status, body },
        408 | 425 | 429 | 503 => Posted::Away(away(&format!("it answered {status}"))),
        500..=599 => Posted::Unknown(format!("it answered {status}: {quoted}")),
        _ => {
            let message = format!("the server refused the call with {status}: {quoted}");
            Posted::Refused(Problem::caller("refused", message).with_hint("correct the input"))
        }
    }
}

fn away(why: &str) -> Problem {
    Problem::transient("unavailable", format!("the server cannot be reached: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_says_what_is_known_about_the_outcome() {
        let sorted = |status| {
            let status = StatusCode::from_u16(status).expect("a status");
            match sort(status, "x".repeat(1_000)) {
                Posted::Answered { .. } => "answered",
                Posted::Refused(problem) => {
                    assert!(problem.message.len() < 400, "{problem}");
                    "refused"
                }
                Posted::Away(problem) => {
                    assert!(problem.is_transient());
                    "away"
                }
                Posted::Unknown(_) => "unknown",
            }
        };
        for (statuses, wanted) in [
            (&[200, 201, 202, 204][..], "answered"),
            (&[301, 307, 400, 401, 404, 409, 410, 422], "refused"),
            (&[408, 425, 429, 503], "away"),
            (&[500, 502, 504, 599], "unknown"),
        ] {
            for status in statuses {
                assert_eq!(sorted(*status), wanted, "{status}");
            }
        }
    }
}
