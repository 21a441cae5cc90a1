//! Reads the database settings that decide whether confirmed commits are safe.

use super::conn::Conn;
use super::dialect::Dialect;
use super::error::StoreError;

/// A setting that decides whether a confirmed commit survives a power failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DurabilitySetting {
    /// The database's name for the setting.
    pub name: &'static str,
    /// The value of the setting on the connection that commits.
    pub value: String,
    /// Whether confirmed commits survive a power failure if the setting has this value.
    pub safe: bool,
}

impl DurabilitySetting {
    fn new(name: &'static str, value: String, safe: fn(&str) -> bool) -> Self {
        let safe = safe(&value);
        Self { name, value, safe }
    }
}

/// The oldest version of SQLite that can reset its write-ahead log safely while
/// another connection copies the log back into the database file.
const SQLITE_SAFE: [u32; 3] = [3, 51, 3];

pub(super) async fn settings(conn: &mut Conn) -> Result<Vec<DurabilitySetting>, StoreError> {
    match conn.dialect() {
        Dialect::Sqlite => {
            let mode = conn.rows("PRAGMA journal_mode", &[]).await?[0].text("journal_mode")?;
            let synchronous = conn.rows("PRAGMA synchronous", &[]).await?[0].int("synchronous")?;
            let synchronous = ["OFF", "NORMAL", "FULL", "EXTRA"]
                [usize::try_from(synchronous).unwrap_or(0).min(3)];
            let version =
                conn.rows("SELECT sqlite_version() AS version", &[]).await?[0].text("version")?;
            Ok(vec![
                DurabilitySetting::new("sqlite_version", version, |v| parts(v) >= SQLITE_SAFE),
                DurabilitySetting::new("journal_mode", mode, |v| v.eq_ignore_ascii_case("wal")),
                DurabilitySetting::new("synchronous", synchronous.to_owned(), |v| {
                    v == "FULL" || v == "EXTRA"
                }),
            ])
        }
        Dialect::Postgres => {
            let rows = conn
                .rows(
                    "SELECT current_setting('server_version') AS server_version, current_setting('fsync') AS fsync,
                        current_setting('full_page_writes') AS full_page_writes,
                        current_setting('synchronous_commit') AS synchronous_commit",
                    &[],
                )
                .await?;
            let text = |name: &str| rows[0].text(name);
            let on = |v: &str| v == "on";
            Ok(vec![
                DurabilitySetting::new("server_version", text("server_version")?, |_| true),
                DurabilitySetting::new("fsync", text("fsync")?, on),
                DurabilitySetting::new("full_page_writes", text("full_page_writes")?, on),
                DurabilitySetting::new("synchronous_commit", text("synchronous_commit")?, |v| {
                    matches!(v, "on" | "local" | "remote_write" | "remote_apply")
                }),
            ])
        }
    }
}

/// Splits a version such as `3.51.3` into its numbers.
fn parts(version: &str) -> [u32; 3] {
    let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
    std::array::from_fn(|_| numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_their_numbers() {
        assert!(parts("3.51.3") >= SQLITE_SAFE);
        assert!(parts("3.100.0") > SQLITE_SAFE);
        assert!(parts("3.51.2") < SQLITE_SAFE);
        assert!(parts("3.9") < SQLITE_SAFE);
    }
}
