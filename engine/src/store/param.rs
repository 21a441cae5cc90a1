//! Defines the values that can be bound to a statement.
//! The set of types is small and the same for both databases.

use uuid::Uuid;

use crate::base::text::without_nul;
use crate::base::{
    ApprovalId, ArchiveId, AskId, CallId, ClassificationId, CorrelationId, Digest, EventId,
    MessageId, NodeId, OfferId, PersonId, PiiId, PlanId, ReceiptId, RequestId, RowId, RunId,
    SignalId, Span, StreamId, TimerId, Timestamp, TokenId, TypedId as _, UpgradeId,
};

/// A value bound to `$n`. A missing value (`None`) has a type too, because PostgreSQL needs the type to
/// plan the statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Param {
    /// A whole number, an instant or a duration in microseconds, or a flag as 0 or 1.
    Int(Option<i64>),
    /// A string. U+0000, which PostgreSQL refuses, becomes U+FFFD.
    Text(Option<String>),
    /// An id.
    Id(Option<Uuid>),
    /// Raw bytes.
    Bytes(Option<Vec<u8>>),
}

/// The type of a column of [`super::Rows`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Holds values of [`Param::Int`].
    Int,
    /// Holds values of [`Param::Text`].
    Text,
    /// Holds values of [`Param::Id`].
    Id,
    /// Holds values of [`Param::Bytes`].
    Bytes,
}

impl ColumnType {
    /// Returns the name of the type on PostgreSQL.
    pub(super) fn on_postgres(self) -> &'static str {
        match self {
            Self::Int => "bigint",
            Self::Text => "text",
            Self::Id => "uuid",
            Self::Bytes => "bytea",
        }
    }
}

macro_rules! into_param {
    ($($from:ty => $variant:ident, |$value:ident| $convert:expr;)*) => {$(
        impl From<$from> for Param {
            fn from($value: $from) -> Self {
                Self::$variant(Some($convert))
            }
        }
        impl From<Option<$from>> for Param {
            fn from(value: Option<$from>) -> Self {
                Self::$variant(value.map(|$value| $convert))
            }
        }
    )*};
}

into_param! {
    i64 => Int, |v| v;
    bool => Int, |v| i64::from(v);
    u32 => Int, |v| i64::from(v);
    i32 => Int, |v| i64::from(v);
    Timestamp => Int, |v| v.micros();
    Span => Int, |v| v.micros();
    String => Text, |v| without_nul(v);
    &str => Text, |v| without_nul(v.to_owned());
    &String => Text, |v| without_nul(v.clone());
    Uuid => Id, |v| v;
    Vec<u8> => Bytes, |v| v;
    &[u8] => Bytes, |v| v.to_vec();
    Digest => Bytes, |v| v.as_bytes().to_vec();
    RunId => Id, |v| v.uuid();
    RequestId => Id, |v| v.uuid();
    PersonId => Id, |v| v.uuid();
    OfferId => Id, |v| v.uuid();
    AskId => Id, |v| v.uuid();
    SignalId => Id, |v| v.uuid();
    UpgradeId => Id, |v| v.uuid();
    PlanId => Id, |v| v.uuid();
    RowId => Id, |v| v.uuid();
    ClassificationId => Id, |v| v.uuid();
    TimerId => Id, |v| v.uuid();
    ReceiptId => Id, |v| v.uuid();
    ApprovalId => Id, |v| v.uuid();
    TokenId => Id, |v| v.uuid();
    MessageId => Id, |v| v.uuid();
    CorrelationId => Id, |v| v.uuid();
    CallId => Id, |v| v.uuid();
    EventId => Id, |v| v.uuid();
    NodeId => Id, |v| v.uuid();
    PiiId => Id, |v| v.uuid();
    StreamId => Id, |v| v.uuid();
    ArchiveId => Id, |v| v.uuid();
}

/// Builds the parameters of a statement: `params![run, now, None::<i64>]`.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { [$($crate::store::Param::from($value)),*] };
}
