//! Parses and shows the address of a database: `postgres://…`, `sqlite://PATH`, or the path of a file.

use std::path::{Path, PathBuf};

/// The location of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// The path of an embedded SQLite file.
    Sqlite(PathBuf),
    /// The URL of a PostgreSQL server.
    Postgres(String),
}

impl Address {
    /// Parses the value of `--db`. A value without a PostgreSQL scheme is the path of a file;
    /// a leading `sqlite://` is removed.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Self::Postgres(text.to_owned());
        }
        Self::Sqlite(PathBuf::from(text.strip_prefix("sqlite://").unwrap_or(text)))
    }

    /// Returns the path of an SQLite file; `None` for a PostgreSQL server.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }
}

impl std::fmt::Display for Address {
    /// Writes the address without the user name and the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "{}", path.display()),
            Self::Postgres(url) => match (url.split_once("://"), url.rsplit_once('@')) {
                (Some((scheme, _)), Some((_, host))) => write!(f, "{scheme}://…@{host}"),
                _ => f.write_str(url),
            },
        }
    }
}
