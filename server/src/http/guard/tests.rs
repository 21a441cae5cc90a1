//! Tests of who is admitted, by key, by machine and by token.

use std::net::SocketAddr;
use std::num::NonZeroU16;

use abide_engine::transaction;
use axum::extract::ConnectInfo;
use axum::http::request::Parts;

use super::attempts::ATTEMPTS_MAX;
use super::caller::{Tenant, TenantScope};
use super::gate::{Admitted, Gate};
use super::{Guard, SameProcess};
use crate::api_request::TENANT_HEADER;
use crate::data::token::{self, NewTokenRow};
use crate::http::access::RULES;
use crate::http::testing::{TestApi, TestClock};
use crate::problem::ProblemDocument;
use crate::role::Role;
use crate::secret::Secret;

const LOCAL_PEER: &str = "127.0.0.1:5000";
const REMOTE_PEER: &str = "192.0.2.7:5000";
const RUNS: &str = "/v1/runs";
const KEY: (&str, &str) = ("authorization", "Bearer k1");

/// A gate on a new database.
struct TestGate {
    gate: Gate,
    api: TestApi,
}

async fn gate(dev: bool) -> TestGate {
    let api = TestApi::empty(TestClock::Virtual).await;
    let guard = Guard { dev, key: "k1".into() };
    TestGate { gate: Gate::new(api.engine.clone(), guard, RULES), api }
}

/// A GET request to a route without parameters, as it arrives from a client.
fn request(uri: &str, peer: &str, headers: &[(&str, &str)]) -> Parts {
    let mut request = axum::http::Request::builder().uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (mut request, ()) = request.body(()).expect("a request").into_parts();
    let peer: SocketAddr = peer.parse().expect("an address");
    request.extensions.insert(ConnectInfo(peer));
    request
}

impl TestGate {
    async fn judge(&self, request: Parts) -> Result<Admitted, ProblemDocument> {
        let path = request.uri.path().to_owned();
        self.gate.judge(&request, Some(&path)).await
    }

    async fn status(&self, uri: &str, peer: &str, headers: &[(&str, &str)]) -> u16 {
        self.judge(request(uri, peer, headers)).await.map_or_else(|problem| problem.status, |_| 200)
    }

    /// Returns the tenant to which a request is admitted, or the status of the problem.
    async fn tenant(&self, headers: &[(&str, &str)]) -> Result<String, u16> {
        let judged = self.judge(request(RUNS, LOCAL_PEER, headers)).await;
        judged.map(|admitted| admitted.tenant.0.to_string()).map_err(|problem| problem.status)
    }

    async fn token(&self, tenant: &str, role: Role) -> String {
        let secret = Secret::fresh().expect("random bytes");
        let (tenant, hash) = (tenant.to_owned(), secret.digest());
        let new = NewTokenRow { tenant, role, hash, label: None, expires_at: None };
        let insert = transaction!([new], |tx| token::insert(tx, &new).await);
        self.api.engine.write(insert).await.expect("stored");
        format!("Bearer {}", secret.reveal())
    }
}

#[tokio::test]
async fn health_and_the_description_are_open_and_the_rest_is_not() {
    let gate = gate(false).await;
    assert_eq!(gate.status("/healthz", REMOTE_PEER, &[]).await, 200);
    assert_eq!(gate.status("/openapi.json", REMOTE_PEER, &[]).await, 200);
    assert_eq!(gate.status(RUNS, LOCAL_PEER, &[]).await, 401);
    assert_eq!(gate.status("/metrics", LOCAL_PEER, &[]).await, 401);
    let call = request("/v1/calls/call_1", REMOTE_PEER, &[]);
    let judged = gate.gate.judge(&call, Some("/v1/calls/{id}")).await;
    assert_eq!(judged.map_err(|problem| problem.status), Err(401));
    let mut done = request("/v1/calls/call_1/complete", REMOTE_PEER, &[]);
    done.method = axum::http::Method::POST;
    assert!(gate.gate.judge(&done, Some("/v1/calls/{id}/complete")).await.is_ok());
}

#[tokio::test]
async fn a_route_without_a_rule_is_closed_to_everybody() {
    let gate = gate(false).await;
    for path in ["/v1/forgotten", "/v1/runs/{id}/forgotten"] {
        let mut request = request("/v1/forgotten", LOCAL_PEER, &[KEY]);
        request.extensions.insert(SameProcess);
        let judged = gate.gate.judge(&request, Some(path)).await;
        assert_eq!(judged.map_err(|problem| problem.status), Err(403), "{path}");
    }
}

#[tokio::test]
async fn dev_lets_this_machine_in_and_no_other() {
    let gate = gate(true).await;
    let host = [("host", "localhost")];
    assert_eq!(gate.status(RUNS, LOCAL_PEER, &host).await, 200);
    assert_eq!(gate.status("/metrics", LOCAL_PEER, &host).await, 200);
    assert_eq!(gate.status(RUNS, "[::ffff:127.0.0.1]:1", &host).await, 200);
    assert_eq!(gate.status(RUNS, REMOTE_PEER, &host).await, 401);
    assert_eq!(gate.status("/metrics", REMOTE_PEER, &host).await, 401);
}

#[tokio::test]
async fn only_the_key_of_the_process_is_accepted_even_with_dev() {
    for dev in [false, true] {
        let gate = gate(dev).await;
        for (value, status) in
            [("Bearer k1", 200), ("Bearer k2", 401), ("Bearer k11", 401), ("Basic k1", 401)]
        {
            let headers = [("authorization", value), ("host", "localhost")];
            assert_eq!(gate.status(RUNS, LOCAL_PEER, &headers).await, status, "{value}");
        }
    }
}

#[tokio::test]
async fn only_the_owner_names_a_tenant() {
    let gate = gate(true).await;
    let host = ("host", "localhost");
    assert_eq!(gate.tenant(&[KEY]).await, Ok("default".into()));
    assert_eq!(gate.tenant(&[KEY, (TENANT_HEADER, "north")]).await, Ok("north".into()));
    assert_eq!(gate.tenant(&[KEY, (TENANT_HEADER, "no/rth")]).await, Err(422));
    assert_eq!(gate.tenant(&[host]).await, Ok("default".into()));
    assert_eq!(gate.tenant(&[host, (TENANT_HEADER, "default")]).await, Ok("default".into()));
    assert_eq!(gate.tenant(&[host, (TENANT_HEADER, "north")]).await, Err(404));
    let token = gate.token("north", Role::Viewer).await;
    let token = ("authorization", token.as_str());
    assert_eq!(gate.tenant(&[token]).await, Ok("north".into()));
    assert_eq!(gate.tenant(&[token, (TENANT_HEADER, "north")]).await, Ok("north".into()));
    assert_eq!(gate.tenant(&[token, (TENANT_HEADER, "default")]).await, Err(404));
    assert_eq!(gate.tenant(&[token, (TENANT_HEADER, "no/rth")]).await, Err(422));
}

#[tokio::test]
async fn a_caller_who_does_not_own_the_data_reaches_one_tenant_alone() {
    let own = Tenant("default".into());
    let seen = |scope: TenantScope, id| scope.check(&own, id).map_err(|problem| problem.status);
    assert_eq!(
        (seen(TenantScope::Own, "default"), seen(TenantScope::Own, "north")),
        (Ok(()), Err(404))
    );
    assert_eq!(seen(TenantScope::All, "north"), Ok(()));
    let gate = gate(true).await;
    let token = gate.token("default", Role::Admin).await;
    let scope = async |headers: &[(&str, &str)]| {
        gate.judge(request(RUNS, LOCAL_PEER, headers)).await.expect("admitted").scope
    };
    assert_eq!(scope(&[KEY]).await, TenantScope::All);
    assert_eq!(scope(&[("host", "localhost")]).await, TenantScope::Own);
    assert_eq!(scope(&[("authorization", &token)]).await, TenantScope::Own);
}

#[tokio::test]
async fn a_page_of_another_site_is_kept_out_of_a_dev_server() {
    let gate = gate(true).await;
    for (origin, status) in
        [("http://127.0.0.1:8080", 200), ("https://example.org", 403), ("null", 403)]
    {
        let headers = [("origin", origin), ("host", "127.0.0.1:8080")];
        assert_eq!(gate.status(RUNS, LOCAL_PEER, &headers).await, status, "{origin}");
    }
}

#[tokio::test]
async fn a_dev_server_answers_to_names_of_this_machine_alone() {
    let gate = gate(true).await;
    let named = async |host| gate.status(RUNS, LOCAL_PEER, &[("host", host)]).await;
    for host in ["localhost", "LOCALHOST:8080", "127.0.0.1", "127.9.9.9:1", "[::1]", "[::1]:80"] {
        assert_eq!(named(host).await, 200, "{host}");
    }
    for host in [
        "evil.example:8080",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "192.0.2.7:8080",
        "[2001:db8::1]:8080",
        "[127.0.0.1]",
        "::1",
        "localhost:8080@evil.example",
        "",
    ] {
        assert_eq!(named(host).await, 403, "{host}");
    }
    assert_eq!(gate.status(RUNS, LOCAL_PEER, &[]).await, 403, "no name at all");
    let two = [("host", "localhost"), ("host", "evil.example")];
    assert_eq!(gate.status(RUNS, LOCAL_PEER, &two).await, 403);
    let in_line = gate.status("http://localhost:8080/v1/runs", LOCAL_PEER, &[]).await;
    assert_eq!(in_line, 200, "HTTP/2");
    let owner = [KEY, ("host", "evil.example")];
    assert_eq!(gate.status(RUNS, LOCAL_PEER, &owner).await, 200, "a page has no key");
}

#[tokio::test]
async fn a_page_whose_host_name_resolves_to_this_machine_is_kept_out_of_a_dev_server() {
    let gate = gate(true).await;
    for (origin, host, status, case) in [
        ("http://evil.example:8080", "evil.example:8080", 403, "rebinding"),
        ("http://127.0.0.1:9000", "127.0.0.1:8080", 403, "another port"),
        ("http://localhost:8080", "127.0.0.1:8080", 403, "another name"),
        ("http://localhost:8080", "localhost:8080", 200, "its own page"),
        ("http://[::1]:8080", "[::1]:8080", 200, "its own page"),
    ] {
        let headers = [("origin", origin), ("host", host)];
        assert_eq!(gate.status(RUNS, LOCAL_PEER, &headers).await, status, "{case}");
    }
}

#[tokio::test]
async fn an_address_with_too_many_invalid_tokens_waits_and_locks_out_nobody_who_was_known() {
    let gate = gate(true).await;
    let wrong = [("authorization", "Bearer k2")];
    let known = gate.token("default", Role::Viewer).await;
    let known = [("authorization", known.as_str())];
    assert_eq!(gate.status(RUNS, REMOTE_PEER, &known).await, 200);
    for _ in 0..ATTEMPTS_MAX {
        assert_eq!(gate.status(RUNS, REMOTE_PEER, &wrong).await, 401);
    }
    let refused = gate.judge(request(RUNS, REMOTE_PEER, &wrong)).await.expect_err("must wait");
    assert_eq!((refused.status, &*refused.code), (429, "too_many_attempts"));
    assert_eq!(refused.retry_after_s, NonZeroU16::new(60));
    let response = gate.gate.refuse(refused, Some(RUNS));
    assert_eq!(response.headers()["retry-after"], "60");
    let new = gate.token("default", Role::Viewer).await;
    let new = [("authorization", new.as_str())];
    for (headers, peer, status, case) in [
        (&new[..], REMOTE_PEER, 429, "a token that the server has not seen yet"),
        (&known, REMOTE_PEER, 200, "a token that was valid before"),
        (&[KEY], REMOTE_PEER, 200, "the key of the server"),
        (&[], REMOTE_PEER, 401, "no token at all"),
        (&wrong, "192.0.2.8:5000", 401, "another address"),
    ] {
        assert_eq!(gate.status(RUNS, peer, headers).await, status, "{case}");
    }
    gate.api.post("/v1/clock/advance", r#"{"by": "1min"}"#).await;
    assert_eq!(gate.status(RUNS, REMOTE_PEER, &new).await, 200);
    assert_eq!(gate.status(RUNS, REMOTE_PEER, &wrong).await, 401);
}
