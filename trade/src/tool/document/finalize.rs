//! Closes a draft to changes.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::DocumentKind;
use super::draft::Draft;
use crate::cell::Cell;
use crate::tool::input::{Input, known, shown};
use crate::tool::state;

/// Adds up a draft for the last time, and closes it to changes. A document that is finalized already is
/// returned as it is, because a repeated call must not fail.
pub(in crate::tool) struct Finalize(pub(in crate::tool) &'static DocumentKind);

#[async_trait]
impl WriteVerb for Finalize {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let (draft, effects) = finalize(tx, self.0, Input::of(cx, args)).await?;
        let result = json!({ self.0.name: shown(&draft.row)? });
        Ok(VerbOutcome::done(result, effects))
    }
}

/// Finalizes the document that the input names, unless it is finalized already.
pub(in crate::tool) async fn finalize<'a>(
    tx: &mut Tx,
    kind: &'static DocumentKind,
    input: Input<'a>,
) -> Result<(Draft<'a>, Effects), Problem> {
    let row = input.lock(tx, known(kind.table)?, input.row(kind.id)?).await?;
    state::check(&row, "status", &["draft", "finalized"])?;
    let mut draft = Draft { kind, input, row };
    let mut effects = Effects::default();
    if draft.row.text("status") == "finalized" {
        effects.idempotency_hit.push(draft.row.id().to_owned());
    } else {
        let changed = close(tx, &mut draft).await?;
        draft.add_up(tx, &changed, &mut effects).await?;
    }
    Ok((draft, effects))
}

/// Sets the status, its time and the date that the input gives. Returns the columns that were set.
async fn close(tx: &mut Tx, draft: &mut Draft<'_>) -> Result<Vec<&'static str>, Problem> {
    let (kind, input) = (draft.kind, draft.input);
    if draft.sums(tx).await?.count == 0 {
        let message = format!("the {} `{}` has no lines", kind.name, draft.row.id());
        return Err(Problem::caller("wrong_state", message).with_hint("add a line first"));
    }
    let mut changed = input.assign(tx, &mut draft.row, &[kind.date]).await?;
    draft.row.set("status", Cell::Text("finalized".to_owned()));
    draft.row.set("finalized_at", Cell::Int(input.now.micros()));
    changed.extend(["status", "finalized_at"]);
    Ok(changed)
}
