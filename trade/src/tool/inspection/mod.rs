//! The tools of inspections that also read or write the items.

mod add_items;
mod generate_summary;
mod get;
mod scope;

use abide_engine::base::Problem;
use abide_engine::store::Tx;

pub(super) use add_items::{AddItems, add_items};
pub(super) use generate_summary::GenerateSummary;
pub(super) use get::GetInspection;

use super::input::{Input, known};
use super::state;
use crate::data::{Lines, StoredRow};

/// Locks the draft inspection that the input names.
async fn locked_draft(tx: &mut Tx, input: &Input<'_>) -> Result<StoredRow, Problem> {
    let row = input.lock(tx, known("inspections")?, input.row("inspection_id")?).await?;
    state::check(&row, "status", &["draft"])?;
    Ok(row)
}

/// Returns what selects the items of an inspection.
fn items_of<'a>(input: &Input<'a>, inspection: &'a StoredRow) -> Result<Lines<'a>, Problem> {
    let (table, document) = (known("inspection_items")?, "inspection_id");
    Ok(Lines { table, document, tenant: input.tenant, id: inspection.id() })
}
