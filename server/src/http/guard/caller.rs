//! The client that sends a request: its tenant, its role, and the tenants that it may name.

use std::sync::Arc;

use abide_verbs::api::kb::Author;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};

use crate::api_request::{TENANT_DEFAULT, TENANT_HEADER};
use crate::data::token::TokenRow;
use crate::problem::ProblemDocument;
use crate::role::Role;

/// Maximum length of a tenant's id in bytes. Ids of tenants appear in keys and in log lines.
const TENANT_BYTES_MAX: usize = 64;

/// How a client has proved who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// With the key of the server, or by being in the same process.
    Owner,
    /// By being on the machine of a server with `--dev`.
    Local,
    /// With the token of a tenant.
    Token,
}

/// What is recorded about the client of a request, where it must be known who did something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::http) struct Identity {
    /// Name for people: the label of the token, or the role of a client whose token has none.
    pub(in crate::http) name: Arc<str>,
    /// Name for the ledger, which holds no personal data: the id of the token, or [`OPERATOR`].
    pub(in crate::http) id: Arc<str>,
}

/// The id of a client without a token of its own: it operates the server.
const OPERATOR: &str = "operator";

impl Identity {
    /// The identity of a client that operates the server.
    fn operator() -> Self {
        Self { name: "an operator".into(), id: OPERATOR.into() }
    }

    /// The identity of a client with this token.
    pub(super) fn of_token(token: &TokenRow) -> Self {
        let name = match &token.label {
            Some(label) => label.as_str().into(),
            None => format!("a client with the role `{}`", token.role).into(),
        };
        Self { name, id: token.id.to_string().into() }
    }

    /// Returns the client as the writer of what the request writes.
    pub(in crate::http) fn author(&self) -> Author {
        Author { name: self.name.to_string(), id: self.id.to_string() }
    }
}

/// A client, as far as its request has proved who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Caller {
    pub(super) tenant: Tenant,
    pub(super) role: Role,
    pub(super) origin: Origin,
    pub(super) identity: Identity,
}

impl Caller {
    /// The owner of the data acts as an admin of whichever tenant the request names.
    pub(super) fn owner(headers: &HeaderMap) -> Result<Self, ProblemDocument> {
        let tenant = named_tenant(headers)?.unwrap_or_else(Tenant::fallback);
        Ok(Self {
            tenant,
            role: Role::Admin,
            origin: Origin::Owner,
            identity: Identity::operator(),
        })
    }

    /// A client on the machine of a server with `--dev`, which acts as an admin of the default tenant.
    ///
    /// # Errors
    /// `unknown_tenant` as for a client with a token.
    pub(super) fn local(headers: &HeaderMap) -> Result<Self, ProblemDocument> {
        let (tenant, role, origin) = (Tenant::fallback(), Role::Admin, Origin::Local);
        Self { tenant, role, origin, identity: Identity::operator() }.of_own_tenant(headers)
    }

    /// A client with a token. The request may name the tenant of the token, and no other one.
    ///
    /// # Errors
    /// `unknown_tenant` if the request names another tenant, whether that tenant exists or not.
    pub(super) fn with_token(
        token: TokenRow,
        headers: &HeaderMap,
    ) -> Result<Self, ProblemDocument> {
        let identity = Identity::of_token(&token);
        let (tenant, role) = (Tenant(token.tenant.into()), token.role);
        Self { tenant, role, origin: Origin::Token, identity }.of_own_tenant(headers)
    }

    fn of_own_tenant(self, headers: &HeaderMap) -> Result<Self, ProblemDocument> {
        if let Some(named) = named_tenant(headers)? {
            TenantScope::Own.check(&self.tenant, &named.0)?;
        }
        Ok(self)
    }

    /// The tenants that this client may read and change by name.
    pub(super) fn scope(&self) -> TenantScope {
        if self.origin == Origin::Owner { TenantScope::All } else { TenantScope::Own }
    }

    /// Whether this client operates the server, so that it may see what concerns all tenants.
    pub(super) fn operates(&self) -> bool {
        self.origin != Origin::Token
    }
}

/// The tenant whose data a request reads or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::http) struct Tenant(pub(in crate::http) Arc<str>);

impl Tenant {
    /// The tenant of a request that neither a token nor a header assigns to one.
    pub(super) fn fallback() -> Self {
        Self(TENANT_DEFAULT.into())
    }
}

/// The tenants that a client may read and change by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum TenantScope {
    /// Only the tenant of the request.
    Own,
    /// All tenants, for a client with the access key and for commands in this process.
    All,
}

impl TenantScope {
    /// Rejects a tenant outside this scope with the same problem as a tenant that does not exist.
    pub(super) fn check(self, own: &Tenant, id: &str) -> Result<(), ProblemDocument> {
        if self == Self::All || &*own.0 == id {
            return Ok(());
        }
        let detail = format!("there is no tenant `{id}`");
        Err(ProblemDocument::new(404, "unknown_tenant", detail))
    }
}

/// Returns the tenant that the headers name, if they name one.
fn named_tenant(headers: &HeaderMap) -> Result<Option<Tenant>, ProblemDocument> {
    let Some(value) = headers.get(TENANT_HEADER) else { return Ok(None) };
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    match value.to_str() {
        Ok(name)
            if (1..=TENANT_BYTES_MAX).contains(&name.len())
                && name.as_bytes().iter().all(plain) =>
        {
            Ok(Some(Tenant(name.into())))
        }
        _ => {
            let detail = "a tenant is named with up to 64 letters, digits, `-` and `_`";
            Err(ProblemDocument::new(422, "bad_tenant", detail))
        }
    }
}

/// Returns the bearer token of a request.
pub(in crate::http) fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

impl<S: Send + Sync> FromRequestParts<S> for Identity {
    type Rejection = ProblemDocument;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemDocument> {
        parts.extensions.get().cloned().ok_or_else(without_guard)
    }
}

fn without_guard() -> ProblemDocument {
    ProblemDocument::from(abide_engine::base::Problem::bug("a route without its guard"))
}

impl<S: Send + Sync> FromRequestParts<S> for Tenant {
    type Rejection = ProblemDocument;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemDocument> {
        parts.extensions.get().cloned().ok_or_else(without_guard)
    }
}

/// Extracts the tenant that the path names. Responds with 404 to a tenant that the client may not access.
pub(in crate::http) struct PathTenant(pub(in crate::http) Arc<str>);

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
