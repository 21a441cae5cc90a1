//! The middleware that finds out who sends a request, and judges it by the rule of its route.

use std::net::SocketAddr;

use abide_engine::base::{Digest, Span};
use abide_engine::facade::Engine;
use abide_engine::transaction;
use axum::extract::{ConnectInfo, MatchedPath, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq as _;

use super::attempts::FailedAttempts;
use super::caller::{Caller, Identity, Tenant, TenantScope, bearer};
use super::{Guard, SameProcess, local};
use crate::data::token::{self, TokenRow};
use crate::http::access::{Access, Redaction, RouteRule, redact_answer, rule_of};
use crate::http::refusal;
use crate::problem::ProblemDocument;
use crate::role::Role;
use crate::secret::Secret;

/// What the middleware needs: the clients that the server knows, their tokens, and the rules of the routes.
pub(in crate::http) struct Gate {
    engine: Engine,
    guard: Guard,
    rules: &'static [RouteRule],
    failed: FailedAttempts,
}

/// A request that may proceed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Admitted {
    pub(super) tenant: Tenant,
    /// The role of the client; `None` on a route that is open to everybody.
    pub(super) role: Option<Role>,
    /// Who the client is; `None` on a route that is open to everybody.
    pub(super) identity: Option<Identity>,
    pub(super) scope: TenantScope,
    pub(super) redaction: Redaction,
}

/// Middleware: passes on the requests that the gate admits, each with its tenant and scope, and redacts the
/// answers that their clients may not read in full.
pub(in crate::http) async fn admit<A: Future<Output = Response>>(
    gate: &Gate,
    request: Request,
    next: impl FnOnce(Request) -> A,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let path = parts.extensions.get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let Admitted { tenant, role, identity, scope, redaction } =
        match gate.judge(&parts, path.as_deref()).await {
            Ok(admitted) => admitted,
            Err(problem) => return gate.refuse(problem, path.as_deref()),
        };
    parts.extensions.insert(tenant);
    parts.extensions.insert(scope);
    parts.extensions.insert(redaction);
    role.map(|role| parts.extensions.insert(role));
    identity.map(|identity| parts.extensions.insert(identity));
    let response = next(Request::from_parts(parts, body)).await;
    match redaction {
        Redaction::InFull => response,
        Redaction::Redacted => redact_answer(response).await,
    }
}

impl Gate {
    /// Creates a gate that has seen no invalid token yet.
    pub(in crate::http) fn new(engine: Engine, guard: Guard, rules: &'static [RouteRule]) -> Self {
        Self { engine, guard, rules, failed: FailedAttempts::default() }
    }

    /// Finds out who sends the request, and whether this client may call the route. `path` is the template
    /// of the route's path; a request without one belongs to no route and is answered with 404.
    pub(super) async fn judge(
        &self,
        request: &Parts,
        path: Option<&str>,
    ) -> Result<Admitted, ProblemDocument> {
        let method = request.method.as_str();
        let rule = path.and_then(|path| rule_of(self.rules, method, path));
        if rule.is_some_and(|rule| rule.access == Access::Open) {
            return Ok(Admitted {
                tenant: Tenant::fallback(),
                role: None,
                identity: None,
                scope: TenantScope::Own,
                redaction: Redaction::InFull,
            });
        }
        let caller = self.caller(request).await?;
        let redaction = match (rule, path) {
            (Some(rule), _) => {
                rule.check(caller.role, caller.operates())?;
                rule.redaction(caller.role, &request.uri)?
            }
            (None, None) => Redaction::InFull,
            (None, Some(path)) => return Err(self.without_rule(request, path)),
        };
        let scope = caller.scope();
        let Caller { tenant, role, identity, .. } = caller;
        Ok(Admitted { tenant, role: Some(role), identity: Some(identity), scope, redaction })
    }

    /// Returns the problem of a request whose path has a route, while its method and path have no rule:
    /// the method is wrong, or a rule is missing and the route is closed to everybody.
    fn without_rule(&self, request: &Parts, path: &str) -> ProblemDocument {
        if self.methods(path).next().is_some() {
            return refusal::no_method(&request.method, &request.uri);
        }
        ProblemDocument::new(403, "forbidden", format!("`{path}` has no rule of access"))
            .with_hint("this is a fault of the program: please report it")
    }

    /// Returns the methods that have a rule on this path.
    fn methods(&self, path: &str) -> impl Iterator<Item = &'static str> {
        self.rules.iter().filter(move |rule| rule.path == path).map(|rule| rule.method)
    }

    pub(super) fn refuse(&self, problem: ProblemDocument, path: Option<&str>) -> Response {
        let mut response = problem.into_response();
        if let (StatusCode::METHOD_NOT_ALLOWED, Some(path)) = (response.status(), path) {
            let allowed = self.methods(path).collect::<Vec<_>>().join(",");
            if let Ok(allowed) = HeaderValue::from_str(&allowed) {
                response.headers_mut().insert(header::ALLOW, allowed);
            }
        }
        response
    }

    /// Finds out who sends the request. If the request has a token, the token alone decides.
    ///
    /// # Errors
    /// `unauthorized` for a missing or invalid token, `too_many_attempts`, or a problem that says why the
    /// request is rejected.
    async fn caller(&self, request: &Parts) -> Result<Caller, ProblemDocument> {
        let headers = &request.headers;
        if request.extensions.get::<SameProcess>().is_some() {
            return Caller::owner(headers);
        }
        if headers.contains_key(header::AUTHORIZATION) {
            return match bearer(headers) {
                Some(token) if is_same_key(token, &self.guard.key) => Caller::owner(headers),
                token => {
                    let token = self.limited(request, token.and_then(Secret::digest_of)).await?;
                    Caller::with_token(token, headers)
                }
            };
        }
        if self.guard.dev && local::is_local(request) {
            local::check_site(request)?;
            return Caller::local(headers);
        }
        Err(unauthorized("a token is needed"))
    }

    /// Returns the token with this digest, unless the address of the client has presented too many invalid
    /// ones.
    ///
    /// # Errors
    /// `too_many_attempts`; `unauthorized`.
    async fn limited(
        &self,
        request: &Parts,
        digest: Option<Digest>,
    ) -> Result<TokenRow, ProblemDocument> {
        // A request without an address comes from a test in this process.
        let peer = request.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let now = self.engine.now();
        if let Some(wait) = peer.and_then(|peer| self.failed.wait(peer, digest, now)) {
            return Err(too_many_attempts(wait));
        }
        let found = self.holder_of(digest).await?;
        match (&found, digest, peer) {
            (Some(_), Some(digest), _) => self.failed.record_valid(digest, now),
            (None, digest, Some(peer)) => self.failed.record_invalid(peer, digest, now),
            _ => {}
        }
        found.ok_or_else(|| unauthorized("the token is not a valid one"))
    }

    /// Returns the token with this digest, if it is valid, and records that it was used. The token is looked
    /// up in the database for each request, so that a revoked token stops working at once.
    ///
    /// A token that is unknown, expired or revoked is `None` alike, so that the answer does not tell which
    /// tokens have existed.
    async fn holder_of(&self, digest: Option<Digest>) -> Result<Option<TokenRow>, ProblemDocument> {
        let Some(digest) = digest else { return Ok(None) };
        let find = transaction!(|tx| token::find_valid(tx, digest).await);
        let found = self.engine.read(find).await?;
        if let Some(id) =
            found.as_ref().filter(|it| it.use_is_due(self.engine.now())).map(|it| it.id)
        {
            let record = transaction!(|tx| token::record_use(tx, id).await);
            // The use is for people to read. A database that takes no more work must not refuse the client.
            if let Err(problem) = self.engine.try_write(record).await {
                tracing::debug!(%id, "the use of a token was not recorded: {problem}");
            }
        }
        Ok(found)
    }
}

fn too_many_attempts(wait: Span) -> ProblemDocument {
    let detail = "this address has sent too many invalid tokens";
    ProblemDocument::new(429, "too_many_attempts", detail)
        .with_hint("check the token that the client sends, and wait as long as `Retry-After` says")
        .with_retry_after(wait)
}

fn unauthorized(detail: &str) -> ProblemDocument {
    ProblemDocument::new(401, "unauthorized", detail).with_hint(
        "create a token with `abide token create`; with `abide serve --dev`, this machine needs none",
    )
}

/// Compares two keys in constant time, so that the latency does not reveal a matching prefix.
fn is_same_key(given: &str, key: &str) -> bool {
    given.as_bytes().ct_eq(key.as_bytes()).into()
}
