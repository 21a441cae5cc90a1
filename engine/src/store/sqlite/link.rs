//! A connection to an embedded database. A statement runs on the thread that calls it.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{CachedStatement, Connection, Rows as Cursor, ToSql};
use tokio::sync::OwnedSemaphorePermit;

use super::super::error::StoreError;
use super::super::param::Param;
use super::row::SqliteRow;

/// The reading connections that nobody uses.
pub(super) type Idle = Arc<Mutex<Vec<Connection>>>;

/// A connection to an embedded database. Dropping this value gives the connection back to the readers that
/// lent it, if any did and it is still open.
pub(in crate::store) struct Link {
    conn: Option<Connection>,
    lent: Option<(Idle, OwnedSemaphorePermit)>,
}

impl Link {
    /// Takes a connection of the readers.
    pub(super) fn lent(conn: Connection, idle: Idle, room: OwnedSemaphorePermit) -> Self {
        Self { conn: Some(conn), lent: Some((idle, room)) }
    }

    /// Closes the connection, because its state is not known.
    pub(in crate::store) fn close(&mut self) {
        self.conn = None;
    }

    /// Runs SQL without parameters, which may contain several statements.
    pub(in crate::store) fn script(&self, sql: &str) -> Result<(), StoreError> {
        Ok(self.open()?.execute_batch(sql)?)
    }

    /// Runs a statement, and returns the number of rows that it changed.
    pub(in crate::store) fn execute(&self, sql: &str, params: &[Param]) -> Result<u64, StoreError> {
        let conn = self.open()?;
        let mut statement = conn.prepare_cached(sql)?;
        let mut rows = query(&mut statement, params)?;
        while rows.next()?.is_some() {}
        Ok(conn.changes())
    }

    /// Runs a statement, and returns its rows.
    pub(in crate::store) fn rows(
        &self,
        sql: &str,
        params: &[Param],
    ) -> Result<Vec<SqliteRow>, StoreError> {
        let mut statement = self.open()?.prepare_cached(sql)?;
        let names: Arc<[String]> =
            statement.column_names().into_iter().map(str::to_owned).collect();
        let mut rows = query(&mut statement, params)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let values = (0..names.len()).map(|ix| row.get::<_, Value>(ix));
            let values = values.collect::<Result<_, rusqlite::Error>>()?;
            found.push(SqliteRow::new(Arc::clone(&names), values));
        }
        Ok(found)
    }

    /// Returns the connection. Fails if the connection was closed.
    fn open(&self) -> Result<&Connection, StoreError> {
        let closed = || StoreError::Unavailable("the connection is closed".into());
        self.conn.as_ref().ok_or_else(closed)
    }
}

/// Binds the parameters by their numbers, and begins to run the statement. For SQLite, `$2` is a name: the places of the
/// parameters follow from where their names first stand in the text.
fn query<'s>(
    statement: &'s mut CachedStatement<'_>,
    params: &[Param],
) -> Result<Cursor<'s>, rusqlite::Error> {
    for place in 1..=statement.parameter_count() {
        let number = statement.parameter_name(place).and_then(|name| name[1..].parse().ok());
        let param = number.and_then(|number: usize| params.get(number.checked_sub(1)?));
        let missing = rusqlite::Error::InvalidParameterCount(params.len(), place);
        let param = param.ok_or(missing)?;
        statement.raw_bind_parameter(place, param)?;
    }
    Ok(statement.raw_query())
}

impl From<Connection> for Link {
    fn from(conn: Connection) -> Self {
        Self { conn: Some(conn), lent: None }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let (Some(conn), Some((idle, _room))) = (self.conn.take(), self.lent.take()) {
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(conn);
        }
    }
}

impl ToSql for Param {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self {
            Self::Int(Some(number)) => ValueRef::Integer(*number),
            Self::Text(Some(text)) => ValueRef::Text(text.as_bytes()),
            Self::Id(Some(id)) => ValueRef::Blob(id.as_bytes()),
            Self::Bytes(Some(bytes)) => ValueRef::Blob(bytes),
            Self::Int(None) | Self::Text(None) | Self::Id(None) | Self::Bytes(None) => {
                ValueRef::Null
            }
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}
