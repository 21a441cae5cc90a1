//! The only SQL of this crate: one file a noun, one portable text for both databases.
//!
//! Functions here read and write rows and know no rules. What may change, and why, is decided in
//! the life cycles; who may hold which place, in [`crate::desk::places`].
//!
//! Many rows are named by `IN (SELECT … FROM {rows})`, never by a join: SQLite knows nothing of the
//! size of such a list and would walk it once for each row of the table.

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

/// Every table that a church needs, the engine's own first.
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
