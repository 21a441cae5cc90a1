//! A client with a token, for the tests of access.

use abide_engine::transaction;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::Value;
use tower::ServiceExt as _;

use crate::api_request::TENANT_HEADER;
use crate::http::SameProcess;
use crate::http::testing::TestApi;

/// An id without its prefix, which nothing has.
pub(super) const NOBODY: &str = "00000000000000000000000000000001";
/// Maximum size of an answer in bytes.
const ANSWER_BYTES_MAX: usize = 16 << 20;

/// An answer to a client.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// The body as it arrived.
    pub(super) text: String,
    /// The body, if it is JSON; otherwise null.
    pub(super) body: Value,
}

impl Answer {
    pub(super) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

/// A client. It sends what it has: a token, the name of a tenant, neither or both.
#[derive(Debug, Clone, Default)]
pub(super) struct Client {
    /// Id of the token.
    pub(super) id: String,
    token: Option<String>,
    tenant: Option<String>,
    /// Whether the client is in the process of the server, and so needs no token.
    is_owner: bool,
}

impl Client {
    pub(super) fn with(token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..Self::default() }
    }

    pub(super) fn without_token() -> Self {
        Self::default()
    }

    pub(super) fn owner() -> Self {
        Self { is_owner: true, ..Self::default() }
    }

    /// The same client, whose requests name a tenant.
    pub(super) fn in_tenant(&self, tenant: Option<&str>) -> Self {
        Self { tenant: tenant.map(str::to_owned), ..self.clone() }
    }

    pub(super) async fn get(&self, api: &TestApi, path: &str) -> Answer {
        self.send(api, "GET", path, "").await
    }

    pub(super) async fn send(&self, api: &TestApi, method: &str, path: &str, body: &str) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if let Some(tenant) = &self.tenant {
            request = request.header(TENANT_HEADER, tenant);
        }
        let mut request = request.body(Body::from(body.to_owned())).expect("a request");
        if self.is_owner {
            request.extensions_mut().insert(SameProcess);
        }
        let response = api.routes.clone().oneshot(request).await.expect("an answer");
        let status = response.status().as_u16();
        let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
        let body = match kind {
            Some("text/event-stream") => Body::empty(), // a stream has no end
            _ => response.into_body(),
        };
        let bytes = to_bytes(body, ANSWER_BYTES_MAX).await.expect("a body");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Answer { status, body: serde_json::from_str(&text).unwrap_or_default(), text }
    }

    /// Sends a request that must succeed, and returns the body of the answer.
    pub(super) async fn must(
        &self,
        api: &TestApi,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Value {
        let answer = self.send(api, method, path, &body.to_string()).await;
        assert!((200..300).contains(&answer.status), "{method} {path}: {answer:?}");
        answer.body
    }
}

/// Creates a token of a tenant, and returns a client that has it.
pub(super) async fn create_token(api: &TestApi, tenant: &str, wanted: Value) -> Client {
    let owner = Client::owner().in_tenant(Some(tenant));
    let created = owner.must(api, "POST", "/v1/tokens", &wanted).await;
    let id = created["id"].as_str().expect("an id").to_owned();
    Client { id, ..Client::with(created["token"].as_str().expect("a secret")) }
}

pub(super) async fn make_tenant(api: &TestApi, tenant: &'static str) {
    let make = transaction!(|tx| Ok(tx.ensure_tenant(tenant).await?));
    api.engine.write(make).await.expect("made");
}

/// Returns the method and the path of each operation in a description of the API.
pub(super) fn operations(described: &Value) -> impl Iterator<Item = (String, String)> {
    let paths = described["paths"].as_object().expect("paths");
    paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().expect("operations").keys();
        methods.map(move |method| (method.to_uppercase(), path.clone()))
    })
}

/// Fills in the parameters of a path: nothing has these names and ids, except the tenant.
pub(super) fn some_path(template: &str) -> String {
    let id = |prefix: &str| format!("{prefix}_{NOBODY}");
    let named = match template.split('/').nth(2) {
        Some("tenants") => "default".to_owned(),
        Some("people") => id("per"),
        Some("requests") => id("req"),
        Some("inbox") => id("msg"),
        Some("schedules") => id("tmr"),
        Some("tokens") => id("tok"),
        Some("upgrades") => id("upg"),
        Some("runs") => id("run"),
        Some("calls") => id("call"),
        _ => "nothing".to_owned(),
    };
    let path = template.replace("{version}", "1");
    ["{id}", "{name}", "{key}", "{digest}"]
        .into_iter()
        .fold(path, |path, it| path.replace(it, &named))
}
