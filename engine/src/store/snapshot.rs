//! Reads from the database: from one consistent snapshot, or with a single statement.

use futures_util::future::BoxFuture;

use super::conn::Conn;
use super::dialect::Dialect;
use super::erased::{ErasedWork, erase};
use super::error::StoreError;
use super::faults::WorkKind;
use super::member::panicked;
use super::postgres;
use super::sqlite;
use super::store::{Pools, Store};
use super::tx::Tx;
use crate::base::Problem;

impl Store {
    /// Reads from one consistent snapshot. The read runs in its own task,
    /// so that no statement is interrupted when the caller's future is dropped.
    pub async fn read<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        let (work, slot) = erase(work);
        self.in_own_task(Extent::Snapshot, work).await?;
        slot.take()
    }

    /// Reads with one statement, which needs no transaction.
    /// On PostgreSQL, such a read takes one round trip instead of three.
    ///
    /// # Errors
    /// `internal` if `work` runs more than one statement,
    /// because two statements might not see the same state.
    pub async fn read_one<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        let (work, slot) = erase(work);
        self.in_own_task(Extent::OneStatement, work).await?;
        slot.take()
    }

    /// Runs a read in its own task. The future is boxed, because the
    /// future that drives a run contains the future of the read. Without the
    /// box, the futures would be nested deeper than the compiler allows.
    fn in_own_task(&self, extent: Extent, work: ErasedWork) -> BoxFuture<'_, Result<(), Problem>> {
        Box::pin(async move {
            self.committer.health.check()?;
            let permit = self.committer.permit(WorkKind::Read).await;
            let tx = Tx::new(self.reader().await?, self.source.clone());
            let reading = Box::pin(async move {
                let _permit = permit;
                extent.read(tx, work).await
            });
            let ended = match self.dialect() {
                Dialect::Sqlite => sqlite::on_a_thread(reading).await,
                Dialect::Postgres => tokio::spawn(reading).await,
            };
            match ended {
                Ok(answer) => answer,
                Err(ended) if ended.is_panic() => Err(panicked(&*ended.into_panic())),
                Err(_) => {
                    Err(StoreError::Unavailable("the process is shutting down".into()).into())
                }
            }
        })
    }

    async fn reader(&self) -> Result<Conn, StoreError> {
        let conn = match &self.pools {
            Pools::Sqlite { readers, .. } => Conn::from(readers.lend().await?),
            Pools::Postgres { readers, .. } => {
                Conn::from(postgres::connection(readers, &self.committer).await?)
            }
        };
        Ok(conn.with_faults(self.committer.faults()))
    }
}

/// How much one read may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// All statements see the same state.
    Snapshot,
    /// The read is one statement.
    OneStatement,
}

impl Extent {
    async fn read(self, tx: Tx, mut work: ErasedWork) -> Result<(), Problem> {
        let mut read = Snapshot { tx, ended: false };
        if self == Self::OneStatement {
            let result = work(&mut read.tx).await;
            read.ended = true;
            return match read.tx.conn.sent() {
                0 | 1 => result,
                _ => Err(Problem::bug("`read_one` ran more than one statement")),
            };
        }
        let begin = match read.tx.dialect() {
            Dialect::Sqlite => "BEGIN",
            Dialect::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        read.tx.conn.batch(begin).await?;
        let result = work(&mut read.tx).await;
        read.ended = read.tx.conn.batch("ROLLBACK").await.is_ok();
        result
    }
}

/// A read in progress. If its closure panics or the runtime stops, the connection is closed.
/// If the connection were used again, the next reader would find the old transaction still open.
struct Snapshot {
    tx: Tx,
    ended: bool,
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if !self.ended {
            self.tx.conn.close_on_drop();
        }
    }
}
