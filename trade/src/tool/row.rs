//! Shows rows as JSON.

use abide_engine::base::{Problem, Value};
use serde_json::Map;

use crate::data::StoredRow;

/// Returns a row as JSON: its columns by name, without those that have no value.
pub(super) fn shown(row: &StoredRow) -> Result<Value, Problem> {
    let mut members = Map::new();
    for (column, cell) in row.cells() {
        let value = column.shown(cell).map_err(Problem::bug)?;
        if !value.is_null() {
            members.insert(column.name.to_owned(), value);
        }
    }
    Ok(Value::Object(members))
}

/// Returns rows as a JSON list.
pub(super) fn all_shown(rows: &[StoredRow]) -> Result<Value, Problem> {
    rows.iter().map(shown).collect::<Result<Vec<Value>, Problem>>().map(Value::Array)
}
