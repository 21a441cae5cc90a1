//! All domains of the program: their tables, and the code of their tools. The server, the simulator and the
//! tests take them from here, so that a simulation plays what production runs.

use std::sync::LazyLock;

use abide_engine::facade::{PreviewConfig, PreviewThread};
use abide_engine::store::{CopiedTable, Migration};
use abide_engine::verb::Verbs;
use abide_trade::files::FileStore;
use abide_verbs::data::copy::COPIED;

/// Returns the migrations of the engine and of all domains, sorted by number.
#[must_use]
pub fn migrations() -> Vec<Migration> {
    Migration::in_order([abide_verbs::migrations(), abide_trade::migrations()])
}

/// Returns the verbs of all domains, and what carries out the calls of data-driven tools. The tools store
/// files in `files`.
#[must_use]
pub fn verbs(files: FileStore) -> Verbs {
    abide_verbs::verb::all().join(abide_trade::verbs(files))
}

/// Returns what a process needs to play shadow runs. Files that a run stores in its copy are kept in memory, so
/// a shadow run leaves none, and does not find those that real runs have stored.
#[must_use]
pub fn preview() -> PreviewConfig {
    PreviewConfig {
        verbs: || verbs(FileStore::in_memory()),
        copied: copied_tables(),
        play_on: PreviewThread::Task,
    }
}

/// Returns the tables of all domains that are copied with a run, so that the copy continues as the run
/// would.
#[must_use]
pub fn copied_tables() -> &'static [CopiedTable] {
    static ALL: LazyLock<Vec<CopiedTable>> =
        LazyLock::new(|| [&COPIED[..], abide_trade::data::copied_tables()].concat());
    &ALL
}
