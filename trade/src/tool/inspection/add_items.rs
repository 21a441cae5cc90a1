//! `inspection.add_items`: adds what was seen to a draft inspection.

use abide_engine::base::{Problem, Value};
use abide_engine::policy::Region;
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::locked_draft;
use crate::cell::Cell;
use crate::data::{self, StoredRow};
use crate::refusal;
use crate::tool::{args, input};

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
        input: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let inspection = locked_draft(tx, cx.tenant, input).await?;
        let given = input.get("items").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let before = data::count_inspection_items(tx, cx.tenant, inspection.id()).await?;
        let mut count = before;
        let (mut effects, mut added) = (Effects::default(), Vec::with_capacity(given.len()));
        for (ix, values) in given.iter().enumerate() {
            count += 1;
            if count > ITEMS_MAX {
                return Err(too_many(before));
            }
            let mut item = new_item(tx, cx, inspection.id())?;
            item.set("position", Cell::Int(count));
            fill(&mut item, values, ix, cx.settings.region)?;
            data::insert_unless_known(tx, cx.tenant, &item).await?;
            effects.wrote(item.table().name, "insert", item.id());
            added.push(item);
        }
        let result = json!({
            "inspection_id": inspection.id(),
            "items": input::all_shown(&added)?,
            "count": count,
        });
        Ok(VerbOutcome::done(result, effects))
    }
}

fn new_item(tx: &Tx, cx: &CallContext<'_>, inspection: &str) -> Result<StoredRow, Problem> {
    let table = input::known("inspection_items")?;
    let mut item = StoredRow::new(table, data::new_id(tx, table), cx.now);
    args::assign_text(&mut item, "inspection_id", inspection);
    args::assign_text(&mut item, "severity", SEVERITY_DEFAULT);
    Ok(item)
}

/// Sets the members that the input gives for the item at `ix`.
fn fill(item: &mut StoredRow, values: &Value, ix: usize, region: Region) -> Result<(), Problem> {
    for member in ["area", "condition", "severity", "recommendation", "comment"] {
        if let Some(value) = args::given(values, member) {
            args::assign(item, member, value, &format!("items[{ix}].{member}"), region)?;
        }
    }
    Ok(())
}

fn too_many(before: i64) -> Problem {
    let what =
        format!("would make more than {ITEMS_MAX} items: the inspection has {before} already");
    refusal::invalid("items", &what).with_hint("start another inspection for the rest")
}
