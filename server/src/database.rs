//! The database that a command uses, and the options to open it.

use std::path::PathBuf;
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

/// Returns the address given with `--db`, else [`DEFAULT_ADDRESS`].
#[must_use]
pub(crate) fn address(given: Option<&str>) -> Address {
    Address::parse(given.unwrap_or(DEFAULT_ADDRESS))
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
