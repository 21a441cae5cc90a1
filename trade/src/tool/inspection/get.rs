//! `inspection.get`: returns one inspection with its items.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::unknown;
use crate::data;
use crate::tool::{args, input};

/// Returns one inspection with its items in their order.
pub(crate) struct GetInspection;

#[async_trait]
impl WriteVerb for GetInspection {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        input: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let id = args::text(input, "inspection_id")?;
        let inspection = data::find(tx, input::known("inspections")?, cx.tenant, id).await?;
        let inspection = inspection.ok_or_else(|| unknown(id))?;
        let items =
            data::inspection_items(tx, input::known("inspection_items")?, cx.tenant, id).await?;
        let result =
            json!({ "inspection": input::shown(&inspection)?, "items": input::all_shown(&items)? });
        Ok(VerbOutcome::done(result, Effects::default()))
    }
}
