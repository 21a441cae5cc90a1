//! The database that a command means, and what is needed to open it.

use std::path::PathBuf;
use std::sync::Arc;

use abide_engine::base::{Digest, IdSource};
use abide_engine::clock::Clock;
use abide_engine::gateway::Loopback;
use abide_engine::store::{Address, Durability, NoFaults, Options};

/// The embedded file that is used where none is named.
pub(crate) const DEFAULT: &str = ".abide/abide.db";

/// Where this program keeps files of its own.
const FOLDER: &str = ".abide";

/// The address given with `--db`, else [`DEFAULT`].
#[must_use]
pub(crate) fn address(given: Option<&str>) -> Address {
    Address::parse(given.unwrap_or(DEFAULT))
}

/// What a store is opened with in earnest: every commit flushed, no injected faults.
#[must_use]
pub(crate) fn options(address: Address, clock: Arc<dyn Clock>) -> Options {
    Options {
        address,
        migrations: abide_verbs::migrations(),
        durability: Durability::Full,
        clock,
        database_clock: None,
        ids: Arc::new(IdSource::seeded(crate::fresh_seed())),
        faults: Arc::new(NoFaults),
        room: abide_engine::base::limits::WRITER_QUEUE_MAX,
    }
}

/// The loopback provider of a database: it remembers in a file what it was handed, as a provider
/// does, so that it can be asked after a crash.
#[must_use]
pub(crate) fn loopback(address: &Address) -> Loopback {
    Loopback::in_file(match address {
        Address::Sqlite(path) => {
            let mut name = path.clone().into_os_string();
            name.push(".loopback");
            PathBuf::from(name)
        }
        Address::Postgres(url) => {
            // Where the folder cannot be made, nothing can be handed over either, and that is told.
            let _ = std::fs::create_dir_all(FOLDER);
            let name = format!("loopback-{}.jsonl", Digest::of(url.as_bytes()).short());
            PathBuf::from(FOLDER).join(name)
        }
    })
}
