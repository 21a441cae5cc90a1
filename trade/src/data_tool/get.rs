//! The action `get`: returns one row.

use abide_engine::base::Problem;
use abide_engine::store::Tx;
use abide_engine::verb::{Effects, VerbOutcome};

use super::{DataCall, shown};
use crate::data;
use crate::refusal;

/// Returns the row that the input names.
pub(super) async fn run(tx: &mut Tx, call: &DataCall<'_>) -> Result<VerbOutcome, Problem> {
    let named = call.named_row()?;
    let row = data::find(tx, call.target.table, call.tenant, named.id).await?;
    let row = row.filter(|row| call.target.contains(row));
    let row = row.ok_or_else(|| refusal::not_found(named, call.target.name()))?;
    Ok(VerbOutcome::done(shown::result(call, &row)?, Effects::default()))
}
