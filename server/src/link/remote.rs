//! A server in another process: the server that drives the database, or the server that `--server` names.

use std::time::Duration;

use abide_adapters::client_builder;
use reqwest::header;

use super::RawAnswer;
use crate::api_request::{ApiRequest, TENANT_DEFAULT, TENANT_HEADER};
use crate::problem::ProblemDocument;
use crate::server_address::ServerAddress;

/// Timeout for connecting. A server on this machine answers within a millisecond.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout for a response. The slowest request advances a virtual clock by a long time.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(600);

/// A server in another process, with the key or the token that this process sends to it.
/// A server with `--dev` on this machine needs neither.
pub(crate) struct RemoteServer {
    base: String,
    tenant: String,
    key: Option<String>,
    http: reqwest::Client,
}

impl RemoteServer {
    /// Creates a client of the server at `url`, for `tenant`.
    ///
    /// # Errors
    /// `server_url` if `url` does not begin with `http://`.
    pub(crate) fn new(
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
        let http = client_builder()
            .tls_certs_only([]) // only `http` is called, so no certificates are loaded
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(ANSWER_TIMEOUT)
            .build()
            .map_err(|e| ProblemDocument::internal("cannot create an HTTP client", e))?;
        Ok(Self { base, tenant: tenant.to_owned(), key, http })
    }

    /// Returns the server at `address`, if it responds and accepts the key in `address`. If another
    /// machine or another program now has the URL, that machine or program rejects the key.
    pub(crate) async fn connect(address: &ServerAddress, tenant: &str) -> Option<Self> {
        let server = Self::new(&address.url, tenant, Some(address.key.clone())).ok()?;
        let answer = server.send(&ApiRequest::get("/v1/runs?limit=1")).await.ok()?;
        (answer.status < 400).then_some(server)
    }

    /// Sends `request` and returns the response.
    pub(super) async fn send(&self, request: &ApiRequest) -> Result<RawAnswer, ProblemDocument> {
        let mut http =
            self.http.request(request.method.clone(), format!("{}{}", self.base, request.path));
        if let Some(key) = &self.key {
            http = http.bearer_auth(key);
        }
        if self.tenant != TENANT_DEFAULT {
            http = http.header(TENANT_HEADER, &self.tenant);
        }
        if let Some(key) = &request.key {
            http = http.header("Idempotency-Key", key);
        }
        if let Some(body) = &request.body {
            http = http.header(header::CONTENT_TYPE, body.content_type()).body(body.to_bytes());
        }
        let unreachable = |e: reqwest::Error| {
            let detail = format!("the server at {} does not answer", self.base);
            ProblemDocument::new(503, "server_unreachable", detail)
                .with_hint("start it with `abide serve`, or omit `--server`")
                .with_cause(causes(&e))
        };
        let response = http.send().await.map_err(unreachable)?;
        let status = response.status().as_u16();
        let body = response.bytes().await.map_err(unreachable)?;
        Ok(RawAnswer { status, body: body.to_vec() })
    }
}

/// Formats an error with its chain of causes, outermost first.
fn causes(error: &dyn std::error::Error) -> String {
    let chain: Vec<String> =
        std::iter::successors(Some(error), |e| e.source()).map(ToString::to_string).collect();
    chain.join(": ")
}
