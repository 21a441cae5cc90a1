//! The address of the server that drives a database, and its access key. The server writes them next to the
//! database file or into a table, so that commands find it. Anyone who can read them can read the data, too.

use abide_engine::base::Problem;
use serde::{Deserialize, Serialize};

/// Name of the `meta` row in which a server on PostgreSQL stores its beacon.
pub(crate) const META: &str = "server";

/// Address and access key of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Beacon {
    pub(crate) url: String,
    pub(crate) key: String,
}

impl Beacon {
    /// Creates the beacon of a server at `url`, with a random key of 128 bits.
    pub(crate) fn at(url: String) -> Self {
        Self { url, key: format!("{:016x}{:016x}", crate::fresh_seed(), crate::fresh_seed()) }
    }

    /// Serializes the beacon.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Parses a serialized beacon, if `text` is one.
    pub(crate) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Removes the key from a problem, so that only the address is printed.
    pub(crate) fn hidden(mut problem: Problem) -> Problem {
        if problem.code == "database_in_use" {
            let beacon = problem.detail.take().as_deref().and_then(Self::read);
            problem.detail = beacon.map(|beacon| format!("a server at {}", beacon.url));
        }
        problem
    }

    /// Returns the beacon in a `database_in_use` problem: the server that drives the database.
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
