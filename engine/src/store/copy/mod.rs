//! Copies of a run with all that its further course depends on, taken from one database and put into
//! another.
//!
//! Lists name what is copied, with one entry per table: the engine's tables in [`tables`], the domain's in
//! its own `data`. One reader and one writer process the lists, so that a table is copied once it is named.
//! Texts and large values, which have a digest, are copied if a copied row names that digest.

mod read;
mod tables;
mod write;

pub use read::RunCopy;

use super::param::ColumnType;

/// One table of a copy: which of its columns and rows are copied.
#[derive(Debug)]
pub struct CopiedTable {
    /// The name of the table.
    pub name: &'static str,
    /// Its columns. A column that is left out has its default in the copy.
    pub columns: &'static [(&'static str, ColumnType)],
    /// The parameters that select its rows.
    pub scope: CopyScope,
    /// The query for the rows; `$1` is the maximum number of rows.
    pub read: &'static str,
    /// The statement that inserts the rows into another database; rows that exist there are left as they
    /// are.
    pub write: &'static str,
}

/// The parameters that select the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyScope {
    /// None: the query itself selects them.
    Free,
    /// The tenant, as `$2`.
    Tenant,
    /// The ids of the runs and of the requests that they work on, as `{rows}` with the column `id`.
    Ids,
    /// Both the tenant and the ids.
    Both,
}

/// Builds an entry of such a list: `copied!("t", [a Id, b Text = "'x'"], Tenant, "WHERE tenant = $2")`
/// copies the columns `a` and `b` of the table `t`, the second with the given value in every row.
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
    (@read $column:ident = $own:literal) => { $own };
}
