//! The SQL of the server, for tables that only the HTTP API uses.

pub(crate) mod http_key;
pub(crate) mod token;
