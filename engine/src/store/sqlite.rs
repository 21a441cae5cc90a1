//! Opens the embedded SQLite database in WAL mode, with
//! one writing connection and several reading connections.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, SqliteConnection};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::StoreError;
use super::wal;
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

/// Maximum number of reading connections, in addition to the writing connection.
const READERS_MAX: usize = 4;
/// How long a statement waits for a lock that another process holds,
/// for example while that process copies the write-ahead log back.
const BUSY: std::time::Duration = std::time::Duration::from_secs(5);
/// Number of prepared statements that a connection caches:
/// more than the engine has, so that no statement is parsed twice.
const STATEMENTS_KEPT: usize = 512;
/// Maximum number of attempts to open a file that other processes are opening for the first time. SQLite
/// switches a new file to WAL mode under an exclusive lock. If another process holds this lock, SQLite does
/// not wait but fails at once, to avoid a deadlock.
/// A file is switched only once, so SQLite fails in this way only while the file is new.
const OPEN_TRIES: u32 = 100;
/// Pause between two attempts to open a file. All attempts together last as long as `BUSY`.
const OPEN_PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

/// The reading connections, each opened when it is first needed. They are not in a pool of sqlx, because
/// such a pool checks a connection whenever the connection is borrowed or returned. With SQLite, another
/// thread would have to make each check, which would take as long as a statement.
#[derive(Clone)]
pub(super) struct Readers {
    options: Arc<SqliteConnectOptions>,
    room: Arc<Semaphore>,
    idle: Idle,
}

type Idle = Arc<Mutex<Vec<SqliteConnection>>>;

/// A connection to an embedded database. Dropping this value gives the connection back to the readers that
/// lent it, if any did and it is still open.
pub(super) struct Link {
    conn: Option<SqliteConnection>,
    lent: Option<(Idle, OwnedSemaphorePermit)>,
}

impl Readers {
    fn new(options: SqliteConnectOptions) -> Self {
        let room = Arc::new(Semaphore::new(READERS_MAX));
        Self { options: Arc::new(options), room, idle: Arc::default() }
    }

    /// Returns the file of the database.
    pub(super) fn path(&self) -> std::path::PathBuf {
        self.options.get_filename().to_owned()
    }

    /// Lends a connection. Waits while [`READERS_MAX`] connections are lent.
    pub(super) async fn lend(&self) -> Result<Link, StoreError> {
        let room = Arc::clone(&self.room).acquire_owned().await;
        let room = room.map_err(|_| StoreError::Unavailable("the readers are closed".into()))?;
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let conn = match idle {
            Some(conn) => conn,
            None => self.options.connect().await?,
        };
        Ok(Link { conn: Some(conn), lent: Some((Arc::clone(&self.idle), room)) })
    }
}

impl Link {
    /// Returns the connection. Fails if the connection was closed.
    pub(super) fn open(&mut self) -> Result<&mut SqliteConnection, StoreError> {
        let closed = || StoreError::Unavailable("the connection is closed".into());
        self.conn.as_mut().ok_or_else(closed)
    }

    /// Closes the connection, because its state is not known.
    pub(super) fn close(&mut self) {
        self.conn = None;
    }
}

impl From<SqliteConnection> for Link {
    fn from(conn: SqliteConnection) -> Self {
        Self { conn: Some(conn), lent: None }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let (Some(conn), Some((idle, _room))) = (self.conn.take(), self.lent.take()) {
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(conn);
        }
    }
}

/// Opens a database file, and creates it if it does not exist. Returns the writing connection,
/// and the source of reading connections.
pub(super) async fn open(path: &Path, durability: Durability) -> Result<(Link, Readers), Problem> {
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
        .foreign_keys(true) // as PostgreSQL always does
        .pragma("secure_delete", "ON")
        .pragma("wal_autocheckpoint", wal::COPIED_AT_PAGES)
        .pragma("journal_size_limit", wal::KEPT_BYTES)
        .statement_cache_capacity(STATEMENTS_KEPT)
        .busy_timeout(BUSY);
    let writer = writer(&options).await.map_err(|e| damaged_or_unreachable(path, e))?;
    Ok((writer.into(), Readers::new(options.pragma("query_only", "ON"))))
}

/// Opens a file without changing it, unlike [`open`], which switches even a foreign file to WAL.
/// Returns `None` if the file is missing or empty, or if it cannot be opened.
/// [`open`] then creates the file, or reports why it cannot be opened.
pub(super) async fn peek(path: &Path) -> Option<Link> {
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    if bytes == 0 {
        return None;
    }
    let options = SqliteConnectOptions::new().filename(path).read_only(true).busy_timeout(BUSY);
    options.connect().await.ok().map(Link::from)
}

async fn writer(options: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    for _ in 1..OPEN_TRIES {
        match options.connect().await {
            Err(e) if is_locked(&e) => pause().await,
            done => return done,
        }
    }
    options.connect().await
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
        .with_hint("check that the folder exists, is writable and has free space")
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
