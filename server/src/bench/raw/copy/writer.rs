//! Writes copies of runs into the database.

use std::collections::BTreeMap;
use std::time::Duration;

use abide_engine::base::{IdSource, Problem, TypedId as _};
use abide_engine::store::Address;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Executor as _};

use super::batch::{NewEvent, NewRun, RunCopies};
use super::sample::SampleRuns;
use super::statements::{Bound, Columns, Stage, Statement, StatementBuilder, TABLES, literal};
use crate::bench::figures::Stopwatch;
use crate::bench::raw::conn::{Conn, with};
use crate::bench::raw::failed;
use crate::bench::report::DatabaseKind;

const COLUMNS_SQLITE: &str = "SELECT name FROM pragma_table_info($1) ORDER BY cid";
const COLUMNS_POSTGRES: &str = "SELECT CAST(column_name AS TEXT) FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position";
const TABLES_SQLITE: &str = "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.name = 'run_id' ORDER BY m.name";
const TABLES_POSTGRES: &str = "SELECT CAST(c.table_name AS TEXT) FROM information_schema.columns c
    JOIN information_schema.tables t ON t.table_name = c.table_name AND t.table_schema = c.table_schema
    WHERE c.table_schema = current_schema() AND c.column_name = 'run_id'
        AND t.table_type = 'BASE TABLE' ORDER BY c.table_name";

/// A connection that writes copies of runs, and the source of their ids.
pub(in crate::bench) struct CopyWriter {
    conn: Conn,
    kind: DatabaseKind,
    ids: IdSource,
    columns: Columns,
}

/// The statements that copy one pair of sample runs.
pub(in crate::bench) struct Copier {
    sample: SampleRuns,
    tenant: &'static str,
    stages: BTreeMap<Stage, Vec<Statement>>,
}

impl CopyWriter {
    /// Connects to the database, and reads which columns its tables have.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(in crate::bench) async fn connect(address: &Address) -> Result<Self, Problem> {
        let mut conn = Conn::open(address).await?;
        let (kind, question) = match address {
            Address::Sqlite(_) => (DatabaseKind::Sqlite, COLUMNS_SQLITE),
            Address::Postgres(_) => (DatabaseKind::Postgres, COLUMNS_POSTGRES),
        };
        let mut columns = Columns::new();
        for table in &TABLES {
            let found: Result<Vec<String>, _> = with!(&mut conn, conn => {
                sqlx::query_scalar(question).bind(table.name).fetch_all(conn).await
            });
            columns.insert(table.name, found.map_err(failed("read the columns of a table"))?);
        }
        let ids = IdSource::seeded(crate::random::fresh_seed());
        Ok(Self { conn, kind, ids, columns })
    }

    /// Prepares to copy a pair of samples. The copies belong to `tenant`.
    ///
    /// # Errors
    /// Reports a bug if the parked sample has rows in a table that is not copied.
    pub(in crate::bench) async fn copier(
        &mut self,
        sample: SampleRuns,
        tenant: &'static str,
    ) -> Result<Copier, Problem> {
        self.check_tables(&sample).await?;
        let builder =
            StatementBuilder { kind: self.kind, columns: &self.columns, sample: &sample, tenant };
        let all = [Stage::Filled, Stage::Started, Stage::Parked, Stage::Signalled, Stage::Ended];
        let stages = all.into_iter().map(|stage| (stage, builder.stage(stage))).collect();
        Ok(Copier { sample, tenant, stages })
    }

    /// Creates the ids and hashes of `n` copies. Writes nothing.
    pub(in crate::bench) fn copies(&self, copier: &Copier, n: u64) -> RunCopies {
        RunCopies::create(&copier.sample, copier.tenant, n, &self.ids)
    }

    /// Writes one stage of all copies in one commit. Returns the time from its begin to its end.
    ///
    /// # Errors
    /// `database_unreachable` if a statement fails.
    pub(in crate::bench) async fn write(
        &mut self,
        copier: &Copier,
        copies: &RunCopies,
        stage: Stage,
    ) -> Result<Duration, Problem> {
        let clock = Stopwatch::started();
        self.conn.begin().await?;
        for statement in copier.stages.get(&stage).map_or(&[][..], Vec::as_slice) {
            let done = match &mut self.conn {
                Conn::Sqlite(conn) => run_sqlite(conn, statement, copies).await,
                Conn::Postgres(conn) => run_postgres(conn, statement, copies).await,
            };
            done.map_err(failed("copy runs"))?;
        }
        self.conn.commit().await?;
        Ok(clock.elapsed())
    }

    /// Moves the write-ahead log into the database. A server may refuse this to the role; then it does so
    /// by itself later.
    ///
    /// # Errors
    /// `database_unreachable` if SQLite fails.
    pub(in crate::bench) async fn checkpoint(&mut self) -> Result<(), Problem> {
        match &mut self.conn {
            Conn::Sqlite(conn) => conn
                .execute(sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)"))
                .await
                .map(drop)
                .map_err(failed("write a checkpoint")),
            Conn::Postgres(conn) => {
                let _ = conn.execute(sqlx::raw_sql("CHECKPOINT")).await;
                Ok(())
            }
        }
    }

    /// Checks that the parked sample has rows only in the tables that are copied.
    async fn check_tables(&mut self, sample: &SampleRuns) -> Result<(), Problem> {
        let question = match self.kind {
            DatabaseKind::Sqlite => TABLES_SQLITE,
            DatabaseKind::Postgres => TABLES_POSTGRES,
        };
        let found: Result<Vec<String>, _> = with!(&mut self.conn, conn => {
            sqlx::query_scalar(question).fetch_all(conn).await
        });
        let parked = literal(self.kind, sample.parked.uuid());
        for table in found.map_err(failed("list the tables"))? {
            let count = format!("SELECT COUNT(*) FROM {table} WHERE run_id = {parked}");
            let rows: Result<i64, _> = with!(&mut self.conn, conn => {
                sqlx::query_scalar(AssertSqlSafe(count)).fetch_one(conn).await
            });
            let rows = rows.map_err(failed("count the rows of a run"))?;
            if rows > 0 && TABLES.iter().all(|copied| copied.name != table) {
                return Err(Problem::bug(format!(
                    "copies lack {rows} rows of the table `{table}`"
                )));
            }
        }
        Ok(())
    }
}

/// Returns the hash of a run's last event at the stage of a statement.
fn hash_of(run: &NewRun, bound: Bound) -> &[u8; 32] {
    if bound == Bound::EndedRuns { run.end_hash.as_bytes() } else { run.parked_hash.as_bytes() }
}

/// Returns the events that are bound to a statement.
fn events_of(copies: &RunCopies, bound: Bound) -> &[NewEvent] {
    if bound == Bound::EndEvents { &copies.ended } else { &copies.parked }
}

fn length(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

async fn run_sqlite(
    conn: &mut SqliteConnection,
    statement: &Statement,
    copies: &RunCopies,
) -> Result<(), sqlx::Error> {
    let mut bytes: Vec<u8> = Vec::new();
    let query = sqlx::query(AssertSqlSafe(statement.text.clone()));
    let query = match statement.bound {
        Bound::ParkedRuns | Bound::EndedRuns => {
            for one in &copies.runs {
                bytes.extend_from_slice(one.run.as_bytes());
                bytes.extend_from_slice(one.call.as_bytes());
                bytes.extend_from_slice(hash_of(one, statement.bound));
            }
            query.bind(bytes).bind(length(copies.runs.len())).bind(copies.due)
        }
        Bound::ParkedEvents | Bound::EndEvents => {
            let events = events_of(copies, statement.bound);
            let Some(first) = events.first() else { return Ok(()) };
            for event in events {
                for id in [event.id, event.run, event.call] {
                    bytes.extend_from_slice(id.as_bytes());
                }
                bytes.extend_from_slice(event.hash.as_bytes());
            }
            let per_run = length(events.len() / copies.runs.len().max(1));
            query.bind(bytes).bind(length(events.len())).bind(first.seq).bind(per_run)
        }
    };
    query.execute(conn).await.map(drop)
}

async fn run_postgres(
    conn: &mut PgConnection,
    statement: &Statement,
    copies: &RunCopies,
) -> Result<(), sqlx::Error> {
    fn column<R, T>(rows: &[R], of: impl Fn(&R) -> T) -> Vec<T> {
        rows.iter().map(of).collect()
    }
    let query = sqlx::query(AssertSqlSafe(statement.text.clone()));
    let query = match statement.bound {
        Bound::ParkedRuns | Bound::EndedRuns => query
            .bind(column(&copies.runs, |one| one.run))
            .bind(column(&copies.runs, |one| one.call))
            .bind(column(&copies.runs, |one| hash_of(one, statement.bound).to_vec()))
            .bind(copies.due),
        Bound::ParkedEvents | Bound::EndEvents => {
            let events = events_of(copies, statement.bound);
            query
                .bind(column(events, |event| event.id))
                .bind(column(events, |event| event.run))
                .bind(column(events, |event| event.call))
                .bind(column(events, |event| event.hash.as_bytes().to_vec()))
                .bind(column(events, |event| event.seq))
        }
    };
    query.execute(conn).await.map(drop)
}
