//! A row of a query of an embedded database, with its values in memory.

use std::sync::Arc;

use rusqlite::types::Value;
use uuid::Uuid;

use super::super::error::StoreError;

/// One row of a query result.
#[derive(Debug)]
pub struct SqliteRow {
    names: Arc<[String]>,
    values: Vec<Value>,
}

impl SqliteRow {
    pub(super) fn new(names: Arc<[String]>, values: Vec<Value>) -> Self {
        Self { names, values }
    }

    /// Returns the number of columns with this name.
    pub(in crate::store) fn count(&self, name: &str) -> usize {
        self.names.iter().filter(|column| *column == name).count()
    }

    /// Reads a value; NULL is `None`.
    pub(in crate::store) fn read<T: FromSqlite>(
        &self,
        name: &str,
    ) -> Result<Option<T>, StoreError> {
        let ix = self.names.iter().position(|column| column == name);
        let value = ix.and_then(|ix| self.values.get(ix));
        match value {
            None => Err(StoreError::Other(format!("there is no column `{name}`"))),
            Some(Value::Null) => Ok(None),
            Some(value) => T::from_sqlite(value).map(Some).ok_or_else(|| {
                let (kind, wanted) = (value.data_type(), T::NAME);
                StoreError::Corrupt(format!("column `{name}` holds {kind}, not {wanted}"))
            }),
        }
    }
}

/// A type whose values SQLite stores.
pub(in crate::store) trait FromSqlite: Sized {
    /// What an error calls a value of this type.
    const NAME: &'static str;

    /// Reads a value that is not NULL; `None` if it is of another type.
    fn from_sqlite(value: &Value) -> Option<Self>;
}

impl FromSqlite for i64 {
    const NAME: &'static str = "a whole number";

    fn from_sqlite(value: &Value) -> Option<Self> {
        match value {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }
}

impl FromSqlite for String {
    const NAME: &'static str = "a text";

    fn from_sqlite(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

impl FromSqlite for Vec<u8> {
    const NAME: &'static str = "bytes";

    fn from_sqlite(value: &Value) -> Option<Self> {
        match value {
            Value::Blob(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }
}

impl FromSqlite for Uuid {
    const NAME: &'static str = "an id";

    fn from_sqlite(value: &Value) -> Option<Self> {
        match value {
            Value::Blob(bytes) => Self::from_slice(bytes).ok(),
            _ => None,
        }
    }
}
