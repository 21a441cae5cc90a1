//! A connection to the database without the engine.

use abide_engine::base::Problem;
use abide_engine::store::Address;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _};

use super::failed;

/// A connection to SQLite or to PostgreSQL.
pub(super) enum Conn {
    Sqlite(Box<SqliteConnection>),
    Postgres(Box<PgConnection>),
}

/// Runs the same code on a connection to SQLite or to PostgreSQL.
macro_rules! with {
    ($conn:expr, $name:ident => $work:expr) => {
        match $conn {
            Conn::Sqlite(conn) => {
                let $name = conn.as_mut();
                $work
            }
            Conn::Postgres(conn) => {
                let $name = conn.as_mut();
                $work
            }
        }
    };
}

pub(super) use with;

impl Conn {
    /// Connects to the database with the same settings as the engine's writer.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(super) async fn open(address: &Address) -> Result<Self, Problem> {
        match address {
            Address::Sqlite(path) => {
                let options = SqliteConnectOptions::new()
                    .filename(path)
                    .journal_mode(SqliteJournalMode::Wal)
                    .synchronous(SqliteSynchronous::Full)
                    .foreign_keys(false)
                    .pragma("secure_delete", "ON");
                Ok(Self::Sqlite(Box::new(options.connect().await.map_err(failed("connect"))?)))
            }
            Address::Postgres(url) => {
                let conn = PgConnection::connect(url).await.map_err(failed("connect"))?;
                Ok(Self::Postgres(Box::new(conn)))
            }
        }
    }

    /// Begins a transaction that writes.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(super) async fn begin(&mut self) -> Result<(), Problem> {
        let begun = match self {
            Self::Sqlite(conn) => conn.execute(sqlx::raw_sql("BEGIN IMMEDIATE")).await.map(drop),
            Self::Postgres(conn) => conn.execute(sqlx::raw_sql("BEGIN")).await.map(drop),
        };
        begun.map_err(failed("begin"))
    }

    /// Commits the open transaction.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(super) async fn commit(&mut self) -> Result<(), Problem> {
        let done = with!(self, conn => {
            conn.execute(sqlx::raw_sql("COMMIT")).await.map(drop)
        });
        done.map_err(failed("commit"))
    }
}
