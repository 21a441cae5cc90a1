//! The engine: one database and its driver.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::base::{Problem, Timestamp, Value};
use crate::boxed;
use crate::clock::Clock;
use crate::driver::{self, Core, Settled};
use crate::library::Library;
use crate::model::ModelRequest;
use crate::store::{Dialect, Tx};
use crate::transaction;

/// A running engine: one database and its driver. Clones are cheap and share the same database and driver.
#[derive(Clone)]
pub struct Engine {
    pub(crate) core: Arc<Core>,
    /// The lock that lets only one process at a time drive a SQLite file.
    /// The lock is kept as long as the engine exists. `None` for PostgreSQL.
    pub(super) lock: Option<Arc<std::sync::Mutex<crate::store::DriverLock>>>,
    pub(super) virtual_clock: Option<Arc<crate::clock::VirtualClock>>,
    /// A mutex that is locked while the virtual clock is being advanced.
    pub(super) advancing: Arc<tokio::sync::Mutex<()>>,
}

/// The key that [`Engine::reach_database`] reads from the table `meta`.
/// The key need not exist: any result shows that the database answers.
const PROBE_KEY: &str = "any";

impl Engine {
    /// Runs the driver until nothing more is due now.
    /// In a process that runs [`Self::serve`], only waits until the driver is idle.
    #[boxed]
    pub async fn tick(&self) -> Result<Settled, Problem> {
        driver::settle(&self.core).await
    }

    /// Wakes the driver for work that a caller's transaction has made due. In a process that drives in line, does the
    /// work.
    ///
    /// # Errors
    /// The errors of the driver.
    #[boxed]
    pub async fn take_up_due_work(&self) -> Result<(), Problem> {
        self.core.bells.ring_all();
        self.settle().await.map(drop)
    }

    /// Whether there is a language model to ask.
    #[must_use]
    pub fn has_model(&self) -> bool {
        self.core.model.is_some()
    }

    /// Asks the language model, within the tokens of the day. Returns its proposal if it fits the schema of the request;
    /// `None` if there is no model, if it has failed, or if the day's tokens are used up. Must not be awaited inside a
    /// transaction.
    #[boxed]
    pub async fn propose(&self, request: &ModelRequest) -> Option<Arc<Value>> {
        driver::ask_model(&self.core, request).await
    }

    /// Runs the driver until the value of `shutdown` is true.
    #[boxed]
    pub async fn serve(&self, shutdown: watch::Receiver<bool>) {
        driver::serve(Arc::clone(&self.core), shutdown).await;
    }

    /// Returns the current time of the domain's clock, which may be virtual.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.core.now()
    }

    /// Returns the clock that domain times, such as deadlines, are measured with. It may be virtual.
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

    /// Writes a string, such as the server's URL, to the lock file of a SQLite database.
    /// Another process that finds the database in use reads the string there.
    /// Does nothing for PostgreSQL.
    ///
    /// # Errors
    /// `lock_unwritable` if the lock file cannot be written.
    pub fn announce(&self, text: &str) -> Result<(), Problem> {
        let Some(lock) = &self.lock else { return Ok(()) };
        let mut lock = lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        lock.announce(text).map_err(|e| {
            Problem::operator("lock_unwritable", "cannot write the lock file")
                .with_detail(e.to_string())
        })
    }

    /// Runs `work` on one consistent snapshot of the database, and returns the result of `work`.
    pub async fn read<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.core.store.read(work).await
    }

    /// Runs `work` in one transaction, and commits the transaction if `work` succeeds.
    /// If the database aborts the transaction, runs `work` again in a new one.
    pub async fn write<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.core.store.write(work).await
    }

    /// Like [`Engine::write`], but fails instead of waiting if the queue of writes is full.
    /// Use it for callers that can try again later.
    ///
    /// # Errors
    /// `overloaded` if the queue of writes is full; otherwise the problem that `work` returns.
    pub async fn try_write<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<T, Problem>> + Send + 'static,
    {
        self.core.store.try_write(work).await
    }

    /// Checks that this process can drive runs and accept changes.
    ///
    /// # Errors
    /// The error of [`Self::check`] if writes cannot succeed any more; `schema_newer` if a newer program
    /// has migrated the database; `clock_skewed` if the machine's clock is too far off.
    pub fn ready(&self) -> Result<(), Problem> {
        self.check()?;
        self.core.claims.status.check_schema()?;
        self.core.claims.status.check_clock()
    }

    /// Checks that the database answers now.
    ///
    /// # Errors
    /// The problem of the store, such as `database_unavailable`, if the database does not answer.
    #[boxed]
    pub async fn reach_database(&self) -> Result<(), Problem> {
        let task = transaction!(|tx| Ok(tx.meta(PROBE_KEY).await?));
        self.core.store.read(task).await.map(drop)
    }

    /// Releases the runs whose owner crashed before it released them.
    /// Call this only in a process that is alone on its database, as in a simulation.
    /// Processes that share a database recover such runs when the crashed process's lease expires.
    #[boxed]
    pub async fn release_crashed_claims(&self) -> Result<(), Problem> {
        self.core.claims.take_over().await
    }

    /// Checks whether a newer program has migrated the database to a schema that this program
    /// does not know. If so, this process claims no more runs. `serve` does this check at each heartbeat.
    #[boxed]
    pub async fn check_schema(&self) -> Result<(), Problem> {
        driver::check_schema(&self.core).await
    }

    /// Checks that writes can still succeed.
    ///
    /// # Errors
    /// The error that made the store stop writing, such as a damaged database.
    pub fn check(&self) -> Result<(), Problem> {
        self.core.store.check().map_err(Problem::from)
    }
}
