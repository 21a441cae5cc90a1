//! The action `update`: changes one row.

use abide_engine::base::{Problem, Value};
use abide_engine::contract::OneOf;
use abide_engine::store::Tx;
use abide_engine::verb::{Effects, VerbOutcome};

use super::assignment::{Assignments, body};
use super::target::Field;
use super::{DataCall, shown};
use crate::cell::Cell;
use crate::data::{self, StoredRow};
use crate::refusal;

/// Changes the row that the input names, if the row is as the contract needs it.
pub(super) async fn run(tx: &mut Tx, call: &DataCall<'_>) -> Result<VerbOutcome, Problem> {
    let (table, named) = (call.target.table, call.named_row()?);
    let row = data::lock(tx, table, call.tenant, named.id).await?;
    let row = row.filter(|row| call.target.contains(row));
    let mut row = row.ok_or_else(|| refusal::not_found(named, call.target.name()))?;
    for (name, allowed) in &call.tool.only_if {
        check_state(call, &row, name, allowed)?;
    }
    let given = Assignments::of(call)?;
    given.check_references(tx, call.tenant).await?;
    given.check_unique(tx, call.tenant, &row).await?;
    let changed = given.apply(&mut row)?;
    data::update(tx, call.tenant, &mut row, &changed, call.now).await?;
    let mut effects = Effects::default();
    effects.wrote(table.name, "update", row.id());
    Ok(VerbOutcome::done(shown::result(call, &row)?, effects))
}

/// Checks that a column, or a member of a record, has one of the allowed values.
fn check_state(
    call: &DataCall<'_>,
    row: &StoredRow,
    name: &str,
    OneOf(allowed): &OneOf,
) -> Result<(), Problem> {
    let (has, is_allowed) = match call.target.readable(name).map_err(refusal::unknown)? {
        Field::Column(column) => {
            let cell = row.cell(column.name);
            let wanted = allowed.iter().map(|value| match value {
                Value::Null => Ok(Cell::Null),
                value => column.constant(value, call.now, call.region),
            });
            let is_allowed = wanted.into_iter().any(|wanted| wanted.as_ref() == Ok(cell));
            (column.shown(cell).map_err(Problem::bug)?, is_allowed)
        }
        Field::Member(member) => {
            let has = body(row)?.remove(member).unwrap_or_default();
            let is_allowed = allowed.contains(&has);
            (has, is_allowed)
        }
    };
    if is_allowed { Ok(()) } else { Err(refusal::wrong_state(row.id(), name, &has, allowed)) }
}
