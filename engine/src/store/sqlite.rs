//! The embedded database: WAL, every commit flushed, one writer, some readers.

use std::path::Path;

use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use super::error::StoreError;
use super::wal;
use crate::base::Problem;

/// How surely a commit is on the disk when it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Flushed: the only mode outside the simulator.
    #[default]
    Full,
    /// Left to the operating system: the simulator crashes processes, not machines.
    SimulatorOnly,
}

/// Readers beside the one writer: more than this many pages at once nobody looks at.
const READERS_MAX: u32 = 4;
/// How long a statement waits for another process that reads or checkpoints.
const BUSY: std::time::Duration = std::time::Duration::from_secs(5);
/// Prepared statements that a connection keeps: every text of ours, so that none is parsed twice.
const STATEMENTS_KEPT: usize = 512;
/// Looks at a file that others are opening for the first time. SQLite switches a file to WAL under an
/// exclusive lock and, to rule out a deadlock of two that switch, never waits for it: whoever comes
/// second is told "locked" at once. The switch happens once in the life of a file.
const OPEN_TRIES: u32 = 100;
/// Between two looks; with the tries as long as `BUSY`.
const OPEN_PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

pub(super) struct Pools {
    pub(super) writer: SqlitePool,
    pub(super) readers: SqlitePool,
}

pub(super) async fn open(path: &Path, durability: Durability) -> Result<Pools, Problem> {
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|e| unreachable(path, &e.to_string()))?;
    }
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(match durability {
            Durability::Full => SqliteSynchronous::Full,
            Durability::SimulatorOnly => SqliteSynchronous::Off,
        })
        .foreign_keys(false)
        .pragma("secure_delete", "ON")
        .pragma("wal_autocheckpoint", wal::COPIED_AT_PAGES)
        .pragma("journal_size_limit", wal::KEPT_BYTES)
        .statement_cache_capacity(STATEMENTS_KEPT)
        .busy_timeout(BUSY);
    let writer = writer(&options).await.map_err(|e| damaged_or_unreachable(path, e))?;
    let readers = SqlitePoolOptions::new()
        .max_connections(READERS_MAX)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_lazy_with(options.pragma("query_only", "ON"));
    Ok(Pools { writer, readers })
}

/// A connection that only looks at a file: opening in earnest changes even a foreign one, for it
/// switches it to WAL. None where there is no file, or where opening in earnest must say what is wrong.
pub(super) async fn peek(path: &Path) -> Option<SqlitePool> {
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    if bytes == 0 {
        return None;
    }
    let options = SqliteConnectOptions::new().filename(path).read_only(true).busy_timeout(BUSY);
    let pool = SqlitePoolOptions::new().max_connections(1).idle_timeout(None).max_lifetime(None);
    pool.connect_with(options).await.ok()
}

async fn writer(options: &SqliteConnectOptions) -> Result<SqlitePool, sqlx::Error> {
    let pool = SqlitePoolOptions::new().max_connections(1).idle_timeout(None).max_lifetime(None);
    for _ in 1..OPEN_TRIES {
        match pool.clone().connect_with(options.clone()).await {
            Err(e) if is_locked(&e) => pause().await,
            done => return done,
        }
    }
    pool.connect_with(options.clone()).await
}

fn is_locked(error: &sqlx::Error) -> bool {
    const BUSY_OR_LOCKED: [&str; 2] = ["5", "6"];
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| BUSY_OR_LOCKED.contains(&&*code))
}

#[expect(clippy::disallowed_methods, reason = "no run waits here: the file is not open yet")]
async fn pause() {
    tokio::time::sleep(OPEN_PAUSE).await;
}

fn unreachable(path: &Path, detail: &str) -> Problem {
    Problem::operator("database_unreachable", format!("cannot open `{}`", path.display()))
        .with_detail(detail)
        .with_hint("check that the folder exists, may be written and has room")
}

fn damaged_or_unreachable(path: &Path, error: sqlx::Error) -> Problem {
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
