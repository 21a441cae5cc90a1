//! Writes a payment or a refund, and keeps its invoice in step.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::Effects;
use serde_json::json;

use crate::cell::{Cell, money};
use crate::data::{self, StoredRow};
use crate::tool::input::{Input, known, shown};
use crate::tool::invoice::outstanding;

/// A payment or a refund that is written to an invoice.
pub(in crate::tool) struct Entry {
    /// The invoice, which the transaction has locked.
    pub(super) invoice: StoredRow,
    /// The row of the payment or the refund, without what the input says about it.
    pub(super) row: StoredRow,
}

impl Entry {
    /// Creates a payment on an invoice that the transaction has locked.
    pub(super) fn new(
        tx: &mut Tx,
        input: &Input<'_>,
        invoice: StoredRow,
        amount: i64,
    ) -> Result<Self, Problem> {
        let table = known("payments")?;
        let mut row = StoredRow::new(table, data::new_id(tx, table), input.now);
        row.set("invoice_id", Cell::Text(invoice.id().to_owned()));
        row.set("kind", Cell::Text("payment".to_owned()));
        row.set("amount", Cell::Int(amount));
        row.set("received_at", Cell::Int(input.now.micros()));
        Ok(Self { invoice, row })
    }

    /// Makes the entry a refund of a payment.
    pub(super) fn refund_of(mut self, payment: &StoredRow) -> Self {
        self.row.set("kind", Cell::Text("refund".to_owned()));
        self.row.set("refund_of", Cell::Text(payment.id().to_owned()));
        self
    }

    /// Writes the entry with what the input says about it, and changes what is paid on the invoice.
    pub(super) async fn write(
        &mut self,
        tx: &mut Tx,
        input: &Input<'_>,
    ) -> Result<Effects, Problem> {
        input.assign(tx, &mut self.row, &["method", "reference"]).await?;
        if input.given("received_at").is_some() {
            input.assign(tx, &mut self.row, &["received_at"]).await?;
        }
        let mut effects = Effects::default();
        input.insert(tx, &self.row, &mut effects).await?;
        let amount = self.row.int("amount");
        let change = if self.row.text("kind") == "refund" { -amount } else { amount };
        set_paid(&mut self.invoice, change);
        input.update(tx, &mut self.invoice, &["paid", "status"], &mut effects).await?;
        Ok(effects)
    }

    /// Returns the result of a call that wrote the entry. `name` is the member that shows it, and the
    /// beginning of the member with its id.
    pub(super) fn shown(&self, name: &str) -> Result<Value, Problem> {
        let mut result = json!({
            "invoice_id": self.invoice.id(),
            "invoice_status": self.invoice.text("status"),
            "outstanding": money(outstanding(&self.invoice)),
        });
        result[name] = shown(&self.row)?;
        result[format!("{name}_id")] = self.row.id().into();
        Ok(result)
    }
}

/// Changes what is paid on an invoice, and its status: `paid` if nothing is outstanding, else the status
/// that the invoice had before it was paid.
fn set_paid(invoice: &mut StoredRow, change: i64) {
    let paid = invoice.int("paid") + change;
    let status = if paid >= invoice.int("total") {
        "paid"
    } else if *invoice.cell("sent_at") == Cell::Null {
        "finalized"
    } else {
        "sent"
    };
    invoice.set("paid", Cell::Int(paid));
    invoice.set("status", Cell::Text(status.to_owned()));
}

#[cfg(test)]
mod tests {
    use abide_engine::base::Timestamp;

    use super::*;

    #[test]
    fn an_invoice_is_paid_when_nothing_is_outstanding() {
        for (sent_at, before) in [(Cell::Null, "finalized"), (Cell::Int(7), "sent")] {
            let table = known("invoices").expect("a table");
            let mut invoice = StoredRow::new(table, "inv_1".to_owned(), Timestamp::EPOCH);
            invoice.set("total", Cell::Int(300));
            invoice.set("sent_at", sent_at);
            for (change, status, paid) in
                [(100, before, 100), (200, "paid", 300), (-1, before, 299), (-299, before, 0)]
            {
                set_paid(&mut invoice, change);
                assert_eq!((invoice.text("status"), invoice.int("paid")), (status, paid));
            }
        }
    }
}
