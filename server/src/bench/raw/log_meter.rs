//! Measures the bytes written to the write-ahead log.

use abide_engine::base::Problem;
use abide_engine::store::Address;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _};

use super::failed;

/// Size in bytes of a frame in SQLite's write-ahead log: a page and the header of the frame.
const FRAME_BYTES: f64 = 4096.0 + 24.0;

/// Measures the write-ahead log of one database.
pub(in crate::bench) enum LogMeter {
    /// On SQLite, an open read snapshot prevents a reset of the log. The log therefore only grows,
    /// and its growth is the amount written.
    Sqlite { conn: Box<SqliteConnection>, log: std::path::PathBuf },
    /// On PostgreSQL, the server reports its position in the log; `from` is the position at the beginning.
    Postgres { conn: Box<PgConnection>, from: i64 },
}

/// Amount of data written to the write-ahead log.
#[derive(Debug, Clone, Copy)]
pub(in crate::bench) struct LogVolume {
    pub(in crate::bench) bytes: f64,
    /// Number of pages, if the log consists of pages.
    pub(in crate::bench) pages: Option<f64>,
}

impl LogVolume {
    /// Returns the average amount of log per operation, for `n` operations.
    pub(in crate::bench) fn per(self, n: u64) -> Self {
        let n = n.max(1) as f64;
        Self { bytes: (self.bytes / n).round(), pages: self.pages.map(|pages| pages / n) }
    }
}

const LOG_POSITION: &str =
    "SELECT CAST(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS BIGINT)";

impl LogMeter {
    /// Begins to measure. Until [`Self::end`], only the measured work may write to the database.
    pub(in crate::bench) async fn begin(address: &Address) -> Result<Self, Problem> {
        let failed = failed("watch the log");
        match address {
            Address::Sqlite(path) => {
                let options = SqliteConnectOptions::new().filename(path);
                let mut conn = options.connect().await.map_err(&failed)?;
                let text = "PRAGMA wal_checkpoint(TRUNCATE); BEGIN; SELECT COUNT(*) FROM meta";
                conn.execute(sqlx::raw_sql(text)).await.map_err(&failed)?;
                let mut log = path.clone().into_os_string();
                log.push("-wal");
                Ok(Self::Sqlite { conn: Box::new(conn), log: log.into() })
            }
            Address::Postgres(url) => {
                let mut conn = PgConnection::connect(url).await.map_err(&failed)?;
                let from = sqlx::query_scalar(LOG_POSITION).fetch_one(&mut conn).await;
                Ok(Self::Postgres { conn: Box::new(conn), from: from.map_err(&failed)? })
            }
        }
    }

    /// Returns the amount of data written to the log since [`Self::begin`].
    pub(in crate::bench) async fn end(self) -> Result<LogVolume, Problem> {
        let failed = failed("read the log's length");
        match self {
            Self::Sqlite { mut conn, log } => {
                let bytes = std::fs::metadata(&log).map_or(0, |file| file.len()) as f64;
                conn.execute(sqlx::raw_sql("ROLLBACK")).await.map_err(&failed)?;
                conn.close().await.map_err(&failed)?;
                Ok(LogVolume { bytes, pages: Some(bytes / FRAME_BYTES) })
            }
            Self::Postgres { mut conn, from } => {
                let to: Result<i64, _> =
                    sqlx::query_scalar(LOG_POSITION).fetch_one(&mut *conn).await;
                let to = to.map_err(&failed)?;
                conn.close().await.map_err(&failed)?;
                Ok(LogVolume { bytes: (to - from) as f64, pages: None })
            }
        }
    }
}
