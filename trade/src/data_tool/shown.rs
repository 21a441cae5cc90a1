//! Shows rows as JSON, and builds the results of calls.

use abide_engine::base::{Problem, Value};
use serde_json::Map;

use super::DataCall;
use super::assignment::body;
use super::target::{BODY, COLLECTION};
use crate::data::StoredRow;

/// Returns a row as JSON: its columns by name, without those that have no value. A column with another name
/// in the contract is shown under that name, too. A record is shown with the members of its body.
pub(super) fn row(call: &DataCall<'_>, row: &StoredRow) -> Result<Value, Problem> {
    let mut members = match call.target.collection {
        Some(_) => body(row)?,
        None => Map::new(),
    };
    let of_record =
        |name: &str| call.target.collection.is_some() && [BODY, COLLECTION].contains(&name);
    let columns = row.shown().map_err(Problem::bug)?;
    members.extend(columns.into_iter().filter(|(name, _)| !of_record(name)));
    for (name, column) in &call.tool.columns {
        if let Some(value) = members.get(column).cloned() {
            members.insert(name.clone(), value);
        }
    }
    Ok(Value::Object(members))
}

/// Returns the result of a call about one row: its id, if the result has a member for it, and the row, if
/// the contract says where.
pub(super) fn result(call: &DataCall<'_>, stored: &StoredRow) -> Result<Value, Problem> {
    let mut members = Map::new();
    if let Some(id) = call.tool.id.as_ref().filter(|id| call.contract.output.member(id).is_some()) {
        members.insert(id.clone(), stored.id().into());
    }
    if let Some(record) = &call.tool.record {
        members.insert(record.clone(), row(call, stored)?);
    }
    Ok(Value::Object(members))
}
