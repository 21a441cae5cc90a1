//! All SQL of this crate, one file per noun, such as `offer`.
//! Every statement works on SQLite and on PostgreSQL.
//!
//! The functions of this module only read and write rows. The state machines decide which changes
//! are allowed, and [`crate::operations::places`] decides who may take a place.
//!
//! To select rows by a list of values, a statement uses `IN (SELECT … FROM {rows})` and never a join.
//! SQLite does not know how long the list is: with a join, it would scan
//! the whole list once for each row of the table.

pub mod archived;
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
pub mod notice;
pub mod offer;
pub mod person;
pub mod question;
pub mod rebalance;
pub mod request;
pub mod response;
pub mod service;
pub mod texts;
pub mod thread;

use abide_engine::migration;
use abide_engine::store::{ENGINE_MIGRATIONS, Migration};

/// The migrations of the church's own tables.
const CHURCH_MIGRATIONS: &[Migration] = &[
    migration!("0002_church"),
    migration!("0003_verbs"),
    migration!("0008_by_tenant"),
    migration!("0023_services"),
    migration!("0024_inbox"),
    migration!("0025_notices"),
    migration!("0026_told"),
    migration!("0028_staff"),
    migration!("0029_language"),
    migration!("0031_moved"),
    migration!("0036_insights"),
    migration!("0038_people"),
    migration!("0042_erased"),
];

/// Returns the migrations of the engine's tables and of the church's tables, sorted by number.
#[must_use]
pub fn migrations() -> Vec<Migration> {
    Migration::in_order([ENGINE_MIGRATIONS.to_vec(), CHURCH_MIGRATIONS.to_vec()])
}
