//! Opens the embedded SQLite database in WAL mode, with
//! one writing connection and several reading connections.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::super::error::StoreError;
use super::super::wal;
use super::link::Link;
use super::readers::Readers;
use crate::base::Problem;

/// How safely a commit is stored at the moment at which its success is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// The commit is flushed to the disk. This is the only mode outside the simulator.
    #[default]
    Full,
    /// The commit is handed to the operating system, which may write it later.
    /// Such a commit survives a crash of the process, and the simulator crashes only processes.
    SimulatorOnly,
}

/// How long a statement waits for a lock that another process holds,
/// for example while that process copies the write-ahead log back.
const BUSY: std::time::Duration = std::time::Duration::from_secs(5);
/// Number of prepared statements that a connection caches:
/// more than the engine has, so that no statement is parsed twice.
const STATEMENTS_KEPT: usize = 1024;
/// Size of the cache of the writing connection, in KiB with a minus sign. It holds the pages that a batch changes: without room
/// for them, SQLite writes pages to the log before the commit, and writes them again with it.
const WRITER_CACHE: &str = "-16384";
/// Maximum number of attempts to open a file that other processes are opening for the first time. SQLite
/// switches a new file to WAL mode under an exclusive lock. If another process holds this lock, SQLite does
/// not wait but fails at once, to avoid a deadlock.
/// A file is switched only once, so SQLite fails in this way only while the file is new.
const OPEN_TRIES: u32 = 100;
/// Pause between two attempts to open a file. All attempts together last as long as `BUSY`.
const OPEN_PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

/// How a connection to an embedded database is opened.
pub(super) struct ConnectionOptions {
    pub(super) path: PathBuf,
    durability: Durability,
    /// Whether the connection refuses to change anything.
    only_reads: bool,
}

impl ConnectionOptions {
    /// Opens a connection. Creates the file if it does not exist.
    pub(super) fn connect(&self) -> Result<Connection, rusqlite::Error> {
        let conn =
            Connection::open_with_flags(&self.path, flags(OpenFlags::SQLITE_OPEN_READ_WRITE))?;
        conn.busy_timeout(BUSY)?;
        conn.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
        let synchronous = match self.durability {
            Durability::Full => "FULL",
            Durability::SimulatorOnly => "OFF",
        };
        let only_reads = if self.only_reads { "ON" } else { "OFF" };
        // `foreign_keys`, as PostgreSQL always checks them.
        let pragmas = [
            ("journal_mode", "WAL"),
            ("synchronous", synchronous),
            ("foreign_keys", "ON"),
            ("secure_delete", "ON"),
            ("wal_autocheckpoint", wal::COPIED_AT_PAGES),
            ("journal_size_limit", wal::KEPT_BYTES),
            ("query_only", only_reads),
        ];
        // A statement that fails half-way is undone from a journal of its own, which need not be in a file.
        let of_writer = [("cache_size", WRITER_CACHE), ("temp_store", "MEMORY")];
        let of_writer = of_writer.into_iter().filter(|_| !self.only_reads);
        for (pragma, value) in pragmas.into_iter().chain(of_writer) {
            conn.execute_batch(&format!("PRAGMA {pragma} = {value}"))?;
        }
        Ok(conn)
    }
}

/// Returns the flags of a connection that one thread at a time uses.
fn flags(access: OpenFlags) -> OpenFlags {
    let create = match access.contains(OpenFlags::SQLITE_OPEN_READ_WRITE) {
        true => OpenFlags::SQLITE_OPEN_CREATE,
        false => OpenFlags::empty(),
    };
    access | create | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_PRIVATE_CACHE
}

/// Opens a database file, and creates it if it does not exist. Returns the writing connection,
/// and the source of reading connections.
pub(in crate::store) async fn open(
    path: &Path,
    durability: Durability,
) -> Result<(Link, Readers), Problem> {
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|e| unreachable(path, &e.to_string()))?;
    }
    let options = |only_reads| ConnectionOptions { path: path.to_owned(), durability, only_reads };
    let writer = writer(&options(false)).await.map_err(|e| damaged_or_unreachable(path, e))?;
    Ok((writer.into(), Readers::new(options(true))))
}

/// Opens a file without changing it, unlike [`open`], which switches even a foreign file to WAL.
/// Returns `None` if the file is missing or empty, or if it cannot be opened.
/// [`open`] then creates the file, or reports why it cannot be opened.
pub(in crate::store) fn peek(path: &Path) -> Option<Link> {
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    if bytes == 0 {
        return None;
    }
    let conn = Connection::open_with_flags(path, flags(OpenFlags::SQLITE_OPEN_READ_ONLY)).ok()?;
    conn.busy_timeout(BUSY).ok()?;
    Some(Link::from(conn))
}

async fn writer(options: &ConnectionOptions) -> Result<Connection, rusqlite::Error> {
    for _ in 1..OPEN_TRIES {
        match options.connect() {
            Err(e) if is_locked(&e) => pause().await,
            done => return done,
        }
    }
    options.connect()
}

fn is_locked(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

#[expect(clippy::disallowed_methods, reason = "no run waits here: the file is not open yet")]
async fn pause() {
    tokio::time::sleep(OPEN_PAUSE).await;
}

fn unreachable(path: &Path, detail: &str) -> Problem {
    Problem::operator("database_unreachable", format!("cannot open `{}`", path.display()))
        .with_detail(detail)
        .with_hint("check that the folder exists, is writable and has free space")
}

fn damaged_or_unreachable(path: &Path, error: rusqlite::Error) -> Problem {
    let detail = error.to_string();
    match StoreError::from(error) {
        StoreError::Broken(_) => Problem::operator(
            "database_damaged",
            format!("`{}` is not an intact abide database", path.display()),
        )
        .with_detail(detail)
        .with_hint("restore the last backup, or name another file with `--db`"),
        _ => unreachable(path, &detail),
    }
}
