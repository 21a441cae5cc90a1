//! A server somewhere: the one that drives this database, or the one named by `--server`.

use std::time::Duration;

use reqwest::header;

use crate::ask::Ask;
use crate::beacon::Beacon;
use crate::http::{TENANT_DEFAULT, TENANT_HEADER};
use crate::problem::ProblemDocument;

/// How long connecting may take: a server on this machine answers in a millisecond.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an answer may take: advancing a virtual clock over a long story is the slowest.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(600);

/// A server, and the key that opens it if we know one.
pub(crate) struct There {
    base: String,
    tenant: String,
    key: Option<String>,
    http: reqwest::Client,
}

impl There {
    /// The server at `url`, to act there for `tenant`.
    ///
    /// # Errors
    /// `server_url` where it is no `http://` address.
    pub(crate) fn at(
        url: &str,
        tenant: &str,
        key: Option<String>,
    ) -> Result<Self, ProblemDocument> {
        let base = url.trim_end_matches('/').to_owned();
        if !base.starts_with("http://") {
            let detail = format!("`{url}` is not an address of a server");
            return Err(ProblemDocument::new(422, "server_url", detail)
                .with_hint("write it as `http://127.0.0.1:8080`; TLS is left to a proxy"));
        }
        let http = reqwest::Client::builder()
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(ANSWER_TIMEOUT)
            .build()
            .map_err(|e| {
                ProblemDocument::new(500, "internal", "cannot make requests").with_cause(e)
            })?;
        Ok(Self { base, tenant: tenant.to_owned(), key, http })
    }

    /// The server of a beacon, if it is alive and knows its own key: another machine, or another
    /// program at that address, does not.
    pub(crate) async fn answering(beacon: &Beacon, tenant: &str) -> Option<Self> {
        let there = Self::at(&beacon.url, tenant, Some(beacon.key.clone())).ok()?;
        let (status, _) = there.raw(&Ask::get("/v1/runs?limit=1")).await.ok()?;
        (status < 400).then_some(there)
    }

    /// Sends `ask` and reads the answer's body as it is.
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
                .with_hint("is it running? start one with `abide serve`, or leave `--server` out")
                .with_cause(causes(&e))
        };
        let response = request.send().await.map_err(unreachable)?;
        let status = response.status().as_u16();
        let body = response.bytes().await.map_err(unreachable)?;
        Ok((status, body.to_vec()))
    }
}

/// The whole chain of an error, outermost first.
fn causes(error: &dyn std::error::Error) -> String {
    let chain: Vec<String> =
        std::iter::successors(Some(error), |e| e.source()).map(ToString::to_string).collect();
    chain.join(": ")
}
