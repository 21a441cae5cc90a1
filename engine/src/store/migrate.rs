//! Brings a database to the schema that this binary knows, one transaction a migration.

use super::conn::Conn;
use super::dialect::Dialect;
use super::error::StoreError;
use crate::base::Problem;
use crate::params;

/// One step of the schema, with a twin for each database. Never edited once released.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Its number, from 1, without gaps.
    pub number: i64,
    /// Its name, for people.
    pub name: &'static str,
    /// The text for SQLite.
    pub sqlite: &'static str,
    /// The text for PostgreSQL.
    pub postgres: &'static str,
}

impl Migration {
    fn text(&self, dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Sqlite => self.sqlite,
            Dialect::Postgres => self.postgres,
        }
    }

    /// The tables that it makes, by its own words.
    fn tables(&self, dialect: Dialect) -> impl Iterator<Item = &'static str> + use<> {
        let statements = self.text(dialect).split("CREATE TABLE ").skip(1);
        statements.map(|rest| rest.split([' ', '(']).next().unwrap_or(rest))
    }
}

/// The engine's own tables.
pub const CORE: Migration = Migration {
    number: 1,
    name: "core",
    sqlite: include_str!("../../../migrations/sqlite/0001_core.sql"),
    postgres: include_str!("../../../migrations/postgres/0001_core.sql"),
};

/// The engine's own tables for what falls due by itself.
pub const SCHEDULES: Migration = Migration {
    number: 4,
    name: "schedules",
    sqlite: include_str!("../../../migrations/sqlite/0004_schedules.sql"),
    postgres: include_str!("../../../migrations/postgres/0004_schedules.sql"),
};

/// What publishing methods and moving runs between their versions keep.
pub const VERSIONS: Migration = Migration {
    number: 5,
    name: "versions",
    sqlite: include_str!("../../../migrations/sqlite/0005_versions.sql"),
    postgres: include_str!("../../../migrations/postgres/0005_versions.sql"),
};

/// What the outbox keeps of messages that go again.
pub const OUTBOX: Migration = Migration {
    number: 6,
    name: "outbox",
    sqlite: include_str!("../../../migrations/sqlite/0006_outbox.sql"),
    postgres: include_str!("../../../migrations/postgres/0006_outbox.sql"),
};

/// Which deadlines wait for messages to be applied.
pub const BARRIER: Migration = Migration {
    number: 7,
    name: "barrier",
    sqlite: include_str!("../../../migrations/sqlite/0007_barrier.sql"),
    postgres: include_str!("../../../migrations/postgres/0007_barrier.sql"),
};

/// What leaves next of each tenant.
pub const FAIR_OUTBOX: Migration = Migration {
    number: 9,
    name: "fair_outbox",
    sqlite: include_str!("../../../migrations/sqlite/0009_fair_outbox.sql"),
    postgres: include_str!("../../../migrations/postgres/0009_fair_outbox.sql"),
};

/// What the limits on unasked texts count, and the list of all that is in the inbox of staff.
pub const LIMITS: Migration = Migration {
    number: 10,
    name: "limits",
    sqlite: include_str!("../../../migrations/sqlite/0010_limits.sql"),
    postgres: include_str!("../../../migrations/postgres/0010_limits.sql"),
};

/// Versions of tenants' settings, and what a turn of a kill switch has still to do.
pub const TENANTS: Migration = Migration {
    number: 11,
    name: "tenants",
    sqlite: include_str!("../../../migrations/sqlite/0011_tenants.sql"),
    postgres: include_str!("../../../migrations/postgres/0011_tenants.sql"),
};

/// By which id a delivery report finds its message, and in which order the event log is read.
pub const REPORTS: Migration = Migration {
    number: 12,
    name: "reports",
    sqlite: include_str!("../../../migrations/sqlite/0012_reports.sql"),
    postgres: include_str!("../../../migrations/postgres/0012_reports.sql"),
};

/// Where a database stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaStatus {
    /// The number of the last migration that was applied; 0 for an empty database.
    pub applied: i64,
    /// The number of the newest that this binary knows.
    pub known: i64,
}

impl SchemaStatus {
    /// True where the binary and the database agree.
    #[must_use]
    pub fn is_current(self) -> bool {
        self.applied == self.known
    }

    /// Why the binary must not use the database, with the remedy.
    #[must_use]
    pub fn refusal(self) -> Option<Problem> {
        let Self { applied, known } = self;
        if applied > known {
            return Some(
                Problem::operator(
                    "schema_newer",
                    format!("the database has schema {applied}, this program knows up to {known}"),
                )
                .with_hint("use the newer program, or restore a backup from before the upgrade"),
            );
        }
        (applied < known).then(|| {
            Problem::operator(
                "schema_outdated",
                format!("the database has schema {applied}, this program needs {known}"),
            )
            .with_hint("run `abide migrate`")
        })
    }
}

pub(super) async fn status(
    conn: &mut Conn,
    migrations: &[Migration],
) -> Result<SchemaStatus, StoreError> {
    let known = migrations.iter().map(|m| m.number).max().unwrap_or(0);
    let present = tables(conn).await?;
    let Some(first) = present.first() else { return Ok(SchemaStatus { applied: 0, known }) };
    if !present.iter().any(|name| name == "meta") {
        return Err(StoreError::Foreign(format!("it has a table `{first}`, but no table `meta`")));
    }
    let applied = applied(conn).await?;
    // Looked at again: another process may have migrated since, and what `meta` says is of now.
    let present = tables(conn).await?;
    let past = migrations.iter().filter(|m| m.number <= applied);
    let mut made = past.flat_map(|m| m.tables(conn.dialect()));
    match made.find(|made| !present.iter().any(|name| name == made)) {
        Some(gone) => Err(StoreError::Foreign(format!(
            "`meta` says schema {applied}, but there is no table `{gone}`"
        ))),
        None => Ok(SchemaStatus { applied, known }),
    }
}

/// The names of all tables, in order.
async fn tables(conn: &mut Conn) -> Result<Vec<String>, StoreError> {
    let tables = match conn.dialect() {
        Dialect::Sqlite => {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        }
        Dialect::Postgres => {
            "SELECT table_name::text FROM information_schema.tables
             WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name"
        }
    };
    conn.rows(tables, &[]).await?.iter().map(|row| row.text(0)).collect()
}

/// The number in `meta`. A migration writes it in the transaction of its tables: one without the
/// other is not our work.
async fn applied(conn: &mut Conn) -> Result<i64, StoreError> {
    let rows = match conn.rows("SELECT v FROM meta WHERE k = 'schema'", &[]).await {
        Err(StoreError::Other(why)) => return Err(StoreError::Foreign(format!("`meta`: {why}"))),
        other => other?,
    };
    let Some(row) = rows.first() else {
        return Err(StoreError::Foreign("`meta` has no row `schema`".to_owned()));
    };
    let text = row.text(0).map_err(|why| StoreError::Foreign(format!("`meta`: {why}")))?;
    text.parse().map_err(|_| StoreError::Foreign(format!("`meta` says schema `{text}`")))
}

/// Applies what is missing; a failure leaves the database at the last whole migration. Of several
/// processes that do it at once one applies each, the others find it there.
pub(super) async fn run(conn: &mut Conn, migrations: &[Migration]) -> Result<(), StoreError> {
    let from = status(conn, migrations).await?;
    for migration in migrations.iter().filter(|m| m.number > from.applied) {
        if let Err(error) = apply(conn, migration).await {
            let _ = conn.batch("ROLLBACK").await;
            if status(conn, migrations).await?.applied < migration.number {
                return Err(error);
            }
        }
    }
    Ok(())
}

async fn apply(conn: &mut Conn, migration: &Migration) -> Result<(), StoreError> {
    conn.batch(match conn.dialect() {
        Dialect::Sqlite => "BEGIN IMMEDIATE",
        Dialect::Postgres => "BEGIN",
    })
    .await?;
    conn.batch(migration.text(conn.dialect())).await?;
    conn.execute(
        "INSERT INTO meta (k, v) VALUES ('schema', $1) ON CONFLICT (k) DO UPDATE SET v = excluded.v",
        &params![migration.number.to_string()],
    )
    .await?;
    conn.batch("COMMIT").await
}
