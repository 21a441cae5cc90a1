//! Reads from the database: from one consistent snapshot, or with a single statement.

use futures_util::future::BoxFuture;

use super::conn::Conn;
use super::dialect::Dialect;
use super::erased::{ErasedWork, erase};
use super::error::StoreError;
use super::faults::WorkKind;
use super::member::panicked;
use super::postgres;
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
        self.in_own_task(Box::pin(self.clone().snapshot(work))).await?;
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
        self.in_own_task(Box::pin(self.clone().one_statement(work))).await?;
        slot.take()
    }

    /// Runs a read in its own task. The futures are boxed, because the
    /// future that drives a run contains the future of the read. Without the
    /// boxes, the futures would be nested deeper than the compiler allows.
    fn in_own_task(
        &self,
        reading: BoxFuture<'static, Result<(), Problem>>,
    ) -> BoxFuture<'_, Result<(), Problem>> {
        Box::pin(async move {
            self.committer.health.check()?;
            let permit = self.committer.permit(WorkKind::Read).await;
            let permitted = async move {
                let _permit = permit;
                reading.await
            };
            match tokio::spawn(permitted).await {
                Ok(answer) => answer,
                Err(ended) if ended.is_panic() => Err(panicked(&*ended.into_panic())),
                Err(_) => {
                    Err(StoreError::Unavailable("the process is shutting down".into()).into())
                }
            }
        })
    }

    async fn snapshot(self, mut work: ErasedWork) -> Result<(), Problem> {
        let conn = self.reader().await?;
        let begin = match self.dialect() {
            Dialect::Sqlite => "BEGIN",
            Dialect::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        let mut snapshot = Snapshot { tx: Tx::new(conn, self.source), ended: false };
        snapshot.tx.conn.begin(begin).await?;
        let result = work(&mut snapshot.tx).await;
        snapshot.ended = snapshot.tx.conn.roll_back().await.is_ok();
        result
    }

    async fn one_statement(self, mut work: ErasedWork) -> Result<(), Problem> {
        let mut read = Snapshot { tx: Tx::new(self.reader().await?, self.source), ended: false };
        let result = work(&mut read.tx).await;
        read.ended = true;
        match read.tx.conn.trips() {
            0 | 1 => result,
            _ => Err(Problem::bug("`read_one` ran more than one statement")),
        }
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
