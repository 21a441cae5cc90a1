//! Takes a line out of a draft.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::DocumentKind;
use super::draft::DraftLine;
use super::place;
use crate::data;
use crate::tool::input::{Input, shown};

/// Removes a line of a draft, and adds up the document again.
pub(in crate::tool) struct RemoveLine(pub(in crate::tool) &'static DocumentKind);

#[async_trait]
impl WriteVerb for RemoveLine {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let input = Input::of(cx, args);
        let mut line = DraftLine::lock(tx, self.0, input).await?;
        data::delete(tx, input.tenant, &line.row).await?;
        let mut effects = Effects::default();
        effects.wrote(line.row.table().name, "delete", line.row.id());
        place::close(tx, &line, &mut effects).await?;
        line.draft.add_up(tx, &[], &mut effects).await?;
        let mut result = json!({ "line_item_id": line.row.id() });
        result[self.0.name] = shown(&line.draft.row)?;
        Ok(VerbOutcome::done(result, effects))
    }
}
