//! One connection of either database, and the few calls that everything else is built on.

use sqlx::pool::PoolConnection;
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{AssertSqlSafe, Executor as _, Postgres, Sqlite};

use super::dialect::Dialect;
use super::error::StoreError;
use super::param::{Kind, Param};
use super::row::Row;
use super::rows::Rows;

/// A connection that was taken from its pool.
pub(super) enum Conn {
    Sqlite(PoolConnection<Sqlite>),
    Postgres(PoolConnection<Postgres>),
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
    pub(super) fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Closes this connection instead of giving it back: its state is not known.
    pub(super) fn forget(&mut self) {
        match self {
            Self::Sqlite(conn) => conn.close_on_drop(),
            Self::Postgres(conn) => conn.close_on_drop(),
        }
    }

    /// Runs text without parameters: BEGIN, SAVEPOINT, COMMIT, PRAGMA, migrations.
    pub(super) async fn batch(&mut self, sql: &'static str) -> Result<(), StoreError> {
        count_statement();
        match self {
            Self::Sqlite(conn) => conn.execute(sqlx::raw_sql(sql)).await.map(drop)?,
            Self::Postgres(conn) => conn.execute(sqlx::raw_sql(sql)).await.map(drop)?,
        }
        Ok(())
    }

    pub(super) async fn execute(
        &mut self,
        sql: &'static str,
        params: &[Param],
    ) -> Result<u64, StoreError> {
        count_statement();
        let text = AssertSqlSafe(self.dialect().expand(sql, None));
        Ok(match self {
            Self::Sqlite(conn) => {
                let query: SqliteQuery<'_> = bind_all!(sqlx::query(text), params);
                conn.execute(query).await?.rows_affected()
            }
            Self::Postgres(conn) => {
                let query: PostgresQuery<'_> = bind_all!(sqlx::query(text), params);
                conn.execute(query).await?.rows_affected()
            }
        })
    }

    pub(super) async fn rows(
        &mut self,
        sql: &'static str,
        params: &[Param],
    ) -> Result<Vec<Row>, StoreError> {
        count_statement();
        let text = AssertSqlSafe(self.dialect().expand(sql, None));
        Ok(match self {
            Self::Sqlite(conn) => {
                let query: SqliteQuery<'_> = bind_all!(sqlx::query(text), params);
                conn.fetch_all(query).await?.into_iter().map(Row::Sqlite).collect()
            }
            Self::Postgres(conn) => {
                let query: PostgresQuery<'_> = bind_all!(sqlx::query(text), params);
                conn.fetch_all(query).await?.into_iter().map(Row::Postgres).collect()
            }
        })
    }

    pub(super) async fn bulk(
        &mut self,
        sql: &'static str,
        params: &[Param],
        rows: &Rows,
    ) -> Result<Vec<Row>, StoreError> {
        count_statement();
        let at = params.len() + 1;
        let text = AssertSqlSafe(self.dialect().expand(sql, Some((rows.columns(), at))));
        Ok(match self {
            Self::Sqlite(conn) => {
                let query: SqliteQuery<'_> = bind_all!(sqlx::query(text), params);
                let query = query.bind(rows.to_json());
                conn.fetch_all(query).await?.into_iter().map(Row::Sqlite).collect()
            }
            Self::Postgres(conn) => {
                let query: PostgresQuery<'_> = bind_all!(sqlx::query(text), params);
                let query = bind_arrays(query, rows);
                conn.fetch_all(query).await?.into_iter().map(Row::Postgres).collect()
            }
        })
    }
}

/// One round trip to the database; an idle engine makes none.
fn count_statement() {
    metrics::counter!("abide_statements_total").increment(1);
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
        Kind::Int => array!(query, ix, Int),
        Kind::Text => array!(query, ix, Text),
        Kind::Id => array!(query, ix, Id),
        Kind::Bytes => array!(query, ix, Bytes),
    })
}
