//! A run taken out of a database with all that its way on hangs on, and put into another one.
//!
//! What is taken stands in lists, one entry a table: the engine's in [`tables`], the domain's in its own
//! `data`. One reader and one writer go over them, so that a table is copied by being named. What is named
//! by a digest (texts, large values) comes along by being named in a row that is copied.

mod read;
mod tables;
mod write;

pub use read::RunCopy;

use super::param::Kind;

/// One table of a copy: which of its columns and rows are taken.
#[derive(Debug)]
pub struct CopiedTable {
    /// Its name.
    pub name: &'static str,
    /// Its columns; one that is left out is empty in the copy.
    pub columns: &'static [(&'static str, Kind)],
    /// What its rows are chosen by.
    pub scope: CopyScope,
    /// Reads the rows; `$1` is how many at most.
    pub read: &'static str,
    /// Puts them into another database, those that are there already left as they are.
    pub write: &'static str,
}

/// What the rows of a table are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyScope {
    /// By neither: the choice is in the text.
    Free,
    /// By the tenant, `$2`.
    Tenant,
    /// By the ids of the runs and of what they work on, `{rows}` with the column `id`.
    Ids,
    /// By both.
    Both,
}

/// An entry of such a list: `copied!("t", [a Id, b Text = "'x'"], Tenant, "WHERE tenant = $2")` takes the
/// columns `a` and `b` of the table `t`, the second with a value of our own in every row.
#[macro_export]
macro_rules! copied {
    ($table:literal, [$first:ident $first_kind:ident $(, $column:ident $kind:ident $(= $own:literal)?)* $(,)?],
     $scope:ident, $which:literal) => {
        $crate::store::CopiedTable {
            name: $table,
            columns: &[
                (stringify!($first), $crate::store::Kind::$first_kind)
                $(, (stringify!($column), $crate::store::Kind::$kind))*
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
