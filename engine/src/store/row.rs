//! A row that was read, from either database, by column number.

use sqlx::{Row as _, ValueRef as _};
use uuid::Uuid;

use super::error::StoreError;
use super::param::{Kind, Param};
use crate::base::{Digest, Timestamp, TypedId, Value};

/// One row of an answer.
#[derive(Debug)]
pub enum Row {
    /// From SQLite.
    Sqlite(sqlx::sqlite::SqliteRow),
    /// From PostgreSQL.
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
    /// A whole number; NULL is an error.
    pub fn int(&self, ix: usize) -> Result<i64, StoreError> {
        self.opt_int(ix)?.ok_or_else(|| missing(ix))
    }

    /// A whole number or nothing.
    pub fn opt_int(&self, ix: usize) -> Result<Option<i64>, StoreError> {
        if let Row::Postgres(row) = self
            && row.try_get_raw(ix)?.type_info().as_ref()
                == &sqlx::postgres::PgTypeInfo::with_name("INT4")
        {
            return Ok(row.try_get::<Option<i32>, _>(ix)?.map(i64::from));
        }
        read!(self, ix, i64)
    }

    /// A flag that is stored as 0 or 1.
    pub fn flag(&self, ix: usize) -> Result<bool, StoreError> {
        Ok(self.int(ix)? != 0)
    }

    /// An instant.
    pub fn at(&self, ix: usize) -> Result<Timestamp, StoreError> {
        self.int(ix).map(Timestamp::from_micros)
    }

    /// An instant or nothing.
    pub fn opt_at(&self, ix: usize) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.opt_int(ix)?.map(Timestamp::from_micros))
    }

    /// A text; NULL is an error.
    pub fn text(&self, ix: usize) -> Result<String, StoreError> {
        self.opt_text(ix)?.ok_or_else(|| missing(ix))
    }

    /// A text or nothing.
    pub fn opt_text(&self, ix: usize) -> Result<Option<String>, StoreError> {
        read!(self, ix, String)
    }

    /// A JSON value that is stored as text; NULL is JSON's null.
    pub fn json(&self, ix: usize) -> Result<Value, StoreError> {
        match self.opt_text(ix)? {
            None => Ok(Value::Null),
            Some(text) => serde_json::from_str(&text)
                .map_err(|e| StoreError::Corrupt(format!("column {ix} is not JSON: {e}"))),
        }
    }

    /// An id; NULL is an error.
    pub fn id<T: TypedId>(&self, ix: usize) -> Result<T, StoreError> {
        self.opt_id(ix)?.ok_or_else(|| missing(ix))
    }

    /// An id or nothing.
    pub fn opt_id<T: TypedId>(&self, ix: usize) -> Result<Option<T>, StoreError> {
        Ok(self.opt_uuid(ix)?.map(T::from_uuid))
    }

    /// An id of whatever kind, or nothing.
    pub(super) fn opt_uuid(&self, ix: usize) -> Result<Option<Uuid>, StoreError> {
        read!(self, ix, Uuid)
    }

    /// The column as it is bound to a statement.
    pub(super) fn param(&self, ix: usize, kind: Kind) -> Result<Param, StoreError> {
        Ok(match kind {
            Kind::Int => Param::Int(self.opt_int(ix)?),
            Kind::Text => Param::Text(self.opt_text(ix)?),
            Kind::Id => Param::Id(self.opt_uuid(ix)?),
            Kind::Bytes => Param::Bytes(self.opt_bytes(ix)?),
        })
    }

    /// Raw bytes; NULL is an error.
    pub fn bytes(&self, ix: usize) -> Result<Vec<u8>, StoreError> {
        self.opt_bytes(ix)?.ok_or_else(|| missing(ix))
    }

    /// Raw bytes or nothing.
    pub fn opt_bytes(&self, ix: usize) -> Result<Option<Vec<u8>>, StoreError> {
        read!(self, ix, Vec<u8>)
    }

    /// A digest; NULL is an error.
    pub fn digest(&self, ix: usize) -> Result<Digest, StoreError> {
        Digest::from_slice(&self.bytes(ix)?)
            .ok_or_else(|| StoreError::Corrupt(format!("column {ix} is not a digest")))
    }
}
