//! The values that a call gives to the columns of a row.

use abide_engine::base::{Problem, Timestamp, Value};
use abide_engine::contract::DataAction;
use abide_engine::store::Tx;
use serde_json::Map;

use super::DataCall;
use super::target::{BODY, Field};
use crate::cell::{self, Cell, Misfit};
use crate::data::{self, StoredRow};
use crate::reference::ColumnValue;
use crate::refusal;
use crate::table::{Column, Presence};

/// The values that a call gives to the columns of a row.
pub(super) struct Assignments<'a> {
    /// The columns, each with the member or the constant that gives it a value.
    columns: Vec<ColumnValue<'a>>,
    /// The members of the body of a record; null removes a member.
    members: Map<String, Value>,
}

impl<'a> Assignments<'a> {
    /// Reads the values from the input of a call and from the constants of its contract.
    /// A null in the input of `create` is no value.
    pub(super) fn of(call: &'a DataCall<'_>) -> Result<Self, Problem> {
        let mut all = Self { columns: Vec::new(), members: Map::new() };
        for member in call.tool.column_members(call.contract) {
            let value = call.args.get(member);
            let value = value.filter(|it| call.tool.action != DataAction::Create || !it.is_null());
            if let Some(value) = value {
                let field = call.target.settable(call.tool.column_of(member));
                match field.map_err(refusal::unknown)? {
                    Field::Column(column) => {
                        all.set_column(member, column, column.stored(value, call.region))?
                    }
                    Field::Member(name) => all.set_member(name, value.clone()),
                }
            }
        }
        for (name, value) in &call.tool.set {
            match call.target.settable(name).map_err(refusal::unknown)? {
                Field::Column(column) => {
                    all.set_column(name, column, column.constant(value, call.now, call.region))?;
                }
                Field::Member(name) => {
                    all.set_member(name, member_constant(name, value, call.now));
                }
            }
        }
        Ok(all)
    }

    fn set_column(
        &mut self,
        source: &'a str,
        column: &'static Column,
        stored: Result<Cell, Misfit>,
    ) -> Result<(), Problem> {
        let cell = stored.map_err(|misfit| refusal::misfit(source, &misfit))?;
        self.columns.push(ColumnValue { source, column, cell });
        Ok(())
    }

    fn set_member(&mut self, name: &str, value: Value) {
        self.members.insert(name.to_owned(), value);
    }

    /// Checks that the rows exist to which the new values refer.
    pub(super) async fn check_references(&self, tx: &mut Tx, tenant: &str) -> Result<(), Problem> {
        for value in &self.columns {
            value.check_reference(tx, tenant).await?;
        }
        Ok(())
    }

    /// Checks that no other row has a value that must be unique.
    pub(super) async fn check_unique(
        &self,
        tx: &mut Tx,
        tenant: &str,
        row: &StoredRow,
    ) -> Result<(), Problem> {
        for ColumnValue { source, cell, .. } in self.columns.iter().filter(|it| it.column.unique) {
            let other = data::find_by_unique_value(tx, row.table(), tenant, cell).await?;
            if let Some(other) = other.filter(|other| other.id() != row.id()) {
                return Err(refusal::duplicate(source, row.table(), other.id()));
            }
        }
        Ok(())
    }

    /// Sets the values in a row. Returns the columns that were set.
    pub(super) fn apply(self, row: &mut StoredRow) -> Result<Vec<&'static Column>, Problem> {
        let mut changed = Vec::new();
        for ColumnValue { column, cell, .. } in self.columns {
            row.set(column.name, cell);
            changed.push(column);
        }
        if !self.members.is_empty() {
            let mut body = body(row)?;
            body.extend(self.members);
            body.retain(|_, value| !value.is_null());
            row.set(BODY, Cell::Text(cell::json(&Value::Object(body))));
            changed.push(row.table().column(BODY).map_err(refusal::unknown)?);
        }
        Ok(changed)
    }
}

/// Checks that a new row has a value in each column that needs one.
pub(super) fn check_complete(row: &StoredRow) -> Result<(), Problem> {
    let lacking = row
        .cells()
        .find(|(column, cell)| column.presence == Presence::Required && **cell == Cell::Null);
    match lacking {
        None => Ok(()),
        Some((column, _)) => Err(refusal::invalid(column.name, "must have a value")),
    }
}

/// Returns the members of the body of a record.
pub(super) fn body(row: &StoredRow) -> Result<Map<String, Value>, Problem> {
    match serde_json::from_str(row.text(BODY)) {
        Ok(Value::Object(members)) => Ok(members),
        _ => Err(Problem::bug(format!("the body of `{}` is not a JSON object", row.id()))),
    }
}

/// Returns the constant to which a contract sets a member of a record: in a member whose name ends with
/// `_at`, `now` is the time of the call.
fn member_constant(name: &str, value: &Value, now: Timestamp) -> Value {
    if name.ends_with("_at") && value == "now" { now.to_string().into() } else { value.clone() }
}
