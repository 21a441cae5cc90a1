//! Lists the tables of the trade that are copied for a forecast: all of them, with all rows of the tenant,
//! because a tool can read any row. The engine bounds the number of rows of a copy.

use std::sync::LazyLock;

use abide_engine::store::{ColumnType, CopiedTable, CopyScope, Kept, KeptTable, kept};

use super::files::COPIED_FILES;
use super::interned::interned;
use super::rows::listed;
use crate::table::{TABLES, Table};

static COPIED: LazyLock<Vec<CopiedTable>> =
    LazyLock::new(|| TABLES.iter().map(copied).chain([COPIED_FILES]).collect());

/// Returns the tables to copy. They are inserted into the forecast's database in this sequence, so a table
/// comes after the tables that its rows refer to.
#[must_use]
pub fn copied_tables() -> &'static [CopiedTable] {
    &COPIED
}

/// Returns the tables of the trade with how long they keep their rows: for good. They are the records of a business,
/// which decides itself how long it keeps them.
#[must_use]
pub fn kept_tables() -> Vec<KeptTable> {
    let mut names: Vec<&'static str> = copied_tables().iter().map(|table| table.name).collect();
    names.dedup();
    names.into_iter().map(|name| kept(name, Kept::ForGood("the records of a business"))).collect()
}

fn copied(table: &Table) -> CopiedTable {
    let (name, columns) = (table.name, listed(table));
    let kinds = table.all_columns().map(|column| {
        let kind = if column.is_number() { ColumnType::Int } else { ColumnType::Text };
        (column.name, kind)
    });
    let kinds: Vec<_> = std::iter::once(("tenant", ColumnType::Text)).chain(kinds).collect();
    CopiedTable {
        name,
        columns: kinds.leak(),
        scope: CopyScope::Tenant,
        read: interned(format!("SELECT tenant, {columns} FROM {name} WHERE tenant = $2 LIMIT $1")),
        write: interned(format!(
            "INSERT INTO {name} (tenant, {columns}) SELECT tenant, {columns} FROM {{rows}}
             WHERE true ON CONFLICT DO NOTHING"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_comes_after_those_that_it_refers_to() {
        for (at, table) in TABLES.iter().enumerate() {
            for other in table.columns.iter().filter_map(|column| column.references) {
                assert!(TABLES[..=at].iter().any(|known| known.name == other), "{}", table.name);
            }
        }
    }
}
