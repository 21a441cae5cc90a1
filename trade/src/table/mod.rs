//! The tables of the trade, as data: their columns, what the columns hold, and what rows refer to.
//!
//! The migrations of the trade create these tables. Each row also has a tenant.

mod column;
mod list;

use abide_engine::base::did_you_mean;
use uuid::Uuid;

pub use column::{Column, ColumnKind, Presence};
pub use list::TABLES;

/// A table of the trade.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// The name of the table.
    pub name: &'static str,
    /// The beginning of the ids of the rows, without the underscore.
    pub prefix: &'static str,
    /// The columns that calls can set.
    pub columns: &'static [Column],
}

/// The column with the time of the last change of a row.
pub const UPDATED_AT: Column = Column::new("updated_at", ColumnKind::Instant);
/// The columns that each table has besides its own. The program sets them, and calls can read them.
static SYSTEM_COLUMNS: [Column; 3] = [
    Column::new("id", ColumnKind::Text),
    Column::new("created_at", ColumnKind::Instant),
    UPDATED_AT,
];

/// The table whose rows are the records of all collections.
pub const RECORDS: &str = "records";

/// Returns the table with this name.
///
/// # Errors
/// A sentence that says that there is no such table, with the name of a similar one.
pub fn table(name: &str) -> Result<&'static Table, String> {
    let found = TABLES.iter().find(|table| table.name == name);
    found.ok_or_else(|| {
        let similar = did_you_mean(name, TABLES.iter().map(|table| table.name));
        unknown(format!("there is no table `{name}`"), similar)
    })
}

impl Table {
    /// Returns the column with this name, if calls can set it.
    ///
    /// # Errors
    /// A sentence that says that the table has no such column, with the name of a similar one.
    pub fn column(&self, name: &str) -> Result<&'static Column, String> {
        let found = self.columns.iter().find(|column| column.name == name);
        found.ok_or_else(|| {
            let similar = did_you_mean(name, self.columns.iter().map(|column| column.name));
            unknown(format!("the table `{}` has no column `{name}`", self.name), similar)
        })
    }

    /// Returns the column with this name, which may also be one that the program sets.
    ///
    /// # Errors
    /// As [`Self::column`].
    pub fn any_column(&self, name: &str) -> Result<&'static Column, String> {
        match SYSTEM_COLUMNS.iter().find(|column| column.name == name) {
            Some(column) => Ok(column),
            None => self.column(name),
        }
    }

    /// Returns all columns of a row: those that the program sets, then the others.
    pub fn all_columns(&self) -> impl Iterator<Item = &'static Column> + use<> {
        SYSTEM_COLUMNS.iter().chain(self.columns)
    }

    /// Returns the column whose value is unique among the rows of a tenant, if there is one.
    #[must_use]
    pub fn unique_column(&self) -> Option<&'static Column> {
        self.columns.iter().find(|column| column.unique)
    }

    /// Returns the id of a row as a string.
    #[must_use]
    pub fn id(&self, uuid: Uuid) -> String {
        format!("{}_{}", self.prefix, uuid.simple())
    }

    /// Whether a string begins as the ids of the rows do.
    #[must_use]
    pub fn has_id(&self, text: &str) -> bool {
        text.strip_prefix(self.prefix).is_some_and(|rest| rest.starts_with('_'))
    }
}

fn unknown(what: String, similar: Option<String>) -> String {
    match similar {
        Some(similar) => format!("{what}; {similar}"),
        None => what,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cell::Cell;

    #[test]
    fn names_and_prefixes_are_unique_and_references_exist() {
        let names: BTreeSet<_> = TABLES.iter().map(|table| table.name).collect();
        let prefixes: BTreeSet<_> = TABLES.iter().map(|table| table.prefix).collect();
        assert_eq!((names.len(), prefixes.len()), (TABLES.len(), TABLES.len()));
        for table in TABLES {
            let columns: Vec<_> = table.all_columns().collect();
            let distinct: BTreeSet<_> = columns.iter().map(|column| column.name).collect();
            assert_eq!(distinct.len(), columns.len(), "{}", table.name);
            for column in columns {
                if let Some(other) = column.references {
                    assert!(names.contains(other), "{}.{}", table.name, column.name);
                }
                assert!(!column.unique || column.presence == Presence::Required, "{}", column.name);
            }
        }
    }

    #[test]
    fn every_default_is_a_value_of_its_column() {
        for column in TABLES.iter().flat_map(|table| table.columns) {
            let default = column.default();
            let expected = matches!(column.presence, Presence::Default(_));
            assert_eq!(default != Cell::Null, expected, "{}", column.name);
            let shown = column.shown(&default).expect("it can be shown");
            assert_eq!(shown.is_null(), !expected, "{}", column.name);
        }
    }

    #[test]
    fn unknown_names_are_answered_with_similar_ones() {
        assert_eq!(
            table("lead").expect_err("none"),
            "there is no table `lead`; did you mean `leads`?"
        );
        let leads = table("leads").expect("a table");
        let unknown = leads.column("nam").expect_err("none");
        assert_eq!(unknown, "the table `leads` has no column `nam`; did you mean `name`?");
        assert!(leads.column("id").is_err(), "calls cannot set it");
        assert!(leads.any_column("id").is_ok());
        assert_eq!(leads.unique_column().map(|column| column.name), Some("phone"));
    }

    #[test]
    fn ids_begin_with_the_prefix_of_their_table() {
        let quotes = table("quotes").expect("a table");
        let id = quotes.id(Uuid::from_u128(7));
        assert_eq!(id, "quo_00000000000000000000000000000007");
        assert!(quotes.has_id(&id) && !quotes.has_id("quotes_1") && !quotes.has_id("lead_1"));
    }
}
