//! `inspection.add_items`: adds what was seen to a draft inspection.

use abide_engine::base::{Problem, Value};
use abide_engine::policy::Region;
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::{items_of, locked_draft};
use crate::cell::Cell;
use crate::data::{self, StoredRow};
use crate::refusal;
use crate::tool::input::{Input, all_shown, known};

/// Maximum number of items of an inspection: a receipt and a variable hold all of them.
const ITEMS_MAX: i64 = 500;
/// How much an item matters, if the call does not say so.
const SEVERITY_DEFAULT: &str = "low";

/// Adds items to a draft inspection. Their positions follow those of the items that it has.
pub(crate) struct AddItems;

#[async_trait]
impl WriteVerb for AddItems {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let (result, effects) = add_items(tx, &Input::of(cx, args)).await?;
        Ok(VerbOutcome::done(result, effects))
    }
}

/// Adds the items of the input to the draft that it names, and returns the result of the call.
pub(in crate::tool) async fn add_items(
    tx: &mut Tx,
    input: &Input<'_>,
) -> Result<(Value, Effects), Problem> {
    let inspection = locked_draft(tx, input).await?;
    let given = input.list("items");
    let before = data::count(tx, &items_of(input, &inspection)?).await?;
    let mut count = before;
    let (mut effects, mut added) = (Effects::default(), Vec::with_capacity(given.len()));
    for (ix, values) in given.iter().enumerate() {
        count += 1;
        if count > ITEMS_MAX {
            return Err(too_many(before));
        }
        let mut item = new_item(tx, input, inspection.id())?;
        item.set("position", Cell::Int(count));
        fill(&mut item, values, ix, input.settings.region)?;
        input.insert(tx, &item, &mut effects).await?;
        added.push(item);
    }
    let result = json!({
        "inspection_id": inspection.id(),
        "items": all_shown(&added)?,
        "count": count,
    });
    Ok((result, effects))
}

fn new_item(tx: &Tx, input: &Input<'_>, inspection: &str) -> Result<StoredRow, Problem> {
    let table = known("inspection_items")?;
    let mut item = StoredRow::new(table, data::new_id(tx, table), input.now);
    item.set("inspection_id", Cell::Text(inspection.to_owned()));
    item.set("severity", Cell::Text(SEVERITY_DEFAULT.to_owned()));
    Ok(item)
}

/// Sets the members that the input gives for the item at `ix`.
fn fill(item: &mut StoredRow, values: &Value, ix: usize, region: Region) -> Result<(), Problem> {
    for member in ["area", "condition", "severity", "recommendation", "comment"] {
        if let Some(value) = values.get(member).filter(|value| !value.is_null()) {
            let column = item.table().column(member).map_err(Problem::bug)?;
            let stored = column.stored(value, region);
            let place = || format!("items[{ix}].{member}");
            item.set(member, stored.map_err(|misfit| refusal::misfit(&place(), &misfit))?);
        }
    }
    Ok(())
}

fn too_many(before: i64) -> Problem {
    let what =
        format!("would make more than {ITEMS_MAX} items: the inspection has {before} already");
    refusal::invalid("items", &what).with_hint("start another inspection for the rest")
}
