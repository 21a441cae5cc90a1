//! All SQL of this crate: one file per noun, with statements that are portable to both databases.
//!
//! Functions here only read and write rows. The state machines decide what may change and why;
//! [`crate::operations::places`] decides who may hold which place.
//!
//! Statements select many rows with `IN (SELECT … FROM {rows})`, never with a join: SQLite does not know
//! the size of such a list, and would scan it once for each row of the table.

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

use abide_engine::store::{
    BARRIER, CORE, FAIR_OUTBOX, LIMITS, Migration, OUTBOX, REPORTS, SCHEDULES, TENANTS, VERSIONS,
};

/// Returns the migrations of all tables that a church needs, the engine's included, in order.
#[must_use]
pub fn migrations() -> Vec<Migration> {
    vec![
        CORE,
        CHURCH,
        VERBS,
        SCHEDULES,
        VERSIONS,
        OUTBOX,
        BARRIER,
        BY_TENANT,
        FAIR_OUTBOX,
        LIMITS,
        TENANTS,
        REPORTS,
    ]
}

const CHURCH: Migration = Migration {
    number: 2,
    name: "church",
    sqlite: include_str!("../../../migrations/sqlite/0002_church.sql"),
    postgres: include_str!("../../../migrations/postgres/0002_church.sql"),
};

const VERBS: Migration = Migration {
    number: 3,
    name: "verbs",
    sqlite: include_str!("../../../migrations/sqlite/0003_verbs.sql"),
    postgres: include_str!("../../../migrations/postgres/0003_verbs.sql"),
};

const BY_TENANT: Migration = Migration {
    number: 8,
    name: "by_tenant",
    sqlite: include_str!("../../../migrations/sqlite/0008_by_tenant.sql"),
    postgres: include_str!("../../../migrations/postgres/0008_by_tenant.sql"),
};
