//! The address and the access key of the server that drives a database. The server stores the address and
//! the key next to the database file or in a table of the database, so that commands find the server.
//! Anyone who can read the stored key can also read the data itself.

use abide_engine::base::Problem;
use serde::{Deserialize, Serialize};

/// Name of the `meta` row in which a server on PostgreSQL stores its address.
pub(crate) const META_KEY: &str = "server";

/// Number of random bytes in an access key, which is valid only as long as the server runs.
const KEY_BYTES: usize = 16;

/// Address and access key of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ServerAddress {
    /// URL of the routes, such as `http://127.0.0.1:8080`.
    pub(crate) url: String,
    /// Access key, which the routes accept as a bearer token.
    pub(crate) key: String,
}

impl ServerAddress {
    /// Creates the address of a server at `url`, with a random key of 128 bits.
    pub(crate) fn with_new_key(url: String) -> Result<Self, Problem> {
        Ok(Self { url, key: crate::random::fresh_secret::<KEY_BYTES>()? })
    }

    /// Serializes the address.
    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Parses a serialized address. Returns `None` if `text` is not a serialized address.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Removes the access key from a `database_in_use` problem,
    /// so that only the server's address is printed.
    pub(crate) fn without_key(mut problem: Problem) -> Problem {
        if problem.code == "database_in_use" {
            let address = problem.detail.take().as_deref().and_then(Self::parse);
            problem.detail = address.map(|address| format!("a server at {}", address.url));
        }
        problem
    }

    /// Returns the address of the server that drives the database, from a `database_in_use` problem.
    pub(crate) fn in_problem(problem: &Problem) -> Option<Self> {
        if problem.code != "database_in_use" {
            return None;
        }
        Self::parse(problem.detail.as_deref()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_back_from_its_text_and_from_a_problem() {
        let address = ServerAddress::with_new_key("http://127.0.0.1:8080".into()).expect("a key");
        assert_eq!(address.key.len(), 32);
        assert_eq!(ServerAddress::parse(&address.to_text()), Some(address.clone()));
        let in_use = Problem::caller("database_in_use", "m").with_detail(address.to_text());
        assert_eq!(ServerAddress::in_problem(&in_use), Some(address));
        let shown = ServerAddress::without_key(in_use).detail;
        assert_eq!(shown.as_deref(), Some("a server at http://127.0.0.1:8080"));
        assert_eq!(
            ServerAddress::in_problem(&Problem::caller("database_in_use", "m").with_detail("")),
            None
        );
        assert_eq!(
            ServerAddress::in_problem(&Problem::caller("other", "m").with_detail("{}")),
            None
        );
    }
}
