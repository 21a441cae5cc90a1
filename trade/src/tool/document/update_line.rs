//! Changes a line of a draft.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;

use super::DocumentKind;
use super::draft::DraftLine;
use super::place;
use crate::tool::input::Input;

/// Changes or moves a line of a draft, and adds up the document again.
pub(in crate::tool) struct UpdateLine(pub(in crate::tool) &'static DocumentKind);

/// The columns that a change of a line can change.
const CHANGED: [&str; 6] = ["position", "description", "quantity", "unit_price", "net", "tax"];

#[async_trait]
impl WriteVerb for UpdateLine {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let input = Input::of(cx, args);
        let mut line = DraftLine::lock(tx, self.0, input).await?;
        line.describe(tx).await?;
        let mut effects = Effects::default();
        place::change(tx, &mut line, &mut effects).await?;
        input.update(tx, &mut line.row, &CHANGED, &mut effects).await?;
        line.draft.add_up(tx, &[], &mut effects).await?;
        Ok(VerbOutcome::done(line.shown()?, effects))
    }
}
