//! Copies a run from one database into another, with all rows that decide how the run continues.
//!
//! The engine's tables to copy are listed in [`tables`], the domain's tables in the domain's `data` folder.
//! The same code copies every table in these lists, so adding a table to a list is enough to copy the
//! table. Definitions and large values are copied if a copied row contains their digest.

mod read;
mod tables;
mod write;

pub use read::RunCopy;
pub(super) use read::digests_in;

use super::param::ColumnType;

/// One table of a copy, with the columns and rows that are copied.
#[derive(Debug, Clone, Copy)]
pub struct CopiedTable {
    /// The name of the table.
    pub name: &'static str,
    /// The copied columns. A column that is left out has its default value in the copy.
    pub columns: &'static [(&'static str, ColumnType)],
    /// The parameters that the query `read` gets.
    pub scope: CopyScope,
    /// The query for the rows; `$1` is the maximum number of rows.
    pub read: &'static str,
    /// The statement that inserts the rows into another database.
    /// Rows that already exist in that database stay unchanged.
    pub write: &'static str,
}

/// The parameters of the query for the rows of a table, besides the maximum number of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyScope {
    /// No parameters: the query itself selects the rows.
    Free,
    /// The tenant, as `$2`.
    Tenant,
    /// The ids of the runs and of the requests that they work on, as `{rows}` with the column `id`.
    Ids,
    /// The tenant as `$2`, and the ids as `{rows}`.
    Both,
}

/// Builds one entry of a list of copied tables.
///
/// `copied!("t", [a Id, b Text = "'x'"], Tenant, "WHERE tenant = $2")` copies the columns `a` and `b`
/// of the table `t`. In every row of the copy, the column `b` has the value `'x'`.
#[macro_export]
macro_rules! copied {
    ($table:literal, [$first:ident $first_kind:ident $(, $column:ident $kind:ident $(= $own:literal)?)* $(,)?],
     $scope:ident, $which:literal) => {
        $crate::store::CopiedTable {
            name: $table,
            columns: &[
                (stringify!($first), $crate::store::ColumnType::$first_kind)
                $(, (stringify!($column), $crate::store::ColumnType::$kind))*
            ],
            scope: $crate::store::CopyScope::$scope,
            read: concat!(
                "SELECT ", stringify!($first) $(, ", ", $crate::copied!(@read $column $(= $own)?))*,
                " FROM ", $table, " ", $which, " LIMIT $1"
            ),
            write: concat!(
                "INSERT INTO ", $table, " (", stringify!($first) $(, ", ", stringify!($column))*,
                ") SELECT ", stringify!($first) $(, ", ", stringify!($column))*,
                " FROM {rows} WHERE true ON CONFLICT DO NOTHING"
            ),
        }
    };
    (@read $column:ident) => { stringify!($column) };
    (@read $column:ident = $own:literal) => { concat!($own, " AS ", stringify!($column)) };
}
