//! Records that a payment was given back.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, VerbOutcome, WriteVerb};
use async_trait::async_trait;

use super::entry::Entry;
use crate::cell::money;
use crate::data::{self, StoredRow};
use crate::refusal::{self, NamedRow};
use crate::tool::input::{Input, known};
use crate::tool::state;

/// Records that a payment was given back, in whole or in part.
pub(in crate::tool) struct Refund;

#[async_trait]
impl WriteVerb for Refund {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let input = Input::of(cx, args);
        let payment = input.find(tx, known("payments")?, input.row("payment_id")?).await?;
        state::check(&payment, "kind", &["payment"])?;
        let invoice = NamedRow { member: "invoice_id", id: payment.text("invoice_id") };
        let invoice = input.lock(tx, known("invoices")?, invoice).await?;
        let amount = amount(tx, &input, &payment).await?;
        let mut entry = Entry::new(tx, &input, invoice, amount)?.refund_of(&payment);
        let effects = entry.write(tx, &input).await?;
        Ok(VerbOutcome::done(entry.shown("refund")?, effects))
    }
}

/// Returns the amount to refund: the one that the input gives, or all of the payment that is not refunded
/// yet. The invoice is locked, so no other call refunds the payment at the same time.
async fn amount(tx: &mut Tx, input: &Input<'_>, payment: &StoredRow) -> Result<i64, Problem> {
    let left = payment.int("amount") - data::refunded(tx, input.tenant, payment.id()).await?;
    if left == 0 {
        let message = format!("the payment `{}` is refunded in full", payment.id());
        return Err(Problem::caller("wrong_state", message)
            .with_hint("list its refunds with `payment.list` and `refund_of`"));
    }
    match input.amount("amount")? {
        Some(amount) if amount > left => {
            let (id, amount, left) = (payment.id(), money(amount), money(left));
            let what = format!("is {amount}, and only {left} of `{id}` is not refunded yet");
            Err(refusal::invalid("amount", &what)
                .with_hint("refund at most what is left, or leave it out to refund all of that"))
        }
        Some(amount) => Ok(amount),
        None => Ok(left),
    }
}
