//! `report.follow_ups`: lists the quotes and invoices that nobody has answered for some days.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use jiff::civil::Date;
use serde_json::json;

use super::{ROWS_DEFAULT, ROWS_MAX};
use crate::cell::money;
use crate::data::{self, FollowUpQuery, UnansweredInvoice, UnansweredQuote};
use crate::tool::input::Input;
use crate::tool::today::{Today, out_of_range};

pub(super) async fn figures(tx: &mut Tx, input: &Input<'_>) -> Result<Value, Problem> {
    let today = Today::at(input.now, input.zone());
    let latest = today.plus(-super::days(input)?)?;
    let after = latest.tomorrow().map_err(out_of_range)?;
    let query = FollowUpQuery {
        tenant: input.tenant,
        sent_before: today.beginning(after)?,
        due_by: &latest.to_string(),
        limit: input.whole("limit")?.unwrap_or(ROWS_DEFAULT).clamp(1, ROWS_MAX),
    };
    let quotes = data::unanswered_quotes(tx, &query).await?;
    let invoices = data::unanswered_invoices(tx, &query).await?;
    let count = data::count_follow_ups(tx, &query).await?;
    let quotes: Result<Vec<Value>, Problem> = quotes.iter().map(|it| quote(it, &today)).collect();
    let invoices: Result<Vec<Value>, Problem> =
        invoices.iter().map(|it| invoice(it, &today)).collect();
    Ok(json!({
        "as_of": input.now.to_string(),
        "quotes": quotes?,
        "invoices": invoices?,
        "count": count,
    }))
}

fn quote(quote: &UnansweredQuote, today: &Today) -> Result<Value, Problem> {
    let mut shown = json!({
        "quote_id": quote.id,
        "title": quote.title,
        "total": money(quote.total),
        "sent_at": quote.sent_at.to_string(),
        "days": today.days_since_instant(quote.sent_at)?,
    });
    add(&mut shown, "lead_id", quote.lead_id.as_ref());
    add(&mut shown, "customer_id", quote.customer_id.as_ref());
    Ok(shown)
}

fn invoice(invoice: &UnansweredInvoice, today: &Today) -> Result<Value, Problem> {
    let due: Date = invoice.due_date.parse().map_err(out_of_range)?;
    let mut shown = json!({
        "invoice_id": invoice.id,
        "title": invoice.title,
        "outstanding": money(invoice.outstanding),
        "due_date": invoice.due_date,
        "days": today.days_since(due)?,
    });
    add(&mut shown, "customer_id", invoice.customer_id.as_ref());
    Ok(shown)
}

fn add(shown: &mut Value, name: &str, value: Option<&String>) {
    if let Some(value) = value {
        shown[name] = value.as_str().into();
    }
}
