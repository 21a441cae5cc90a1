//! `inspection.get`: returns one inspection with its items.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::items_of;
use crate::data;
use crate::tool::input::{Input, all_shown, known, shown};

/// Returns one inspection with its items in their order.
pub(crate) struct GetInspection;

#[async_trait]
impl WriteVerb for GetInspection {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let input = Input::of(cx, args);
        let inspection = input.find(tx, known("inspections")?, input.row("inspection_id")?).await?;
        let items = data::lines_of(tx, &items_of(&input, &inspection)?).await?;
        let result = json!({ "inspection": shown(&inspection)?, "items": all_shown(&items)? });
        Ok(VerbOutcome::done(result, Effects::default()))
    }
}
