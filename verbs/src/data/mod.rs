//! All SQL of this crate, one file per noun, such as `offer`.
//! Every statement works on SQLite and on PostgreSQL.
//!
//! The functions of this module only read and write rows. The state machines decide which changes
//! are allowed, and [`crate::operations::places`] decides who may take a place.
//!
//! To select rows by a list of values, a statement uses `IN (SELECT … FROM {rows})` and never a join.
//! SQLite does not know how long the list is: with a join, it would scan
//! the whole list once for each row of the table.

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

/// Returns the migrations of the engine's tables and of the church's tables, sorted by number.
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
