//! The engine: one database and its driver.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::base::{Problem, Timestamp};
use crate::clock::Clock;
use crate::driver::{self, Core, Settled};
use crate::library::Library;
use crate::store::{Dialect, Tx};
use crate::transaction;

/// A running engine: one database and its driver. A clone is cheap.
#[derive(Clone)]
pub struct Engine {
    pub(crate) core: Arc<Core>,
    /// The lock on an embedded file, held as long as the engine exists. Only one process may drive a file.
    pub(super) lock: Option<Arc<std::sync::Mutex<crate::store::DriverLock>>>,
    pub(super) virtual_clock: Option<Arc<crate::clock::VirtualClock>>,
    /// A mutex that is held while the virtual clock is moved.
    pub(super) advancing: Arc<tokio::sync::Mutex<()>>,
}

/// A key to read from the table `meta`. It need not exist: any result shows that the database answers.
const PROBE_KEY: &str = "any";

impl Engine {
    /// Does all work that is due now, until none is left. In a process that serves,
    /// the parts of the driver do the work anyway, and this only waits until they are idle.
    pub async fn tick(&self) -> Result<Settled, Problem> {
        driver::settle(&self.core).await
    }

    /// Drives the database until the value of `shutdown` is true.
    pub async fn serve(&self, shutdown: watch::Receiver<bool>) {
        driver::serve(Arc::clone(&self.core), shutdown).await;
    }

    /// Returns the current time of the domain's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.core.now()
    }

    /// Returns the domain's clock.
    #[must_use]
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.core.clock)
    }

    /// Returns the library: the methods, templates and contracts
    /// that new runs start with, unless a version is published.
    #[must_use]
    pub fn library(&self) -> Arc<Library> {
        self.core.library()
    }

    /// Returns the kind of the database: SQLite or PostgreSQL.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.core.store.dialect()
    }

    /// Writes a string, such as the server's URL, to the lock file. Other processes that find
    /// the embedded file in use read it there. Does nothing if the database is not an embedded file.
    ///
    /// # Errors
    /// `lock_unwritable`.
    pub fn announce(&self, text: &str) -> Result<(), Problem> {
        let Some(lock) = &self.lock else { return Ok(()) };
        let mut lock = lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        lock.announce(text).map_err(|e| {
            Problem::operator("lock_unwritable", "cannot write the lock file")
                .with_detail(e.to_string())
        })
    }

    /// Runs `work` on one consistent snapshot of the database.
    pub async fn read<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.core.store.read(work).await
    }

    /// Runs `work` in one transaction, which is committed if `work` succeeds.
    /// May run `work` more than once.
    pub async fn write<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.core.store.write(work).await
    }

    /// Like [`Engine::write`], but fails instead of waiting if the queue is full.
    /// This is for callers that can try again later.
    ///
    /// # Errors
    /// `overloaded` if the queue is full; otherwise the problem that `work` returns.
    pub async fn try_write<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.core.store.try_write(work).await
    }

    /// Checks whether this process can work.
    ///
    /// # Errors
    /// A problem if writes cannot succeed any more; `schema_newer`
    /// if this program does not know the database's schema; `clock_skewed` if the clock is too far off.
    pub fn ready(&self) -> Result<(), Problem> {
        self.check()?;
        self.core.claims.status.check_schema()?;
        self.core.claims.status.check_clock()
    }

    /// Checks whether the database answers now.
    ///
    /// # Errors
    /// A problem if the database does not answer.
    pub async fn reach_database(&self) -> Result<(), Problem> {
        let task = transaction!(|tx| Ok(tx.meta(PROBE_KEY).await?));
        self.core.store.read(task).await.map(drop)
    }

    /// Releases the runs that a crashed process left claimed.
    /// This is only for a process that does not share its database, as in a simulation.
    /// Among processes that share a database, leases show which of them have crashed.
    pub async fn release_crashed_claims(&self) -> Result<(), Problem> {
        self.core.claims.take_over().await
    }

    /// Checks whether another program has migrated the database to a schema that this program does not
    /// know. If so, this process takes no more work. A process that serves checks this at each heartbeat.
    pub async fn check_schema(&self) -> Result<(), Problem> {
        driver::check_schema(&self.core).await
    }

    /// Checks whether writes can still succeed.
    ///
    /// # Errors
    /// A problem if writes cannot succeed any more.
    pub fn check(&self) -> Result<(), Problem> {
        self.core.store.check().map_err(Problem::from)
    }
}
