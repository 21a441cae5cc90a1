//! Creates a database from which simulations start.
//! The database is created once, and each simulation gets a copy of the database file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use abide_engine::base::id::IdSource;
use abide_engine::base::{Problem, Timestamp, limits};
use abide_engine::boxed;
use abide_engine::clock::VirtualClock;
use abide_engine::store::{Address, Durability, NoFaults, RunCopy, Store, StoreOptions};
use abide_engine::transaction;
use tempfile::TempDir;

use super::environment::no_folder;
use crate::domains;

/// A database file from which simulations start. Dropping the value deletes the file.
#[derive(Debug)]
pub struct StartDatabase {
    file: PathBuf,
    _folder: TempDir,
}

impl StartDatabase {
    /// Creates a database with the schema and no data.
    ///
    /// # Errors
    /// Returns `simulator_unavailable` if the file cannot be created, and any problem of the database.
    #[boxed]
    pub async fn empty() -> Result<Self, Problem> {
        Self::create(Timestamp::EPOCH, None).await
    }

    /// Creates a database with a copy of a run. The copy was made at the instant `at`.
    ///
    /// # Errors
    /// Returns the errors of [`Self::empty`].
    #[boxed]
    pub async fn with_run(copy: RunCopy, at: Timestamp) -> Result<Self, Problem> {
        Self::create(at, Some(copy)).await
    }

    async fn create(at: Timestamp, copy: Option<RunCopy>) -> Result<Self, Problem> {
        let folder = tempfile::tempdir().map_err(|error| no_folder(&error))?;
        let (draft, file) = (folder.path().join("draft.db"), folder.path().join("template.db"));
        let options = StoreOptions {
            address: Address::Sqlite(draft.clone()),
            migrations: domains::migrations(),
            durability: Durability::SimulatorOnly,
            clock: Arc::new(VirtualClock::starting_at(at)),
            database_clock: None,
            ids: Arc::new(IdSource::seeded(0)),
            faults: Arc::new(NoFaults),
            queue_max: limits::WRITER_QUEUE_MAX,
        };
        Store::migrate(&options).await?;
        if let Some(copy) = copy {
            let copy = Arc::new(copy);
            let store = Store::open(options, Arc::new(|_| {})).await?;
            let put = transaction!([copy], |tx| Ok(tx.put_copy(&copy).await?));
            store.write(put).await?;
        }
        Store::back_up(&draft, &file).await?;
        Ok(Self { file, _folder: folder })
    }

    /// Copies the database to a file for one simulation.
    pub(super) fn copy_to(&self, to: &Path) -> Result<(), Problem> {
        std::fs::copy(&self.file, to).map(drop).map_err(|error| no_folder(&error))
    }
}
