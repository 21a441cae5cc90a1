//! Sends the statements of the store over a connection to SQLite or PostgreSQL.

use std::sync::Arc;

use futures_util::future::{BoxFuture, OptionFuture};
use sqlx::pool::PoolConnection;
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Executor as _, Postgres};

use super::dialect::{Dialect, RowsAt};
use super::error::StoreError;
use super::faults::{StatementHooks, WorkKind, WorkPermit};
use super::param::{ColumnType, Param};
use super::row::Row;
use super::rows::Rows;
use super::sqlite;

/// A database connection. Only one transaction uses it at a time.
pub(super) struct Conn {
    link: Link,
    /// What happens to statements that change or lock rows.
    writes: Writes,
    /// Number of statements since this connection was taken from the pool.
    sent: u64,
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

impl From<sqlite::Link> for Conn {
    fn from(conn: sqlite::Link) -> Self {
        Self::of(Link::Sqlite(conn))
    }
}

impl From<PoolConnection<Postgres>> for Conn {
    fn from(conn: PoolConnection<Postgres>) -> Self {
        Self::of(Link::Postgres(conn))
    }
}

type PostgresQuery<'q> = Query<'q, Postgres, sqlx::postgres::PgArguments>;

impl Conn {
    fn of(link: Link) -> Self {
        Self { link, writes: Writes::Allowed, sent: 0, faults: None }
    }

    /// Attaches the hooks of a test, which decide the sequence of statements
    /// and are notified of rows that violate a uniqueness rule.
    pub(super) fn with_faults(self, faults: Arc<dyn StatementHooks>) -> Self {
        Self { faults: Some(faults), ..self }
    }

    /// Waits for the permit to send a statement to a server, if a test decides the sequence of statements.
    fn permit(&self) -> OptionFuture<BoxFuture<'static, WorkPermit>> {
        let faults = self.faults.as_ref().filter(|_| self.dialect() == Dialect::Postgres);
        faults.and_then(|faults| faults.permit(WorkKind::Statement)).into()
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

    /// Runs SQL without parameters, such as BEGIN, COMMIT or a migration.
    pub(super) async fn batch(&mut self, sql: &'static str) -> Result<(), StoreError> {
        let _permit = self.permit().await;
        self.count();
        match &mut self.link {
            Link::Sqlite(conn) => conn.script(sql),
            Link::Postgres(conn) => Ok(conn.execute(sqlx::raw_sql(sql)).await.map(drop)?),
        }
    }

    /// Runs a statement, and returns the number of rows that it changed.
    pub(super) async fn execute(
        &mut self,
        sql: &'static str,
        params: &[Param],
    ) -> Result<u64, StoreError> {
        let text = self.next_statement(sql, None)?;
        let _permit = self.permit().await;
        let answer = match &mut self.link {
            Link::Sqlite(conn) => conn.execute(&text, params),
            Link::Postgres(conn) => {
                let query = bind_all(sqlx::query(AssertSqlSafe(text)), params);
                conn.execute(query).await.map(|done| done.rows_affected()).map_err(StoreError::from)
            }
        };
        self.answered(answer)
    }

    /// Runs a statement, and returns its rows.
    pub(super) async fn rows(
        &mut self,
        sql: &'static str,
        params: &[Param],
    ) -> Result<Vec<Row>, StoreError> {
        let text = self.next_statement(sql, None)?;
        self.fetch(text, params, None).await
    }

    /// Runs a statement over many rows, and returns its rows.
    pub(super) async fn bulk(
        &mut self,
        sql: &'static str,
        params: &[Param],
        rows: &Rows,
    ) -> Result<Vec<Row>, StoreError> {
        let text = self.next_statement(sql, Some((rows.columns(), params.len() + 1)))?;
        self.fetch(text, params, Some(rows)).await
    }

    async fn fetch(
        &mut self,
        text: Arc<str>,
        params: &[Param],
        rows: Option<&Rows>,
    ) -> Result<Vec<Row>, StoreError> {
        let _permit = self.permit().await;
        let answer = match &mut self.link {
            Link::Sqlite(conn) => {
                let found = match rows {
                    None => conn.rows(&text, params),
                    Some(rows) => {
                        let mut params = params.to_vec();
                        params.push(Param::Text(Some(rows.to_json())));
                        conn.rows(&text, &params)
                    }
                };
                found.map(|rows| rows.into_iter().map(Row::Sqlite).collect())
            }
            Link::Postgres(conn) => {
                let query = bind_all(sqlx::query(AssertSqlSafe(text)), params);
                let query = rows.into_iter().fold(query, bind_arrays);
                let rows = conn.fetch_all(query).await;
                let rows = rows.map(|rows| rows.into_iter().map(Row::Postgres).collect());
                rows.map_err(StoreError::from)
            }
        };
        self.answered(answer)
    }

    /// Returns the SQL to send for a portable statement, unless it is to be refused. Counts it, and tells the hooks of
    /// a test.
    fn next_statement(
        &mut self,
        sql: &'static str,
        rows: Option<RowsAt>,
    ) -> Result<Arc<str>, StoreError> {
        self.check_write(sql)?;
        self.count();
        let text = self.dialect().expand(sql, rows);
        if let Some(faults) = &self.faults {
            faults.statement(self.dialect(), &text);
        }
        Ok(text)
    }

    /// Returns the number of statements since this connection was taken from the pool.
    pub(super) fn sent(&self) -> u64 {
        self.sent
    }

    /// Counts one statement, for this connection and in the metric.
    fn count(&mut self) {
        self.sent += 1;
        metrics::counter!("abide_database_statements_total").increment(1);
    }

    /// Notifies the hooks of a test if a row violated a uniqueness rule. Returns the answer.
    fn answered<T>(&self, answer: Result<T, StoreError>) -> Result<T, StoreError> {
        if let (Err(StoreError::Duplicate(why)), Some(faults)) = (&answer, &self.faults) {
            faults.row_refused(why);
        }
        answer
    }
}

fn bind_all<'q>(query: PostgresQuery<'q>, params: &[Param]) -> PostgresQuery<'q> {
    params.iter().fold(query, |query, param| match param {
        Param::Int(v) => query.bind(*v),
        Param::Text(v) => query.bind(v.clone()),
        Param::Id(v) => query.bind(*v),
        Param::Bytes(v) => query.bind(v.clone()),
    })
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
