//! The database that a command uses, and the options to open it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use abide_engine::base::{Digest, IdSource};
use abide_engine::clock::Clock;
use abide_engine::gateway::Loopback;
use abide_engine::store::{Address, Durability, NoFaults, StoreOptions};
use abide_simulator::domains;

/// Default database: an embedded file.
pub(crate) const DEFAULT_ADDRESS: &str = ".abide/abide.db";

/// Folder in which this program creates its own files.
const FOLDER: &str = ".abide";

/// Name of the default folder of stored files.
const FILES: &str = "files";

/// Returns the address given with `--db`, else [`DEFAULT_ADDRESS`].
#[must_use]
pub(crate) fn address(given: Option<&str>) -> Address {
    Address::parse(given.unwrap_or(DEFAULT_ADDRESS))
}

/// Name of the default folder of archives.
const ARCHIVE: &str = "archive";

/// Returns the folder of archives: the one given, else the folder `archive` beside the database file, or in the folder
/// of this program if the database is on a server.
#[must_use]
pub(crate) fn archive_folder(given: Option<&Path>, address: &Address) -> PathBuf {
    match (given, address) {
        (Some(folder), _) => folder.to_owned(),
        (None, Address::Sqlite(file)) => file.with_file_name(ARCHIVE),
        (None, Address::Postgres(_)) => Path::new(FOLDER).join(ARCHIVE),
    }
}

/// Returns the folder of stored files: the one given with `--files`, else the folder `files` beside the
/// database file, or in the folder of this program if the database is on a server.
#[must_use]
pub(crate) fn files_folder(given: Option<&Path>, address: &Address) -> PathBuf {
    match (given, address) {
        (Some(folder), _) => folder.to_owned(),
        (None, Address::Sqlite(file)) => file.with_file_name(FILES),
        (None, Address::Postgres(_)) => Path::new(FOLDER).join(FILES),
    }
}

/// Returns the options to open a store for production: every commit is flushed, no faults are injected.
#[must_use]
pub(crate) fn store_options(address: Address, clock: Arc<dyn Clock>) -> StoreOptions {
    StoreOptions {
        address,
        migrations: domains::migrations(),
        durability: Durability::Full,
        clock,
        database_clock: None,
        ids: Arc::new(IdSource::seeded(crate::random::fresh_seed())),
        faults: Arc::new(NoFaults),
        queue_max: abide_engine::base::limits::WRITER_QUEUE_MAX,
    }
}

/// Creates the loopback gateway of a database. The gateway records its messages in a file, so that it still
/// knows the messages after a crash of the process, as a real provider does.
#[must_use]
pub(crate) fn loopback(address: &Address) -> Loopback {
    Loopback::in_file(match address {
        Address::Sqlite(path) => {
            let mut name = path.clone().into_os_string();
            name.push(".loopback");
            PathBuf::from(name)
        }
        Address::Postgres(url) => {
            // An error is ignored here: if there is no folder, sending a message reports an error.
            let _ = std::fs::create_dir_all(FOLDER);
            let name = format!("loopback-{}.jsonl", Digest::of(url.as_bytes()).short());
            PathBuf::from(FOLDER).join(name)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_beside_the_database_file() {
        let folder = |given, database| {
            files_folder(given, &address(database)).to_str().map(str::to_owned).unwrap_or_default()
        };
        assert_eq!(folder(None, None), ".abide/files");
        assert_eq!(folder(None, Some("shop/t.db")), "shop/files");
        assert_eq!(folder(None, Some("t.db")), "files");
        assert_eq!(folder(None, Some("postgres://db.example/abide")), ".abide/files");
        assert_eq!(folder(Some(Path::new("media")), None), "media");
    }
}
