//! Where the server of a database is found: a small text that it leaves beside its file or in its
//! tables, with the key that opens it. Whoever can read that owns the data anyway.

use abide_engine::base::Problem;
use serde::{Deserialize, Serialize};

/// The name under which a server on PostgreSQL leaves its beacon in the tables.
pub(crate) const META: &str = "server";

/// The address of a server and its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Beacon {
    pub(crate) url: String,
    pub(crate) key: String,
}

impl Beacon {
    /// A server at `url` with a key that nobody can guess.
    pub(crate) fn at(url: String) -> Self {
        Self { url, key: format!("{:016x}{:016x}", crate::fresh_seed(), crate::fresh_seed()) }
    }

    /// The text to leave.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The server that a problem or a table names, if it does.
    pub(crate) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The same problem without our key: people are told the address alone.
    pub(crate) fn hidden(mut problem: Problem) -> Problem {
        if problem.code == "database_in_use" {
            let beacon = problem.detail.take().as_deref().and_then(Self::read);
            problem.detail = beacon.map(|beacon| format!("a server at {}", beacon.url));
        }
        problem
    }

    /// The server that drives a database which is in use.
    pub(crate) fn of(problem: &Problem) -> Option<Self> {
        if problem.code != "database_in_use" {
            return None;
        }
        Self::read(problem.detail.as_deref()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beacon_is_found_in_the_text_it_left() {
        let beacon = Beacon::at("http://127.0.0.1:8080".into());
        assert_eq!(beacon.key.len(), 32);
        assert_eq!(Beacon::read(&beacon.text()), Some(beacon.clone()));
        let in_use = Problem::caller("database_in_use", "m").with_detail(beacon.text());
        assert_eq!(Beacon::of(&in_use), Some(beacon));
        let told = Beacon::hidden(in_use).detail;
        assert_eq!(told.as_deref(), Some("a server at http://127.0.0.1:8080"));
        assert_eq!(Beacon::of(&Problem::caller("database_in_use", "m").with_detail("")), None);
        assert_eq!(Beacon::of(&Problem::caller("other", "m").with_detail("{}")), None);
    }
}
