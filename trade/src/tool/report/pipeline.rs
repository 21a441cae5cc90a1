//! `report.pipeline`: counts and sums leads and open quotes by stage.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use serde_json::json;

use crate::cell::money;
use crate::data;
use crate::tool::input::{Input, known};

/// The stages of quotes that are open. Accepted and declined quotes are not.
const OPEN_QUOTES: [&str; 3] = ["draft", "finalized", "sent"];

pub(super) async fn figures(tx: &mut Tx, input: &Input<'_>) -> Result<Value, Problem> {
    let person = input.text("assigned_to");
    let leads = data::leads_by_stage(tx, input.tenant, person).await?;
    let sums = data::quote_sums_by_lead_stage(tx, input.tenant, person).await?;
    let quotes = data::open_quotes_by_stage(tx, input.tenant, person).await?;
    let stages = known("leads")?.column("status").map_err(Problem::bug)?.words;
    let lead_stages = stages.iter().map(|stage| {
        let (count, cents) = (leads.get(*stage), sums.get(*stage));
        json!({
            "stage": stage,
            "count": count.copied().unwrap_or_default(),
            "sum": money(cents.copied().unwrap_or_default()),
        })
    });
    let quote_stages = OPEN_QUOTES.iter().map(|stage| {
        let figures = quotes.get(*stage).copied().unwrap_or_default();
        json!({ "stage": stage, "count": figures.count, "sum": money(figures.cents) })
    });
    Ok(json!({
        "as_of": input.now.to_string(),
        "leads": lead_stages.collect::<Vec<_>>(),
        "quotes": quote_stages.collect::<Vec<_>>(),
    }))
}
