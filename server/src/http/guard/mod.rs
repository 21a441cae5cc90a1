//! Access control for the routes.
//!
//! A client proves who it is with a bearer token: the token of a tenant, which has a role, or the key of
//! the server. The key is stored with the database. Anyone who can read the stored key can read the data
//! anyway. With `--dev`, clients on this machine need no token. A command in this process needs none either.
//!
//! A client address that presents too many invalid tokens has to wait ([`attempts`]).
//!
//! What a client may call is decided by the rules in [`super::access`].

mod attempts;
mod caller;
mod gate;
mod local;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub(super) use caller::{Identity, PathTenant, Tenant, TenantScope, bearer};
pub(super) use gate::{Gate, admit};

/// Decides which clients a server knows, besides those with a token of a tenant.
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
