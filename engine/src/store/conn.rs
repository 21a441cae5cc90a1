//! Sends the statements of the store over a connection to SQLite or PostgreSQL.

use std::sync::Arc;

use sqlx::pool::PoolConnection;
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{AssertSqlSafe, Executor as _, Postgres, Sqlite};

use super::dialect::{self, Dialect};
use super::error::StoreError;
use super::faults::{StatementHooks, WorkKind, WorkPermit};
use super::param::{ColumnType, Param};
use super::row::Row;
use super::rows::Rows;
use super::sqlite;

/// A database connection. Only one transaction uses it at a time.
pub(super) struct Conn {
    link: Link,
    held: Option<Held>,
    /// An error from statements that were sent together for several members of a batch.
    /// It is not known which of these members caused the error.
    unattributed_error: Option<StoreError>,
    /// What happens to statements that change or lock rows.
    writes: Writes,
    /// Number of round trips to the database since this connection was taken from the pool.
    trips: u64,
    /// The hooks of a test, which decide the sequence of statements on a database server
    /// and are notified of rows that violate a uniqueness rule.
    faults: Option<Arc<dyn StatementHooks>>,
}

/// What happens to statements that change or lock rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writes {
    Allowed,
    Refused,
    /// They are refused, and one was.
    Tried,
}

enum Link {
    Sqlite(sqlite::Link),
    Postgres(PoolConnection<Postgres>),
}

/// SQL statements that wait to be sent together with the next statement, because their callers need no
/// result. An embedded database runs each statement on another thread, and handing a statement to that
/// thread takes longer than most statements do. Statements that are sent together need only one such
/// handover. The result of the next statement also reports the errors of the statements that waited for
/// it. If one of the waiting statements belongs to an earlier member of the batch, it is not known which
/// member caused an error ([`Conn::take_unattributed_error`]).
struct Held {
    text: Arc<str>,
    /// The rows for the placeholder `{rows}`, as JSON, if one of the waiting statements has parameters.
    /// At most one of them does.
    rows: Option<String>,
    /// Whether the first of these statements begins the transaction.
    /// If it does, no statement of the transaction has been sent yet.
    begins: bool,
    /// Whether some of these statements belong to an earlier member of the batch.
    earlier: bool,
}

impl From<sqlite::Link> for Conn {
    fn from(conn: sqlite::Link) -> Self {
        Self {
            link: Link::Sqlite(conn),
            held: None,
            unattributed_error: None,
            writes: Writes::Allowed,
            trips: 0,
            faults: None,
        }
    }
}

impl From<PoolConnection<Postgres>> for Conn {
    fn from(conn: PoolConnection<Postgres>) -> Self {
        Self {
            link: Link::Postgres(conn),
            held: None,
            unattributed_error: None,
            writes: Writes::Allowed,
            trips: 0,
            faults: None,
        }
    }
}

macro_rules! bind_all {
    ($query:expr, $params:expr) => {
        $params.iter().fold($query, |query, param| match param {
            Param::Int(v) => query.bind(*v),
            Param::Text(v) => query.bind(v.clone()),
            Param::Id(v) => query.bind(*v),
            Param::Bytes(v) => query.bind(v.clone()),
        })
    };
}

type SqliteQuery<'q> = Query<'q, Sqlite, SqliteArguments>;
type PostgresQuery<'q> = Query<'q, Postgres, sqlx::postgres::PgArguments>;

impl Conn {
    /// Attaches the hooks of a test, which decide the sequence of statements
    /// and are notified of rows that violate a uniqueness rule.
    pub(super) fn with_faults(self, faults: Arc<dyn StatementHooks>) -> Self {
        Self { faults: Some(faults), ..self }
    }

    /// Waits for the permit to send a statement to a server, if a test decides the sequence of statements.
    async fn permit(&self) -> Option<WorkPermit> {
        let faults = self.faults.as_ref().filter(|_| self.dialect() == Dialect::Postgres)?;
        Some(faults.permit(WorkKind::Statement)?.await)
    }

    pub(super) fn dialect(&self) -> Dialect {
        match &self.link {
            Link::Sqlite(_) => Dialect::Sqlite,
            Link::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Refuses statements that change or lock rows, from now on.
    pub(super) fn refuse_writes(&mut self) {
        self.writes = Writes::Refused;
    }

    /// Allows statements that change or lock rows again.
    pub(super) fn allow_writes(&mut self) {
        self.writes = Writes::Allowed;
    }

    /// Returns whether a statement was refused since the last call.
    pub(super) fn take_refused_write(&mut self) -> bool {
        let tried = self.writes == Writes::Tried;
        if tried {
            self.writes = Writes::Refused;
        }
        tried
    }

    /// Records that something was to be changed, if that is to be refused.
    pub(super) fn note_refused_write(&mut self) {
        if self.writes == Writes::Refused {
            self.writes = Writes::Tried;
        }
    }

    /// Refuses a statement that changes or locks rows, if it is to be refused.
    fn check_write(&mut self, sql: &str) -> Result<(), StoreError> {
        if self.writes == Writes::Allowed || self.dialect().only_reads(sql) {
            return Ok(());
        }
        self.note_refused_write();
        Err(StoreError::Other("a step that only reads was to write".to_owned()))
    }

    /// Marks the connection to be closed instead of returned to the pool, because its state is not known.
    pub(super) fn close_on_drop(&mut self) {
        match &mut self.link {
            Link::Sqlite(conn) => conn.close(),
            Link::Postgres(conn) => conn.close_on_drop(),
        }
    }

    /// Begins a transaction. On an embedded database, `sql` is sent together with the first statement.
    pub(super) async fn begin(&mut self, sql: &'static str) -> Result<(), StoreError> {
        self.execute_later(sql).await?;
        if let Some(held) = &mut self.held {
            held.begins = true;
        }
        Ok(())
    }

    /// Rolls the transaction back. Sends nothing if no statement of the transaction was sent yet.
    pub(super) async fn roll_back(&mut self) -> Result<(), StoreError> {
        self.unattributed_error = None;
        if self.held.take().is_some_and(|held| held.begins) {
            return Ok(());
        }
        self.batch("ROLLBACK").await
    }

    /// Ends the current member of the batch. Marks the statements that wait to be sent as
    /// statements of an earlier member.
    pub(super) fn next_member(&mut self) {
        if let Some(held) = &mut self.held {
            held.earlier = true;
        }
    }

    /// Returns and clears an error that either the current member or an earlier one may have caused.
    pub(super) fn take_unattributed_error(&mut self) -> Option<StoreError> {
        self.unattributed_error.take()
    }

    /// Runs SQL without parameters and waits for the result. Used for COMMIT, ROLLBACK TO and migrations.
    pub(super) async fn batch(&mut self, sql: &'static str) -> Result<(), StoreError> {
        let _permit = self.permit().await;
        match &mut self.link {
            Link::Sqlite(_) if self.held.is_some() => {
                self.hold(sql);
                return self.send_held().await;
            }
            Link::Sqlite(conn) => conn.open()?.execute(sqlx::raw_sql(sql)).await.map(drop)?,
            Link::Postgres(conn) => conn.execute(sqlx::raw_sql(sql)).await.map(drop)?,
        }
        self.count_trip();
        Ok(())
    }

    /// Runs SQL without parameters, for a caller that does not need the result. Used for SAVEPOINT and
    /// RELEASE. On SQLite, the SQL is sent only together with the next statement.
    pub(super) async fn execute_later(&mut self, sql: &'static str) -> Result<(), StoreError> {
        match self.dialect() {
            Dialect::Sqlite => {
                self.hold(sql);
                Ok(())
            }
            Dialect::Postgres => self.batch(sql).await,
        }
    }

    /// Changes many rows with one statement, for a caller that does not need the result.
    /// On SQLite, the statement is sent only together with the next one.
    pub(super) async fn bulk_later(
        &mut self,
        sql: &'static str,
        rows: &Rows,
    ) -> Result<(), StoreError> {
        if self.dialect() == Dialect::Postgres {
            return self.bulk(sql, &[], rows).await.map(drop);
        }
        self.check_write(sql)?;
        self.send_held_rows().await?;
        let text = Dialect::Sqlite.expand(sql, Some((rows.columns(), 1)));
        self.tell_hooks(&text);
        let rows = Some(rows.to_json());
        self.held = Some(Held { rows, ..self.append_to_held(text) });
        Ok(())
    }

    pub(super) async fn execute(
        &mut self,
        sql: &'static str,
        params: &[Param],
    ) -> Result<u64, StoreError> {
        self.check_write(sql)?;
        self.send_held().await?; // so that the row count covers only this statement
        self.count_trip();
        let _permit = self.permit().await;
        let text = self.dialect().expand(sql, None);
        self.tell_hooks(&text);
        let text = AssertSqlSafe(text);
        let answer = match &mut self.link {
            Link::Sqlite(conn) => {
                let query: SqliteQuery<'_> = bind_all!(sqlx::query(text), params);
                conn.open()?.execute(query).await.map(|done| done.rows_affected())
            }
            Link::Postgres(conn) => {
                let query: PostgresQuery<'_> = bind_all!(sqlx::query(text), params);
                conn.execute(query).await.map(|done| done.rows_affected())
            }
        };
        self.answered(false, answer.map_err(StoreError::from))
    }

    pub(super) async fn rows(
        &mut self,
        sql: &'static str,
        params: &[Param],
    ) -> Result<Vec<Row>, StoreError> {
        self.check_write(sql)?;
        self.send_held_rows().await?;
        self.count_trip();
        let _permit = self.permit().await;
        let text = self.dialect().expand(sql, None);
        self.tell_hooks(&text);
        let Held { text, earlier, .. } = self.append_to_held(text);
        let text = AssertSqlSafe(text);
        let answer = match &mut self.link {
            Link::Sqlite(conn) => {
                let query: SqliteQuery<'_> = bind_all!(sqlx::query(text), params);
                let rows = conn.open()?.fetch_all(query).await;
                rows.map(|rows| rows.into_iter().map(Row::Sqlite).collect())
            }
            Link::Postgres(conn) => {
                let query: PostgresQuery<'_> = bind_all!(sqlx::query(text), params);
                let rows = conn.fetch_all(query).await;
                rows.map(|rows| rows.into_iter().map(Row::Postgres).collect())
            }
        };
        self.answered(earlier, answer.map_err(StoreError::from))
    }

    pub(super) async fn bulk(
        &mut self,
        sql: &'static str,
        params: &[Param],
        rows: &Rows,
    ) -> Result<Vec<Row>, StoreError> {
        self.check_write(sql)?;
        self.send_held_rows().await?;
        self.count_trip();
        let _permit = self.permit().await;
        let at = params.len() + 1;
        let text = self.dialect().expand(sql, Some((rows.columns(), at)));
        self.tell_hooks(&text);
        let Held { text, earlier, .. } = self.append_to_held(text);
        let text = AssertSqlSafe(text);
        let answer = match &mut self.link {
            Link::Sqlite(conn) => {
                let query: SqliteQuery<'_> = bind_all!(sqlx::query(text), params);
                let query = query.bind(rows.to_json());
                let rows = conn.open()?.fetch_all(query).await;
                rows.map(|rows| rows.into_iter().map(Row::Sqlite).collect())
            }
            Link::Postgres(conn) => {
                let query: PostgresQuery<'_> = bind_all!(sqlx::query(text), params);
                let rows = conn.fetch_all(bind_arrays(query, rows)).await;
                rows.map(|rows| rows.into_iter().map(Row::Postgres).collect())
            }
        };
        self.answered(earlier, answer.map_err(StoreError::from))
    }

    /// Returns the number of round trips to the database since this connection was taken from the pool.
    pub(super) fn trips(&self) -> u64 {
        self.trips
    }

    /// Tells the hooks of a test which statement is about to be sent.
    fn tell_hooks(&self, text: &str) {
        if let Some(faults) = &self.faults {
            faults.statement(self.dialect(), text);
        }
    }

    /// Counts one round trip to the database, for this connection and in the metric.
    fn count_trip(&mut self) {
        self.trips += 1;
        metrics::counter!("abide_database_trips_total").increment(1);
    }

    /// Adds a statement without parameters to the waiting statements.
    fn hold(&mut self, sql: &'static str) {
        let rows = self.held.as_mut().and_then(|held| held.rows.take());
        let text = Dialect::Sqlite.expand(sql, None);
        self.held = Some(Held { rows, ..self.append_to_held(text) });
    }

    /// Removes the waiting statements, and returns them with the SQL `text` appended.
    fn append_to_held(&mut self, text: Arc<str>) -> Held {
        match self.held.take() {
            Some(held) => Held { text: dialect::joined(&held.text, &text), rows: None, ..held },
            None => Held { text, rows: None, begins: false, earlier: false },
        }
    }

    /// Inspects the answer to the sent statements for an error, and returns the answer unchanged.
    /// If a row violated a uniqueness rule, notifies the hooks of a test.
    /// If some of the statements belong to an earlier member of the batch (`earlier`), records the error
    /// as unattributed.
    fn answered<T>(
        &mut self,
        earlier: bool,
        answer: Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if let Err(error) = &answer {
            if let (StoreError::Duplicate(why), Some(faults)) = (error, &self.faults) {
                faults.row_refused(why);
            }
            if earlier {
                self.unattributed_error = Some(error.clone());
            }
        }
        answer
    }

    /// Sends the waiting statements if one of them has parameters. The next statement has parameters too,
    /// and both statements number their parameters from 1, so they cannot be sent together.
    async fn send_held_rows(&mut self) -> Result<(), StoreError> {
        match &self.held {
            Some(Held { rows: Some(_), .. }) => self.send_held().await,
            _ => Ok(()),
        }
    }

    async fn send_held(&mut self) -> Result<(), StoreError> {
        let Some(held) = self.held.take() else { return Ok(()) };
        self.count_trip();
        let Link::Sqlite(conn) = &mut self.link else { return Ok(()) };
        let query: SqliteQuery<'_> = sqlx::query(AssertSqlSafe(held.text));
        let query = match held.rows {
            Some(rows) => query.bind(rows),
            None => query,
        };
        let answer = conn.open()?.execute(query).await;
        self.answered(held.earlier, answer.map(drop).map_err(StoreError::from))
    }
}

fn bind_arrays<'q>(query: PostgresQuery<'q>, rows: &Rows) -> PostgresQuery<'q> {
    macro_rules! array {
        ($query:expr, $ix:expr, $variant:ident) => {
            $query.bind(
                rows.column($ix)
                    .map(|param| match param {
                        Param::$variant(value) => value.clone(),
                        _ => None,
                    })
                    .collect::<Vec<_>>(),
            )
        };
    }
    rows.columns().iter().enumerate().fold(query, |query, (ix, (_, kind))| match kind {
        ColumnType::Int => array!(query, ix, Int),
        ColumnType::Text => array!(query, ix, Text),
        ColumnType::Id => array!(query, ix, Id),
        ColumnType::Bytes => array!(query, ix, Bytes),
    })
}
