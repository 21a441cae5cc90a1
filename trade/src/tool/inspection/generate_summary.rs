//! `inspection.generate_scope_summary`: writes the summary of a draft inspection from its items.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::scope::{self, Item};
use super::{items_of, locked_draft};
use crate::cell::Cell;
use crate::data::{self, StoredRow};
use crate::tool::input::Input;

/// Writes the summary of a draft inspection and replaces the earlier one.
pub(crate) struct GenerateSummary;

#[async_trait]
impl WriteVerb for GenerateSummary {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let input = Input::of(cx, args);
        let mut inspection = locked_draft(tx, &input).await?;
        let rows = data::lines_of(tx, &items_of(&input, &inspection)?).await?;
        let items: Vec<Item<'_>> = rows.iter().map(item).collect();
        let summary = scope::summary(&items);
        inspection.set("summary", Cell::Text(summary.clone()));
        let mut effects = Effects::default();
        input.update(tx, &mut inspection, &["summary"], &mut effects).await?;
        let number = |condition: &str| items.iter().filter(|it| it.condition == condition).count();
        let result = json!({
            "inspection_id": inspection.id(),
            "summary": summary,
            "item_count": items.len(),
            "by_condition": {
                "good": number("good"),
                "fair": number("fair"),
                "poor": number("poor"),
                "failed": number("failed"),
            },
        });
        Ok(VerbOutcome::done(result, effects))
    }
}

fn item(row: &StoredRow) -> Item<'_> {
    Item {
        area: row.text("area"),
        condition: row.text("condition"),
        severity: row.text("severity"),
        recommendation: row.text("recommendation"),
        comment: row.text("comment"),
    }
}
