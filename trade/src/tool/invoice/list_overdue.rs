//! Lists the invoices that should have been paid by now.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use jiff::civil::Date;
use serde_json::json;

use super::outstanding;
use crate::cell::money;
use crate::data::{self, OverdueQuery, StoredRow};
use crate::page;
use crate::refusal;
use crate::tool::input::{Input, known, shown};
use crate::tool::today::Today;

/// Lists the invoices that should have been paid by now, the longest overdue first.
pub(in crate::tool) struct ListOverdue;

#[async_trait]
impl WriteVerb for ListOverdue {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let (input, table) = (Input::of(cx, args), known("invoices")?);
        let (day, limit) = (day(&input)?, page::limit(input.given("limit"))?);
        let after = match input.text("after") {
            Some(id) => {
                let last = data::find(tx, table, input.tenant, id).await?;
                let last = last.filter(|last| !last.text("due_date").is_empty());
                Some(last.ok_or_else(page::wrong_after)?)
            }
            None => None,
        };
        let query = OverdueQuery {
            table,
            tenant: input.tenant,
            due_before: &day.to_string(),
            customer: input.text("customer_id"),
            after: after.as_ref(),
            limit: limit + 1, // one row more shows whether there is another page
        };
        let mut rows = data::overdue(tx, &query).await?;
        let next = page::cut(&mut rows, limit);
        let invoices = rows.iter().map(|row| overdue(row, day)).collect::<Result<Vec<_>, _>>()?;
        let mut result =
            json!({ "count": rows.len(), "invoices": invoices, "as_of_date": day.to_string() });
        if let Some(next) = next {
            result["next"] = next.into();
        }
        Ok(VerbOutcome::done(result, Effects::default()))
    }
}

/// Returns the day to judge by: the one that the input gives, or today where the tenant is.
fn day(input: &Input<'_>) -> Result<Date, Problem> {
    match input.text("as_of_date") {
        Some(text) => text
            .parse()
            .map_err(|_| refusal::invalid("as_of_date", "is not a day such as `2025-10-05`")),
        None => Ok(Today::at(input.now, input.zone()).date),
    }
}

/// Returns an overdue invoice as the result shows it.
fn overdue(invoice: &StoredRow, day: Date) -> Result<Value, Problem> {
    let due: Date = invoice
        .text("due_date")
        .parse()
        .map_err(|_| Problem::bug(format!("the due date of `{}` is not a day", invoice.id())))?;
    let days_overdue = (day - due).get_days();
    Ok(json!({
        "invoice": shown(invoice)?,
        "outstanding": money(outstanding(invoice)),
        "days_overdue": days_overdue,
    }))
}
