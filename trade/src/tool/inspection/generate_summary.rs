//! `inspection.generate_scope_summary`: writes the summary of a draft inspection from its items.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::locked_draft;
use super::scope::{self, Item};
use crate::cell::Cell;
use crate::data::{self, StoredRow};
use crate::table::UPDATED_AT;
use crate::tool::{args, input};

/// Writes the summary of a draft inspection and replaces the earlier one.
pub(crate) struct GenerateSummary;

#[async_trait]
impl WriteVerb for GenerateSummary {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        input: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let mut inspection = locked_draft(tx, cx.tenant, input).await?;
        let rows = data::inspection_items(
            tx,
            input::known("inspection_items")?,
            cx.tenant,
            inspection.id(),
        );
        let rows = rows.await?;
        let items: Vec<Item<'_>> = rows.iter().map(item).collect();
        let summary = scope::summary(&items);
        let column = inspection.table().column("summary").map_err(Problem::bug)?;
        args::assign_text(&mut inspection, column.name, &summary);
        inspection.set(UPDATED_AT.name, Cell::Int(cx.now.micros()));
        data::update(tx, cx.tenant, &inspection, &[column]).await?;
        let mut effects = Effects::default();
        effects.wrote(inspection.table().name, "update", inspection.id());
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
