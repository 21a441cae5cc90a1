//! Shows a document with its lines.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::DocumentKind;
use crate::cell;
use crate::data;
use crate::tool::input::{Input, all_shown, known, shown};

/// Shows a document with its lines, and what is still to be paid on it.
pub(in crate::tool) struct Get(pub(in crate::tool) &'static DocumentKind);

#[async_trait]
impl WriteVerb for Get {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let (kind, input) = (self.0, Input::of(cx, args));
        let row = input.find(tx, known(kind.table)?, input.row(kind.id)?).await?;
        let lines = data::lines_of(tx, &kind.lines_of(input.tenant, row.id())?).await?;
        let mut result = json!({ "line_items": all_shown(&lines)? });
        result[kind.name] = shown(&row)?;
        if let Some(outstanding) = kind.outstanding {
            result["outstanding"] = cell::money(outstanding(&row)).into();
        }
        Ok(VerbOutcome::done(result, Effects::default()))
    }
}
