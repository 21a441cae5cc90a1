//! Describes rows that leave the database together.

use crate::store::param::ColumnType;

/// The setting that says how long rows are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// `keep_runs`.
    Runs,
    /// `keep_messages`.
    Messages,
}

/// A table of which rows leave the database.
#[derive(Debug, Clone, Copy)]
pub struct ArchivedTable {
    /// The name of the table.
    pub name: &'static str,
    /// The columns that identify a row.
    pub key: &'static [(&'static str, ColumnType)],
    /// All columns that are archived, the key first.
    pub columns: &'static [(&'static str, ColumnType)],
    /// The query for the rows of some units, whose ids are `{rows}` with the column `id`; `$1` is the maximum number of
    /// rows.
    pub read: &'static str,
    /// The statement that deletes the rows whose keys are `{rows}`. It returns one row for each of them.
    pub delete: &'static str,
}

/// Rows that leave the database together: units, each with an id, and the rows of each unit in several tables.
#[derive(Debug, Clone, Copy)]
pub struct ArchivedGroup {
    /// The name of the group.
    pub name: &'static str,
    /// The setting that says how long the units are kept.
    pub keep: Keep,
    /// Maximum number of units of one chunk.
    pub units: i64,
    /// The query for the next ids of a tenant in ascending order: `$1` is the tenant, `$2` the id to start after, `$3`
    /// the id to stop before, `$4` the maximum number.
    pub walk: &'static str,
    /// The query for the ids (`id`) that belong to the units with the ids `{rows}` (`unit`) and leave with them.
    pub members: Option<&'static str>,
    /// The statement that locks the units with the ids `{rows}` against changes.
    pub lock: Option<&'static str>,
    /// The query for those of the ids `{rows}` that may leave: `$1` is the tenant, `$2` the instant before which they
    /// must have ended.
    pub qualified: &'static str,
    /// The tables, in the order in which their rows leave.
    pub tables: &'static [ArchivedTable],
}

/// Builds one entry of a list of archived tables.
///
/// `archived!("note", [a Id], [b Text], "{rows} JOIN note t ON t.run_id = v.id")` archives the columns `a` and `b` of the
/// table `note`, whose rows are identified by `a`. In the query, the table is named `t`.
#[macro_export]
macro_rules! archived {
    ($table:literal, [$first:ident $first_kind:ident $(, $key:ident $key_kind:ident)*],
     [$($column:ident $kind:ident),* $(,)?], $from:literal) => {
        $crate::store::ArchivedTable {
            name: $table,
            key: &[
                (stringify!($first), $crate::store::ColumnType::$first_kind)
                $(, (stringify!($key), $crate::store::ColumnType::$key_kind))*
            ],
            columns: &[
                (stringify!($first), $crate::store::ColumnType::$first_kind)
                $(, (stringify!($key), $crate::store::ColumnType::$key_kind))*
                $(, (stringify!($column), $crate::store::ColumnType::$kind))*
            ],
            read: concat!(
                "SELECT t.", stringify!($first) $(, ", t.", stringify!($key))* $(, ", t.", stringify!($column))*,
                " FROM ", $from, " LIMIT $1"
            ),
            delete: concat!(
                "DELETE FROM ", $table, " WHERE (", stringify!($first) $(, ", ", stringify!($key))*,
                ") IN (SELECT ", stringify!($first) $(, ", ", stringify!($key))*,
                " FROM {rows}) RETURNING 1 AS gone"
            ),
        }
    };
}
