//! Migrates a database to the newest schema that this program knows, with one transaction per migration.

use super::conn::Conn;
use super::dialect::Dialect;
use super::error::StoreError;
use crate::base::Problem;
use crate::params;

/// One migration of the schema, with SQL for each database. It is never edited after its release.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// The number of the migration, from 1, without gaps.
    pub number: i64,
    /// The name of the migration, as shown to people.
    pub name: &'static str,
    /// The SQL for SQLite.
    pub sqlite: &'static str,
    /// The SQL for PostgreSQL.
    pub postgres: &'static str,
}

impl Migration {
    /// Creates a migration. `file` is the name of its two files, which begins with the migration's number
    /// in four digits and `_`; `sqlite` and `postgres` are the contents of the two files.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_files(
        file: &'static str,
        sqlite: &'static str,
        postgres: &'static str,
    ) -> Self {
        let (digits, name) = file.split_at(5);
        let (mut number, mut at) = (0, 0);
        while at < 4 {
            number = number * 10 + (digits.as_bytes()[at] - b'0') as i64;
            at += 1;
        }
        Self { number, name, sqlite, postgres }
    }

    /// Returns the migrations of several crates as one list, sorted by number.
    #[must_use]
    pub fn in_order(lists: impl IntoIterator<Item = Vec<Self>>) -> Vec<Self> {
        let mut all: Vec<Self> = lists.into_iter().flatten().collect();
        all.sort_by_key(|migration| migration.number);
        all
    }

    fn text(&self, dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Sqlite => self.sqlite,
            Dialect::Postgres => self.postgres,
        }
    }

    /// Returns the names of the tables that the migration creates, as found in its SQL.
    fn tables(&self, dialect: Dialect) -> impl Iterator<Item = &'static str> + use<> {
        self.named_after("CREATE TABLE ", dialect)
    }

    /// Returns the names of the tables that the migration drops, as found in its SQL.
    fn dropped(&self, dialect: Dialect) -> impl Iterator<Item = &'static str> + use<> {
        self.named_after("DROP TABLE ", dialect)
    }

    fn named_after(
        &self,
        words: &'static str,
        dialect: Dialect,
    ) -> impl Iterator<Item = &'static str> + use<> {
        let statements = self.text(dialect).split(words).skip(1);
        statements.map(|rest| rest.split([' ', '(', ';']).next().unwrap_or(rest))
    }
}

/// Declares a migration by the name of its two files, `migrations/{sqlite,postgres}/NNNN_name.sql`.
#[macro_export]
macro_rules! migration {
    ($file:literal) => {
        $crate::store::Migration::of_files(
            $file,
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../migrations/sqlite/",
                $file,
                ".sql"
            )),
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../migrations/postgres/",
                $file,
                ".sql"
            )),
        )
    };
}

/// The migration that creates the engine's core tables.
pub const CORE: Migration = migration!("0001_core");

/// The migrations of the engine's tables. The numbers that are missing here belong to the migrations of
/// the domain's tables.
pub const ENGINE_MIGRATIONS: &[Migration] = &[
    CORE,
    migration!("0004_schedules"),
    migration!("0005_versions"),
    migration!("0006_outbox"),
    migration!("0007_barrier"),
    migration!("0009_fair_outbox"),
    migration!("0010_limits"),
    migration!("0011_tenants"),
    migration!("0012_reports"),
    migration!("0013_tools"),
    migration!("0017_tokens"),
    migration!("0018_approvals"),
    migration!("0019_consents"),
    migration!("0020_access"),
    migration!("0021_approvers"),
    migration!("0027_correlation"),
    migration!("0030_conversation"),
    migration!("0037_plans"),
    migration!("0040_archive"),
    migration!("0041_erasure"),
    migration!("0045_run_part"),
    migration!("0046_lookups"),
    migration!("0050_conditions"),
    migration!("0051_emptied"),
    migration!("0052_topics"),
    migration!("0053_bundle_prefix"),
];

/// The schema number of a database, and the newest number that this program knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaStatus {
    /// The number of the last applied migration; 0 for an empty database.
    pub applied: i64,
    /// The number of the newest migration that this program knows.
    pub known: i64,
}

impl SchemaStatus {
    /// Whether the database has exactly the schema that this program knows.
    #[must_use]
    pub fn is_current(self) -> bool {
        self.applied == self.known
    }

    /// Returns the reason why this program must not use the database, with the remedy; `None` if it may.
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
    // The tables are read again, because another process may have migrated the database after the first
    // read. In that case, `meta` names a newer schema, whose tables the first read did not find.
    let present = tables(conn).await?;
    let past = || migrations.iter().filter(|m| m.number <= applied);
    let dropped: Vec<&str> = past().flat_map(|m| m.dropped(conn.dialect())).collect();
    let mut made = past().flat_map(|m| m.tables(conn.dialect()));
    match made.find(|made| !dropped.contains(made) && !present.iter().any(|name| name == made)) {
        Some(gone) => Err(StoreError::Foreign(format!(
            "`meta` says schema {applied}, but there is no table `{gone}`"
        ))),
        None => Ok(SchemaStatus { applied, known }),
    }
}

/// Returns the names of all tables, ordered by name.
async fn tables(conn: &mut Conn) -> Result<Vec<String>, StoreError> {
    let tables = match conn.dialect() {
        Dialect::Sqlite => {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        }
        Dialect::Postgres => {
            "SELECT table_name::text AS name FROM information_schema.tables
             WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name"
        }
    };
    conn.rows(tables, &[]).await?.iter().map(|row| row.text("name")).collect()
}

/// Reads the schema number in `meta`. A migration writes this number in the transaction that creates the
/// migration's tables. So a database that has only the number or only the tables was not made by abide.
async fn applied(conn: &mut Conn) -> Result<i64, StoreError> {
    let rows = match conn.rows("SELECT v FROM meta WHERE k = 'schema'", &[]).await {
        Err(StoreError::Other(why)) => return Err(StoreError::Foreign(format!("`meta`: {why}"))),
        other => other?,
    };
    let Some(row) = rows.first() else {
        return Err(StoreError::Foreign("`meta` has no row `schema`".to_owned()));
    };
    let text = row.text("v").map_err(|why| StoreError::Foreign(format!("`meta`: {why}")))?;
    text.parse().map_err(|_| StoreError::Foreign(format!("`meta` says schema `{text}`")))
}

/// Applies the missing migrations. A failure leaves the database at the last complete migration. If several
/// processes migrate at the same time, one of them applies each migration and the others find it applied.
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
