//! `report.revenue`: sums invoices and payments by month.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use serde_json::json;

use super::month;
use crate::cell::money;
use crate::data;
use crate::tool::input::Input;
use crate::tool::today::Today;

pub(super) async fn figures(tx: &mut Tx, input: &Input<'_>) -> Result<Value, Problem> {
    let zone = input.zone();
    let months = month::selected(
        input.text("from_month"),
        input.text("to_month"),
        Today::at(input.now, zone.clone()).date,
    )?;
    let spans = month::spans(&months, &zone)?;
    let invoiced = data::invoiced_by_month(tx, input.tenant, &spans).await?;
    let paid = data::paid_by_month(tx, input.tenant, &spans).await?;
    let by_month = months.iter().zip(&spans).map(|(month, span)| {
        let sums = invoiced.get(&span.number).copied().unwrap_or_default();
        json!({
            "month": month.strftime("%Y-%m").to_string(),
            "invoiced": money(sums.total),
            "paid": money(paid.get(&span.number).copied().unwrap_or_default()),
            "outstanding": money(sums.outstanding),
        })
    });
    Ok(json!({
        "as_of": input.now.to_string(),
        "months": by_month.collect::<Vec<_>>(),
        "total": {
            "invoiced": money(invoiced.values().map(|sums| sums.total).sum()),
            "paid": money(paid.values().sum()),
            "outstanding": money(invoiced.values().map(|sums| sums.outstanding).sum()),
        },
    }))
}
