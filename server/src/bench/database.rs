//! Creates the database of the benchmark on a real disk, and deletes the database after the benchmark.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use abide_engine::base::Problem;
use abide_engine::clock::SystemClock;
use abide_engine::store::{Address, DurabilitySetting, Store};
use tempfile::TempDir;

use super::raw::{FreshDatabase, require_durable};
use super::report::DatabaseKind;
use crate::database::store_options;

/// A new database, used only by the benchmark.
pub(super) struct BenchDatabase {
    /// Address of the database.
    pub(super) address: Address,
    pub(super) kind: DatabaseKind,
    /// Settings that decide whether the database can lose committed data.
    pub(super) durability: Vec<DurabilitySetting>,
    storage: Storage,
}

/// The storage that is deleted after the benchmark: a temporary folder, or a database on a server.
enum Storage {
    Folder(TempDir),
    Database(Box<FreshDatabase>),
}

impl BenchDatabase {
    /// Creates a database file in a new temporary folder.
    ///
    /// # Errors
    /// `not_durable` if both the temporary folder and the current folder are in memory.
    pub(super) async fn sqlite() -> Result<Self, Problem> {
        let folder = on_disk([std::env::temp_dir(), PathBuf::from(".")])?;
        let created = tempfile::Builder::new().prefix("abide-bench.").tempdir_in(&folder);
        let created = created.map_err(|e| {
            Problem::operator("database_unreachable", "the benchmark cannot create a folder")
                .with_detail(format!("{}: {e}", folder.display()))
                .with_hint("set `TMPDIR` to a writable folder on a disk")
        })?;
        let address = Address::Sqlite(created.path().join("bench.db"));
        Self::prepare(address, DatabaseKind::Sqlite, Storage::Folder(created)).await
    }

    /// Creates a database on the PostgreSQL server at `url`.
    ///
    /// # Errors
    /// `not_durable` if the server may lose committed data.
    pub(super) async fn postgres(url: &str) -> Result<Self, Problem> {
        let name = format!("abide_bench_{:016x}", crate::random::fresh_seed());
        let created = FreshDatabase::create(url, name).await?;
        let address = Address::Postgres(created.url());
        Self::prepare(address, DatabaseKind::Postgres, Storage::Database(Box::new(created))).await
    }

    /// Checks the durability of a new database, and creates its tables.
    async fn prepare(
        address: Address,
        kind: DatabaseKind,
        storage: Storage,
    ) -> Result<Self, Problem> {
        let mut database = Self { address, kind, durability: Vec::new(), storage };
        let options = store_options(database.address.clone(), Arc::new(SystemClock));
        let prepared = async {
            let facts = Store::durability(&options).await?;
            require_durable(&facts)?;
            Store::migrate(&options).await?;
            Ok(facts)
        };
        match prepared.await {
            Ok(facts) => {
                database.durability = facts;
                Ok(database)
            }
            Err(problem) => {
                database.remove().await?;
                Err(problem)
            }
        }
    }

    /// Deletes the database.
    pub(super) async fn remove(self) -> Result<(), Problem> {
        match self.storage {
            Storage::Folder(folder) => {
                drop(folder);
                Ok(())
            }
            Storage::Database(database) => database.remove().await,
        }
    }
}

/// Returns the first folder that is on a disk.
/// A file system in memory is not suitable: a flush to it costs nothing and makes nothing durable.
fn on_disk(folders: impl IntoIterator<Item = PathBuf>) -> Result<PathBuf, Problem> {
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    let is_disk =
        |folder: &PathBuf| folder.canonicalize().is_ok_and(|path| !is_memory(&mounts, &path));
    folders.into_iter().find(is_disk).ok_or_else(|| {
        Problem::operator("not_durable", "the temporary and the current folder are in memory")
            .with_hint("set `TMPDIR` to a folder on a disk")
    })
}

/// Whether the innermost file system that contains `path` is in memory, according to `/proc/mounts`.
fn is_memory(mounts: &str, path: &Path) -> bool {
    mounts
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ').skip(1);
            Some((words.next()?, words.next()?))
        })
        .filter(|(point, _)| path.starts_with(point))
        .max_by_key(|(point, _)| point.len())
        .is_some_and(|(_, kind)| matches!(kind, "tmpfs" | "ramfs" | "devtmpfs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_decides_whether_a_folder_is_memory() {
        let mounts =
            "/dev/vda / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\n/dev/vdb /tmp/disk ext4 rw 0 0\n";
        for (path, memory) in [
            ("/srv/a", false),
            ("/tmp", true),
            ("/tmp/x", true),
            ("/tmp/disk/x", false),
            ("/tmpx", false),
        ] {
            assert_eq!(is_memory(mounts, Path::new(path)), memory, "{path}");
        }
        assert!(!is_memory("", Path::new("/")), "without known mounts, no folder is refused");
    }
}
