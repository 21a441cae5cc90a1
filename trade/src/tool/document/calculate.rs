//! Adds up the lines of a document without changing it.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::DocumentKind;
use crate::cell::money;
use crate::data;
use crate::tool::input::{Input, known};

/// Adds up the lines of a document and returns the sums.
pub(in crate::tool) struct Calculate(pub(in crate::tool) &'static DocumentKind);

#[async_trait]
impl WriteVerb for Calculate {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let (kind, input) = (self.0, Input::of(cx, args));
        let row = input.find(tx, known(kind.table)?, input.row(kind.id)?).await?;
        let sums = data::sums(tx, &kind.lines_of(input.tenant, row.id())?).await?;
        let mut result = json!({
            "line_count": sums.count,
            "subtotal": money(sums.net),
            "tax": money(sums.tax),
            "total": money(sums.net + sums.tax),
        });
        result[kind.id] = row.id().into();
        Ok(VerbOutcome::done(result, Effects::default()))
    }
}
