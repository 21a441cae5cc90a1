//! A row of a query result, from either database, read by column number.

use serde::de::value::{Error as WordError, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer as _};
use sqlx::{Row as _, ValueRef as _};
use uuid::Uuid;

use super::error::StoreError;
use super::param::{ColumnType, Param};
use crate::base::{Digest, Timestamp, TypedId, Value};

/// One row of a query result.
#[derive(Debug)]
pub enum Row {
    /// A row from SQLite.
    Sqlite(sqlx::sqlite::SqliteRow),
    /// A row from PostgreSQL.
    Postgres(sqlx::postgres::PgRow),
}

macro_rules! read {
    ($self:ident, $ix:ident, $type:ty) => {
        match $self {
            Row::Sqlite(row) => row.try_get::<Option<$type>, _>($ix).map_err(StoreError::from),
            Row::Postgres(row) => row.try_get::<Option<$type>, _>($ix).map_err(StoreError::from),
        }
    };
}

fn missing(ix: usize) -> StoreError {
    StoreError::Corrupt(format!("column {ix} is NULL"))
}

impl Row {
    /// Reads a whole number; NULL is an error.
    pub fn int(&self, ix: usize) -> Result<i64, StoreError> {
        self.opt_int(ix)?.ok_or_else(|| missing(ix))
    }

    /// Reads a whole number; NULL is `None`.
    pub fn opt_int(&self, ix: usize) -> Result<Option<i64>, StoreError> {
        if let Row::Postgres(row) = self
            && row.try_get_raw(ix)?.type_info().as_ref()
                == &sqlx::postgres::PgTypeInfo::with_name("INT4")
        {
            return Ok(row.try_get::<Option<i32>, _>(ix)?.map(i64::from));
        }
        read!(self, ix, i64)
    }

    /// Reads a flag that is stored as 0 or 1; NULL is an error.
    pub fn flag(&self, ix: usize) -> Result<bool, StoreError> {
        Ok(self.int(ix)? != 0)
    }

    /// Reads an instant; NULL is an error.
    pub fn at(&self, ix: usize) -> Result<Timestamp, StoreError> {
        self.int(ix).map(Timestamp::from_micros)
    }

    /// Reads an instant; NULL is `None`.
    pub fn opt_at(&self, ix: usize) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.opt_int(ix)?.map(Timestamp::from_micros))
    }

    /// Reads a string; NULL is an error.
    pub fn text(&self, ix: usize) -> Result<String, StoreError> {
        self.opt_text(ix)?.ok_or_else(|| missing(ix))
    }

    /// Reads a string; NULL is `None`.
    pub fn opt_text(&self, ix: usize) -> Result<Option<String>, StoreError> {
        read!(self, ix, String)
    }

    /// Reads the stored word for a value, such as a variant of an enum; NULL is an error.
    pub(super) fn word<T: DeserializeOwned>(&self, ix: usize) -> Result<T, StoreError> {
        self.opt_word(ix)?.ok_or_else(|| missing(ix))
    }

    /// Reads the stored word for a value, such as a variant of an enum; NULL is `None`.
    pub(super) fn opt_word<T: DeserializeOwned>(&self, ix: usize) -> Result<Option<T>, StoreError> {
        let Some(text) = self.opt_text(ix)? else { return Ok(None) };
        let word: StrDeserializer<'_, WordError> = text.as_str().into_deserializer();
        T::deserialize(word)
            .map(Some)
            .map_err(|e| StoreError::Corrupt(format!("column {ix} has an unknown word: {e}")))
    }

    /// Reads a JSON value that is stored as a string; NULL is JSON's `null`.
    pub fn json(&self, ix: usize) -> Result<Value, StoreError> {
        match self.opt_text(ix)? {
            None => Ok(Value::Null),
            Some(text) => serde_json::from_str(&text)
                .map_err(|e| StoreError::Corrupt(format!("column {ix} is not JSON: {e}"))),
        }
    }

    /// Reads an id; NULL is an error.
    pub fn id<T: TypedId>(&self, ix: usize) -> Result<T, StoreError> {
        self.opt_id(ix)?.ok_or_else(|| missing(ix))
    }

    /// Reads an id; NULL is `None`.
    pub fn opt_id<T: TypedId>(&self, ix: usize) -> Result<Option<T>, StoreError> {
        Ok(self.opt_uuid(ix)?.map(T::from_uuid))
    }

    /// Reads an id of any kind; NULL is `None`.
    pub(super) fn opt_uuid(&self, ix: usize) -> Result<Option<Uuid>, StoreError> {
        read!(self, ix, Uuid)
    }

    /// Reads a column as a value that can be bound to another statement.
    pub(super) fn param(&self, ix: usize, kind: ColumnType) -> Result<Param, StoreError> {
        Ok(match kind {
            ColumnType::Int => Param::Int(self.opt_int(ix)?),
            ColumnType::Text => Param::Text(self.opt_text(ix)?),
            ColumnType::Id => Param::Id(self.opt_uuid(ix)?),
            ColumnType::Bytes => Param::Bytes(self.opt_bytes(ix)?),
        })
    }

    /// Reads raw bytes; NULL is an error.
    pub fn bytes(&self, ix: usize) -> Result<Vec<u8>, StoreError> {
        self.opt_bytes(ix)?.ok_or_else(|| missing(ix))
    }

    /// Reads raw bytes; NULL is `None`.
    pub fn opt_bytes(&self, ix: usize) -> Result<Option<Vec<u8>>, StoreError> {
        read!(self, ix, Vec<u8>)
    }

    /// Reads a digest; NULL is an error.
    pub fn digest(&self, ix: usize) -> Result<Digest, StoreError> {
        Digest::from_slice(&self.bytes(ix)?)
            .ok_or_else(|| StoreError::Corrupt(format!("column {ix} is not a digest")))
    }
}
