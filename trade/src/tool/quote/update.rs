//! Changes the details of a quote, or records the customer's answer.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use crate::tool::input::{Input, known, shown};
use crate::tool::state;

/// The members that can change only while the quote is a draft.
const OF_DRAFTS: [&str; 3] = ["title", "lead_id", "customer_id"];
/// All members that change a column.
const MEMBERS: [&str; 6] =
    ["title", "lead_id", "customer_id", "comment", "valid_until_date", "status"];

/// Changes the details of a quote, or records the customer's answer.
pub(in crate::tool) struct Update;

#[async_trait]
impl WriteVerb for Update {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let input = Input::of(cx, args);
        let mut row = input.lock(tx, known("quotes")?, input.row("quote_id")?).await?;
        if OF_DRAFTS.iter().any(|member| args.get(member).is_some()) {
            state::check(&row, "status", &["draft"])?;
        }
        if let Some(answer) = input.text("status") {
            // The same answer again is a repeated call. Another answer would contradict the first.
            state::check(&row, "status", &["finalized", "sent", answer])?;
        }
        let changed = input.assign(tx, &mut row, &MEMBERS).await?;
        let mut effects = Effects::default();
        input.update(tx, &mut row, &changed, &mut effects).await?;
        Ok(VerbOutcome::done(json!({ "quote": shown(&row)? }), effects))
    }
}
