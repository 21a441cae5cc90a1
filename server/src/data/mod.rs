//! The only SQL of the server: what belongs to HTTP and to nobody else.

pub(crate) mod http_key;
