//! Finds what the names in a contract refer to: columns of a table, or members of the records of a
//! collection.

use abide_engine::contract::{DataSource, DataTool};

use crate::data::StoredRow;
use crate::table::{Column, RECORDS, Table, table};

/// The column of the table of records that calls can set beside the members of the body.
const ARCHIVED_AT: &str = "archived_at";
/// The column of the table of records with the name of the collection.
pub(super) const COLLECTION: &str = "collection";
/// The column of the table of records with the members of the record.
pub(super) const BODY: &str = "body";

/// The rows that a data-driven tool works on.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    /// The table with the rows.
    pub(super) table: &'static Table,
    /// The collection, if the rows are records of one.
    pub(super) collection: Option<&'a str>,
}

/// What a name in a contract refers to.
#[derive(Clone, Copy)]
pub(super) enum Field<'a> {
    /// A column of the table.
    Column(&'static Column),
    /// A member of the body of a record.
    Member(&'a str),
}

impl<'a> Target<'a> {
    pub(super) fn of(tool: &'a DataTool) -> Result<Self, String> {
        match &tool.source {
            DataSource::Table(name) if name == RECORDS => {
                Err(format!("the table `{RECORDS}` is used through a `collection`"))
            }
            DataSource::Table(name) => Ok(Self { table: table(name)?, collection: None }),
            DataSource::Collection(name) => {
                Ok(Self { table: table(RECORDS)?, collection: Some(name) })
            }
        }
    }

    /// Returns the name of the table or of the collection.
    pub(super) fn name(&self) -> &'a str {
        self.collection.unwrap_or(self.table.name)
    }

    /// Whether a row of the table is one of the rows that the tool works on.
    pub(super) fn contains(&self, row: &StoredRow) -> bool {
        self.collection.is_none_or(|collection| row.text(COLLECTION) == collection)
    }

    /// Returns what a name refers to, if calls can set it.
    pub(super) fn settable(&self, name: &'a str) -> Result<Field<'a>, String> {
        match name {
            _ if self.collection.is_none() => self.table.column(name).map(Field::Column),
            ARCHIVED_AT => self.table.column(name).map(Field::Column),
            COLLECTION | BODY => Err(format!("a record cannot have a member `{name}`")),
            _ => Ok(Field::Member(name)),
        }
    }

    /// Returns what a name refers to, which may also be a column that the program sets.
    pub(super) fn readable(&self, name: &'a str) -> Result<Field<'a>, String> {
        let set_by_program = self.table.any_column(name).ok();
        let set_by_program = set_by_program.filter(|_| self.table.column(name).is_err());
        set_by_program.map_or_else(|| self.settable(name), |column| Ok(Field::Column(column)))
    }
}
