//! Reads a row of a query result, from either database, by column name.
//!
//! Every column that is read must have a unique name in its query: an expression gets an alias, and columns
//! that have the same name in two tables get different aliases.
//! If two columns had the same name, either might be read.

use serde::de::value::{Error as WordError, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer as _};
use sqlx::{Column as _, Row as _, ValueRef as _};
use uuid::Uuid;

use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::sqlite::SqliteRow;
use crate::base::{Digest, Timestamp, TypedId, Value};

/// One row of a query result.
#[derive(Debug)]
pub enum Row {
    /// A row from SQLite.
    Sqlite(SqliteRow),
    /// A row from PostgreSQL.
    Postgres(sqlx::postgres::PgRow),
}

macro_rules! read {
    ($self:ident, $name:ident, $type:ty) => {
        match $self.named($name) {
            Row::Sqlite(row) => row.read::<$type>($name),
            Row::Postgres(row) => row.try_get::<Option<$type>, _>($name).map_err(StoreError::from),
        }
    };
}

fn missing(name: &str) -> StoreError {
    StoreError::Corrupt(format!("column `{name}` is NULL"))
}

impl Row {
    /// Returns the row. In a debug build, panics if two of its columns have this name.
    fn named(&self, name: &str) -> &Self {
        debug_assert!(self.count(name) <= 1, "two columns are named `{name}`");
        self
    }

    fn count(&self, name: &str) -> usize {
        match self {
            Self::Sqlite(row) => row.count(name),
            Self::Postgres(row) => row.columns().iter().filter(|c| c.name() == name).count(),
        }
    }

    /// Reads a whole number; NULL is an error.
    pub fn int(&self, name: &str) -> Result<i64, StoreError> {
        self.opt_int(name)?.ok_or_else(|| missing(name))
    }

    /// Reads a whole number; NULL is `None`.
    pub fn opt_int(&self, name: &str) -> Result<Option<i64>, StoreError> {
        if let Row::Postgres(row) = self.named(name)
            && row.try_get_raw(name)?.type_info().as_ref()
                == &sqlx::postgres::PgTypeInfo::with_name("INT4")
        {
            return Ok(row.try_get::<Option<i32>, _>(name)?.map(i64::from));
        }
        read!(self, name, i64)
    }

    /// Reads a flag that is stored as 0 or 1; NULL is an error.
    pub fn flag(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.int(name)? != 0)
    }

    /// Reads an instant; NULL is an error.
    pub fn at(&self, name: &str) -> Result<Timestamp, StoreError> {
        self.int(name).map(Timestamp::from_micros)
    }

    /// Reads an instant; NULL is `None`.
    pub fn opt_at(&self, name: &str) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.opt_int(name)?.map(Timestamp::from_micros))
    }

    /// Reads a string; NULL is an error.
    pub fn text(&self, name: &str) -> Result<String, StoreError> {
        self.opt_text(name)?.ok_or_else(|| missing(name))
    }

    /// Reads a string; NULL is `None`.
    pub fn opt_text(&self, name: &str) -> Result<Option<String>, StoreError> {
        read!(self, name, String)
    }

    /// Reads a value that is stored as a word, such as a variant of an enum; NULL is an error.
    pub(super) fn word<T: DeserializeOwned>(&self, name: &str) -> Result<T, StoreError> {
        self.opt_word(name)?.ok_or_else(|| missing(name))
    }

    /// Reads a value that is stored as a word, such as a variant of an enum; NULL is `None`.
    pub(super) fn opt_word<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, StoreError> {
        let Some(text) = self.opt_text(name)? else { return Ok(None) };
        let word: StrDeserializer<'_, WordError> = text.as_str().into_deserializer();
        T::deserialize(word)
            .map(Some)
            .map_err(|e| StoreError::Corrupt(format!("column `{name}` has an unknown word: {e}")))
    }

    /// Reads a JSON value that is stored as a string; NULL is JSON's `null`.
    pub fn json(&self, name: &str) -> Result<Value, StoreError> {
        match self.opt_text(name)? {
            None => Ok(Value::Null),
            Some(text) => serde_json::from_str(&text)
                .map_err(|e| StoreError::Corrupt(format!("column `{name}` is not JSON: {e}"))),
        }
    }

    /// Reads an id; NULL is an error.
    pub fn id<T: TypedId>(&self, name: &str) -> Result<T, StoreError> {
        self.opt_id(name)?.ok_or_else(|| missing(name))
    }

    /// Reads an id; NULL is `None`.
    pub fn opt_id<T: TypedId>(&self, name: &str) -> Result<Option<T>, StoreError> {
        Ok(self.opt_uuid(name)?.map(T::from_uuid))
    }

    /// Reads an id of any kind; NULL is `None`.
    pub(super) fn opt_uuid(&self, name: &str) -> Result<Option<Uuid>, StoreError> {
        read!(self, name, Uuid)
    }

    /// Reads a column as a value that can be bound to another statement.
    pub(super) fn param(&self, name: &str, kind: ColumnType) -> Result<Param, StoreError> {
        Ok(match kind {
            ColumnType::Int => Param::Int(self.opt_int(name)?),
            ColumnType::Text => Param::Text(self.opt_text(name)?),
            ColumnType::Id => Param::Id(self.opt_uuid(name)?),
            ColumnType::Bytes => Param::Bytes(self.opt_bytes(name)?),
        })
    }

    /// Reads raw bytes; NULL is an error.
    pub fn bytes(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        self.opt_bytes(name)?.ok_or_else(|| missing(name))
    }

    /// Reads raw bytes; NULL is `None`.
    pub fn opt_bytes(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        read!(self, name, Vec<u8>)
    }

    /// Reads a digest; NULL is an error.
    pub fn digest(&self, name: &str) -> Result<Digest, StoreError> {
        Digest::from_slice(&self.bytes(name)?)
            .ok_or_else(|| StoreError::Corrupt(format!("column `{name}` is not a digest")))
    }

    /// Reads a digest; NULL is `None`.
    pub fn opt_digest(&self, name: &str) -> Result<Option<Digest>, StoreError> {
        match self.opt_bytes(name)? {
            Some(_) => self.digest(name).map(Some),
            None => Ok(None),
        }
    }
}
