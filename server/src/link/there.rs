//! A server in another process: the one that drives the database, or the one named by `--server`.

use std::time::Duration;

use reqwest::header;

use crate::ask::Ask;
use crate::beacon::Beacon;
use crate::http::{TENANT_DEFAULT, TENANT_HEADER};
use crate::problem::ProblemDocument;

/// Timeout for connecting. A server on this machine answers within a millisecond.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout for an answer. The slowest request advances a virtual clock by a long time.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(600);

/// A server, with its access key if that is known.
pub(crate) struct There {
    base: String,
    tenant: String,
    key: Option<String>,
    http: reqwest::Client,
}

impl There {
    /// Creates a client of the server at `url`, for `tenant`.
    ///
    /// # Errors
    /// `server_url` if `url` does not begin with `http://`.
    pub(crate) fn at(
        url: &str,
        tenant: &str,
        key: Option<String>,
    ) -> Result<Self, ProblemDocument> {
        let base = url.trim_end_matches('/').to_owned();
        if !base.starts_with("http://") {
            let detail = format!("`{url}` is not the URL of a server");
            return Err(ProblemDocument::new(422, "server_url", detail)
                .with_hint("use a URL such as `http://127.0.0.1:8080`; use a proxy for TLS"));
        }
        let http = reqwest::Client::builder()
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(ANSWER_TIMEOUT)
            .build()
            .map_err(|e| {
                ProblemDocument::new(500, "internal", "cannot create an HTTP client").with_cause(e)
            })?;
        Ok(Self { base, tenant: tenant.to_owned(), key, http })
    }

    /// Returns the server of a beacon, if it answers and accepts the key of the beacon. Another machine or
    /// another program at that address does not accept it.
    pub(crate) async fn answering(beacon: &Beacon, tenant: &str) -> Option<Self> {
        let there = Self::at(&beacon.url, tenant, Some(beacon.key.clone())).ok()?;
        let (status, _) = there.raw(&Ask::get("/v1/runs?limit=1")).await.ok()?;
        (status < 400).then_some(there)
    }

    /// Sends `ask` and returns the status and the body of the answer.
    pub(super) async fn raw(&self, ask: &Ask) -> Result<(u16, Vec<u8>), ProblemDocument> {
        let mut request =
            self.http.request(ask.method.clone(), format!("{}{}", self.base, ask.path));
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        if self.tenant != TENANT_DEFAULT {
            request = request.header(TENANT_HEADER, &self.tenant);
        }
        if let Some(key) = &ask.key {
            request = request.header("Idempotency-Key", key);
        }
        if let Some(body) = &ask.body {
            request =
                request.header(header::CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let unreachable = |e: reqwest::Error| {
            let detail = format!("the server at {} does not answer", self.base);
            ProblemDocument::new(503, "server_unreachable", detail)
                .with_hint("start it with `abide serve`, or omit `--server`")
                .with_cause(causes(&e))
        };
        let response = request.send().await.map_err(unreachable)?;
        let status = response.status().as_u16();
        let body = response.bytes().await.map_err(unreachable)?;
        Ok((status, body.to_vec()))
    }
}

/// Formats an error with its chain of causes, outermost first.
fn causes(error: &dyn std::error::Error) -> String {
    let chain: Vec<String> =
        std::iter::successors(Some(error), |e| e.source()).map(ToString::to_string).collect();
    chain.join(": ")
}
