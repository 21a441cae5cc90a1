//! The tools of inspections that also read or write the items.

mod add_items;
mod generate_summary;
mod get;
mod scope;

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;

pub(super) use add_items::AddItems;
pub(super) use generate_summary::GenerateSummary;
pub(super) use get::GetInspection;

use super::{args, input};
use crate::data::{self, StoredRow};
use crate::refusal::{self, NamedRow};

/// The status of an inspection that can still be changed.
const DRAFT: &str = "draft";

/// Locks the draft inspection that the input names.
async fn locked_draft(tx: &mut Tx, tenant: &str, input: &Value) -> Result<StoredRow, Problem> {
    let (id, inspections) = (args::text(input, "inspection_id")?, input::known("inspections")?);
    let row = data::lock(tx, inspections, tenant, id).await?;
    let row = row.ok_or_else(|| unknown(id))?;
    match row.text("status") {
        DRAFT => Ok(row),
        other => Err(refusal::wrong_state(id, "status", &other.into(), &[DRAFT.into()])),
    }
}

fn unknown(id: &str) -> Problem {
    refusal::not_found(NamedRow { member: "inspection_id", id }, "inspections")
}
