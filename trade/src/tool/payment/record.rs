//! Records that a customer paid an invoice.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;

use super::entry::Entry;
use crate::cell::money;
use crate::refusal;
use crate::tool::input::{Input, known};
use crate::tool::invoice::outstanding;
use crate::tool::state;

/// Records that a customer paid an invoice, in whole or in part.
pub(in crate::tool) struct Record;

#[async_trait]
impl WriteVerb for Record {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let (entry, effects) = record(tx, &Input::of(cx, args)).await?;
        Ok(VerbOutcome::done(entry.shown("payment")?, effects))
    }
}

/// Records the payment that the input describes.
pub(in crate::tool) async fn record(
    tx: &mut Tx,
    input: &Input<'_>,
) -> Result<(Entry, Effects), Problem> {
    let invoice = input.lock(tx, known("invoices")?, input.row("invoice_id")?).await?;
    state::check(&invoice, "status", &["finalized", "sent"])?;
    let amount = input.amount("amount")?;
    let amount = amount.ok_or_else(|| refusal::invalid("amount", "is missing"))?;
    let owed = outstanding(&invoice);
    if amount > owed {
        let (id, amount, owed) = (invoice.id(), money(amount), money(owed));
        let what = format!("is {amount}, and only {owed} is outstanding on `{id}`");
        return Err(refusal::invalid("amount", &what)
            .with_hint("record at most what is outstanding on the invoice"));
    }
    let mut entry = Entry::new(tx, input, invoice, amount)?;
    let effects = entry.write(tx, input).await?;
    Ok((entry, effects))
}
