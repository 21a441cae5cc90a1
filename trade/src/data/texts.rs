//! The tables of the trade with texts that may name or quote somebody: all of them.

use std::sync::LazyLock;

use abide_engine::store::{ColumnType, TextTable};

use super::interned::interned;
use crate::table::{TABLES, Table};

static TEXTS: LazyLock<Vec<TextTable>> = LazyLock::new(|| TABLES.iter().map(texts).collect());

/// Returns the tables.
#[must_use]
pub fn text_tables() -> &'static [TextTable] {
    &TEXTS
}

/// Describes the texts of a table: all columns that are neither numbers nor references.
fn texts(table: &Table) -> TextTable {
    let name = table.name;
    let columns: Vec<&'static str> = table
        .columns
        .iter()
        .filter(|column| !column.is_number() && column.references.is_none())
        .map(|column| column.name)
        .collect();
    let list = columns.join(", ");
    let read = format!(
        "SELECT id AS k_id, {list} FROM {name} WHERE tenant = $1 AND id > $3 ORDER BY id LIMIT $2"
    );
    let set: Vec<String> = columns.iter().map(|column| format!("{column} = v.{column}")).collect();
    let write = format!(
        "UPDATE {name} SET {} FROM {{rows}} WHERE {name}.tenant = $1 AND {name}.id = v.k_id",
        set.join(", ")
    );
    let texts = columns.iter().map(|column| (*column, ColumnType::Text));
    let rows: Vec<_> = std::iter::once(("k_id", ColumnType::Text)).chain(texts).collect();
    let unique: Vec<_> = table.unique_column().map(|column| column.name).into_iter().collect();
    TextTable {
        name,
        keys: &[("k_id", ColumnType::Text)],
        texts: columns.leak(),
        unique: unique.leak(),
        columns: rows.leak(),
        lock: interned(format!("{read} {{for_update}}")),
        read: interned(read),
        write: interned(write),
    }
}
