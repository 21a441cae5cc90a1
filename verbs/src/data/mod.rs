//! All SQL of this crate: one file per kind of row, with statements that are portable to both databases.
//!
//! The functions here only read and write rows. The state machines decide what may change and why;
//! [`crate::operations::places`] decides who may hold which place.
//!
//! Statements select many rows with `IN (SELECT … FROM {rows})`, never with a join.
//! SQLite does not know the size of such a list, so it would scan a joined
//! list once for each row of the table.

pub mod ask;
pub mod assignment;
pub mod audit;
pub mod capacity;
pub mod church;
pub mod copy;
pub mod due;
pub mod inbox;
pub mod kb;
pub mod live_fill;
pub mod offer;
pub mod person;
pub mod question;
pub mod rebalance;
pub mod request;

use abide_engine::migration;
use abide_engine::store::{ENGINE_MIGRATIONS, Migration};

/// The migrations of the church's own tables.
const CHURCH_MIGRATIONS: &[Migration] =
    &[migration!("0002_church"), migration!("0003_verbs"), migration!("0008_by_tenant")];

/// Returns the migrations of all tables that a church needs, the engine's included, in order.
#[must_use]
pub fn migrations() -> Vec<Migration> {
    let mut all = [ENGINE_MIGRATIONS, CHURCH_MIGRATIONS].concat();
    all.sort_by_key(|migration| migration.number);
    all
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_of_a_migration_is_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations/sqlite");
        let files = fs::read_dir(folder).expect("the migrations").map(|file| file.expect("a file"));
        let mut files: Vec<_> =
            files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
        files.sort_unstable();
        let listed = migrations();
        let listed: Vec<_> =
            listed.iter().map(|it| format!("{:04}_{}.sql", it.number, it.name)).collect();
        assert_eq!(listed, files);
    }
}
