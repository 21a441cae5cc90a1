//! The action `create`: inserts a row.

use abide_engine::base::Problem;
use abide_engine::store::Tx;
use abide_engine::verb::{Effects, VerbOutcome};

use super::assignment::{Assignments, check_complete};
use super::target::{BODY, COLLECTION};
use super::{DataCall, refusal, shown};
use crate::cell::Cell;
use crate::data::{self, StoredRow};

/// Inserts the row that the input describes. If a row with the same unique value is already there, writes
/// nothing and returns that row.
pub(super) async fn run(tx: &mut Tx, call: &DataCall<'_>) -> Result<VerbOutcome, Problem> {
    let table = call.target.table;
    let given = Assignments::of(call)?;
    given.check_references(tx, call.tenant).await?;
    let mut row = StoredRow::new(table, data::new_id(tx, table), call.now);
    if let Some(collection) = call.target.collection {
        row.set(COLLECTION, Cell::Text(collection.to_owned()));
        row.set(BODY, Cell::Text("{}".to_owned()));
    }
    given.apply(&mut row)?;
    check_complete(&row)?;
    let mut effects = Effects::default();
    if data::insert_unless_known(tx, call.tenant, &row).await? {
        effects.wrote(table.name, "insert", row.id());
        return Ok(VerbOutcome::done(shown::result(call, &row)?, effects));
    }
    let unique = table.unique_column().ok_or_else(|| refusal::unknown("nothing is unique"))?;
    let known = row.cell(unique.name);
    let known = data::find_by_unique_value(tx, table, call.tenant, known).await?;
    let known = known.ok_or_else(|| Problem::bug("a row is there and cannot be found"))?;
    effects.idempotency_hit.push(known.text(unique.name).to_owned());
    Ok(VerbOutcome::done(shown::result(call, &known)?, effects))
}
