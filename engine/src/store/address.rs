//! Which database: `postgres://…`, `sqlite://PATH`, or a path.

use std::path::{Path, PathBuf};

/// Where the data lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// An embedded file.
    Sqlite(PathBuf),
    /// A server, by its URL.
    Postgres(String),
}

impl Address {
    /// Reads what was given to `--db`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Self::Postgres(text.to_owned());
        }
        Self::Sqlite(PathBuf::from(text.strip_prefix("sqlite://").unwrap_or(text)))
    }

    /// The embedded file, if it is one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }
}

impl std::fmt::Display for Address {
    /// Without the password.
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
