//! Access control for the routes.
//!
//! The health checks and the description of the API are open to everyone. Every other request must either
//! come from this machine to a server with `--dev`, or carry the access key of the server. The key is
//! stored with the database. Anyone who can read the stored key can read the data anyway.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq as _;

use crate::api_request::{TENANT_DEFAULT, TENANT_HEADER};
use crate::problem::ProblemDocument;

/// Decides which requests a server accepts.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Whether clients on this machine need no token.
    pub dev: bool,
    /// Access key of this process. It is stored beside the database file or in the PostgreSQL database.
    pub key: Arc<str>,
}

/// Marks a request that this process sends to itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SameProcess;

/// The tenant whose data a request reads or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tenant(pub(super) Arc<str>);

/// The tenants that a client may read and change by name.
/// On each of these tenants, the client has the rights of an administrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TenantScope {
    /// Only the tenant of the request.
    Own,
    /// All tenants, for a client with the access key and for commands in this process.
    All,
}

impl TenantScope {
    /// Rejects a tenant outside this scope with the same problem as a tenant that does not exist.
    fn check(self, own: &Tenant, id: &str) -> Result<(), ProblemDocument> {
        if self == Self::All || &*own.0 == id {
            return Ok(());
        }
        let detail = format!("there is no tenant `{id}`");
        Err(ProblemDocument::new(404, "unknown_tenant", detail))
    }
}

/// Maximum length of a tenant's id in bytes. Ids of tenants appear in keys and in log lines.
const TENANT_BYTES_MAX: usize = 64;

/// Routes that need no token.
const OPEN_ROUTES: [&str; 3] = ["/healthz", "/readyz", "/openapi.json"];

/// Whether the path completes a call. That route checks the token of the call itself.
fn is_completion(path: &str) -> bool {
    let call = path.strip_prefix("/v1/calls/").and_then(|rest| rest.strip_suffix("/complete"));
    call.is_some_and(|call| !call.contains('/'))
}

/// Middleware: passes on the requests that the guard admits, each with its tenant and scope.
pub(super) async fn admit(
    State(guard): State<Guard>,
    mut request: Request,
    next: Next,
) -> Response {
    match guard.admit(&request) {
        Ok(tenant) => {
            let scope = if guard.is_owner(&request) { TenantScope::All } else { TenantScope::Own };
            request.extensions_mut().insert(tenant);
            request.extensions_mut().insert(scope);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    }
}

impl Guard {
    /// Whether the client may access all data: a command in this process, or a client with the access key.
    fn is_owner(&self, request: &Request) -> bool {
        request.extensions().get::<SameProcess>().is_some()
            || bearer(request.headers()).is_some_and(|token| is_same_key(token, &self.key))
    }

    /// Returns the tenant of the request. If the request is rejected, returns a problem that says why.
    fn admit(&self, request: &Request) -> Result<Tenant, ProblemDocument> {
        if self.is_owner(request) {
            return named_tenant(request.headers());
        }
        if OPEN_ROUTES.contains(&request.uri().path()) || is_completion(request.uri().path()) {
            return Ok(Tenant(TENANT_DEFAULT.into()));
        }
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        if !self.dev || !peer.is_some_and(|ip| ip.to_canonical().is_loopback()) {
            let hint = "start the server with `--dev` to let this machine in without a token";
            return Err(
                ProblemDocument::new(401, "unauthorized", "a token is needed").with_hint(hint)
            );
        }
        match local_host(request) {
            None => {
                Err(ProblemDocument::new(403, "forbidden", "the name of this server is not local")
                    .with_hint("with `--dev`, call it as `localhost`, `127.0.0.1` or `[::1]`"))
            }
            Some(host) if is_cross_site(request.headers(), host) => {
                let detail = "a page of another site may not call this server";
                Err(ProblemDocument::new(403, "forbidden", detail))
            }
            Some(_) => Ok(Tenant(TENANT_DEFAULT.into())),
        }
    }
}

/// Returns the host and port that the request names, if the host is `localhost` or a loopback address.
///
/// A page of another site can make its own host name resolve to this machine (DNS rebinding).
/// The browser then takes this server for that site, and sends that site's host name in the request.
/// Such a request must be rejected, although it comes from this machine.
fn local_host(request: &Request) -> Option<&str> {
    let mut named = request.headers().get_all(header::HOST).iter();
    let name = match (named.next(), named.next()) {
        (Some(host), None) => host.to_str().ok()?,
        // HTTP/2 sends the host in the request target.
        (None, _) => request.uri().authority()?.as_str(),
        (Some(_), Some(_)) => return None,
    };
    let host = match name.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => name,
    };
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let address = match bare {
        Some(address) => address.parse::<Ipv6Addr>().ok().map(IpAddr::from),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::from),
    };
    let local = address.is_some_and(|address| address.to_canonical().is_loopback());
    (local || host.eq_ignore_ascii_case("localhost")).then_some(name)
}

fn named_tenant(headers: &HeaderMap) -> Result<Tenant, ProblemDocument> {
    let Some(value) = headers.get(TENANT_HEADER) else {
        return Ok(Tenant(TENANT_DEFAULT.into()));
    };
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    match value.to_str() {
        Ok(name)
            if (1..=TENANT_BYTES_MAX).contains(&name.len())
                && name.as_bytes().iter().all(plain) =>
        {
            Ok(Tenant(name.into()))
        }
        _ => {
            let detail = "a tenant is named with up to 64 letters, digits, `-` and `_`";
            Err(ProblemDocument::new(422, "bad_tenant", detail))
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Tenant {
    type Rejection = ProblemDocument;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemDocument> {
        parts.extensions.get().cloned().ok_or_else(|| {
            ProblemDocument::from(abide_engine::base::Problem::bug("a route without its guard"))
        })
    }
}

/// Extracts the tenant that the path names. Responds with 404 to a tenant that the client may not access.
pub(super) struct PathTenant(pub(super) Arc<str>);

impl<S: Send + Sync> FromRequestParts<S> for PathTenant {
    type Rejection = ProblemDocument;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemDocument> {
        let Path(id) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|e| ProblemDocument::new(404, "not_found", e.body_text()))?;
        let own = Tenant::from_request_parts(parts, state).await?;
        let scope = TenantScope::from_request_parts(parts, state).await?;
        scope.check(&own, &id)?;
        Ok(Self(id.into()))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for TenantScope {
    type Rejection = ProblemDocument;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemDocument> {
        Ok(parts.extensions.get().copied().unwrap_or(Self::Own))
    }
}

pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

/// Compares two keys in constant time, so that the latency does not reveal a matching prefix.
fn is_same_key(given: &str, key: &str) -> bool {
    given.as_bytes().ct_eq(key.as_bytes()).into()
}

/// Whether a page of another site sends this request, according to the header `Origin` that browsers set.
fn is_cross_site(headers: &HeaderMap, host: &str) -> bool {
    headers.get_all(header::ORIGIN).iter().any(|origin| {
        let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
        origin.is_none_or(|(_, from)| !from.eq_ignore_ascii_case(host))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(dev: bool) -> Guard {
        Guard { dev, key: "k1".into() }
    }

    #[track_caller]
    fn status_of(guard: &Guard, path: &str, peer: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(axum::body::Body::empty()).expect("a request");
        let peer: SocketAddr = peer.parse().expect("an address");
        request.extensions_mut().insert(ConnectInfo(peer));
        guard.admit(&request).map_or_else(|problem| problem.status, |_| 200)
    }

    const LOCAL_PEER: &str = "127.0.0.1:5000";
    const REMOTE_PEER: &str = "192.0.2.7:5000";

    #[test]
    fn health_and_the_description_are_open_and_the_rest_is_not() {
        assert_eq!(status_of(&guard(false), "/healthz", REMOTE_PEER, &[]), 200);
        assert_eq!(status_of(&guard(false), "/openapi.json", REMOTE_PEER, &[]), 200);
        assert_eq!(status_of(&guard(false), "/v1/calls/call_1/complete", REMOTE_PEER, &[]), 200);
        assert_eq!(status_of(&guard(false), "/v1/calls/a/b/complete", REMOTE_PEER, &[]), 401);
        assert_eq!(status_of(&guard(false), "/v1/calls/call_1", REMOTE_PEER, &[]), 401);
        assert_eq!(status_of(&guard(false), "/v1/runs", LOCAL_PEER, &[]), 401);
        assert_eq!(status_of(&guard(false), "/metrics", LOCAL_PEER, &[]), 401);
    }

    #[test]
    fn dev_lets_this_machine_in_and_no_other() {
        let from = |peer| status_of(&guard(true), "/v1/runs", peer, &[("host", "localhost")]);
        assert_eq!(from(LOCAL_PEER), 200);
        assert_eq!(from("[::ffff:127.0.0.1]:1"), 200);
        assert_eq!(from(REMOTE_PEER), 401);
    }

    #[test]
    fn only_the_key_of_the_process_is_accepted() {
        let with =
            |value| status_of(&guard(false), "/v1/runs", REMOTE_PEER, &[("authorization", value)]);
        assert_eq!(with("Bearer k1"), 200);
        assert_eq!(with("Bearer k2"), 401);
        assert_eq!(with("Bearer k11"), 401);
        assert_eq!(with("Basic k1"), 401);
    }

    #[test]
    fn only_the_owner_names_a_tenant() {
        let tenant = |headers: &[(&str, &str)]| {
            let mut request = Request::builder().uri("/healthz");
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let request = request.body(axum::body::Body::empty()).expect("a request");
            guard(true).admit(&request).map(|tenant| tenant.0.to_string()).map_err(|p| p.status)
        };
        let key = ("authorization", "Bearer k1");
        assert_eq!(tenant(&[key]), Ok("default".into()));
        assert_eq!(tenant(&[key, (TENANT_HEADER, "north")]), Ok("north".into()));
        assert_eq!(tenant(&[key, (TENANT_HEADER, "no/rth")]), Err(422));
        assert_eq!(tenant(&[(TENANT_HEADER, "north")]), Ok("default".into()));
    }

    #[test]
    fn a_caller_who_does_not_own_the_data_reaches_one_tenant_alone() {
        let own = Tenant("default".into());
        let seen = |scope: TenantScope, id| scope.check(&own, id).map_err(|problem| problem.status);
        assert_eq!(
            (seen(TenantScope::Own, "default"), seen(TenantScope::Own, "north")),
            (Ok(()), Err(404))
        );
        assert_eq!(seen(TenantScope::All, "north"), Ok(()));
        let request = |key: &str| {
            let request = Request::builder().uri("/v1/tenants").header("authorization", key);
            request.body(axum::body::Body::empty()).expect("a request")
        };
        assert!(
            guard(true).is_owner(&request("Bearer k1"))
                && !guard(true).is_owner(&request("Bearer k2"))
        );
    }

    #[test]
    fn a_page_of_another_site_is_kept_out_of_a_dev_server() {
        let from = |origin| {
            status_of(
                &guard(true),
                "/v1/runs",
                LOCAL_PEER,
                &[("origin", origin), ("host", "127.0.0.1:8080")],
            )
        };
        assert_eq!(from("http://127.0.0.1:8080"), 200);
        assert_eq!(from("https://example.org"), 403);
        assert_eq!(from("null"), 403);
    }

    #[test]
    fn a_dev_server_answers_to_names_of_this_machine_alone() {
        let named = |host| status_of(&guard(true), "/v1/runs", LOCAL_PEER, &[("host", host)]);
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1", "127.9.9.9:1", "[::1]", "[::1]:80"]
        {
            assert_eq!(named(host), 200, "{host}");
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
            assert_eq!(named(host), 403, "{host}");
        }
        assert_eq!(status_of(&guard(true), "/v1/runs", LOCAL_PEER, &[]), 403, "no name at all");
        let two = [("host", "localhost"), ("host", "evil.example")];
        assert_eq!(status_of(&guard(true), "/v1/runs", LOCAL_PEER, &two), 403);
        let in_line = status_of(&guard(true), "http://localhost:8080/v1/runs", LOCAL_PEER, &[]);
        assert_eq!(in_line, 200, "HTTP/2");
        let key = ("authorization", "Bearer k1");
        let owner = [key, ("host", "evil.example")];
        assert_eq!(
            status_of(&guard(true), "/v1/runs", LOCAL_PEER, &owner),
            200,
            "a page has no key"
        );
    }

    #[test]
    fn a_page_whose_host_name_resolves_to_this_machine_is_kept_out_of_a_dev_server() {
        let page = |origin, host| {
            status_of(&guard(true), "/v1/runs", LOCAL_PEER, &[("origin", origin), ("host", host)])
        };
        assert_eq!(page("http://evil.example:8080", "evil.example:8080"), 403, "rebinding");
        assert_eq!(page("http://127.0.0.1:9000", "127.0.0.1:8080"), 403, "another port");
        assert_eq!(page("http://localhost:8080", "127.0.0.1:8080"), 403, "another name");
        assert_eq!(page("http://localhost:8080", "localhost:8080"), 200);
        assert_eq!(page("http://[::1]:8080", "[::1]:8080"), 200);
    }
}
