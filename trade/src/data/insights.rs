//! Reads customers, leads and suppliers, and the quotes that were sent to them.

use std::collections::BTreeMap;

use abide_engine::base::{Span, Timestamp, Value};
use abide_engine::params;
use abide_engine::response::{ASKS_PER_PERSON_MAX, AskResult, HISTORY_SPAN, ResponseHistory};
use abide_engine::store::{ColumnType, Param, Row, Rows, StoreError, Tx};

/// A quote that is neither accepted nor declined after this time counts as unanswered.
const QUOTE_ANSWER_SPAN: Span = Span::from_secs(30 * 86_400);

/// With whom a business deals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartyKind {
    /// Customers.
    Customers,
    /// Leads.
    Leads,
    /// Entities of the type `supplier`, with their phone number in the member `phone` of their data.
    Suppliers,
}

/// A page of the customers, leads or suppliers of a tenant.
pub const PARTY_QUERIES: [&str; 3] = [
    "SELECT id, name, phone, NULL AS data FROM customers WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3",
    "SELECT id, name, phone, NULL AS data FROM leads WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3",
    "SELECT id, name, NULL AS phone, data FROM entities
     WHERE tenant = $1 AND type = 'supplier' AND id > $2 ORDER BY id LIMIT $3",
];

/// The latest quotes of some customers, or of some leads.
pub const QUOTE_QUERIES: [&str; 2] = [
    "SELECT k.party, q.status, q.sent_at, q.updated_at
     FROM (SELECT v.id AS party, COALESCE((SELECT x.id FROM quotes x WHERE x.tenant = $1 AND x.customer_id = v.id
            ORDER BY x.id DESC LIMIT 1 OFFSET $3), '') AS oldest FROM {rows}) k
     {each quotes q} q.tenant = $1 AND q.customer_id = k.party AND q.id >= k.oldest {end each}
     WHERE q.sent_at >= $2 ORDER BY q.id",
    "SELECT k.party, q.status, q.sent_at, q.updated_at
     FROM (SELECT v.id AS party, COALESCE((SELECT x.id FROM quotes x WHERE x.tenant = $1 AND x.lead_id = v.id
            ORDER BY x.id DESC LIMIT 1 OFFSET $3), '') AS oldest FROM {rows}) k
     {each quotes q} q.tenant = $1 AND q.lead_id = k.party AND q.id >= k.oldest {end each}
     WHERE q.customer_id IS NULL AND q.sent_at >= $2 ORDER BY q.id",
];

/// Somebody with whom the business deals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    /// The id of the customer, lead or supplier.
    pub id: String,
    /// The name.
    pub name: String,
    /// The phone number as it is stored.
    pub phone: Option<String>,
}

/// Returns the parties of a tenant after the id `after`, at most `limit`.
pub async fn parties(
    tx: &mut Tx,
    tenant: &str,
    kind: PartyKind,
    after: &str,
    limit: i64,
) -> Result<Vec<Party>, StoreError> {
    let sql = match kind {
        PartyKind::Customers => PARTY_QUERIES[0],
        PartyKind::Leads => PARTY_QUERIES[1],
        PartyKind::Suppliers => PARTY_QUERIES[2],
    };
    let rows = tx.rows(sql, &params![tenant, after, limit]).await?;
    rows.iter().map(read_party).collect()
}

fn read_party(row: &Row) -> Result<Party, StoreError> {
    let data: Option<Value> =
        row.opt_text("data")?.and_then(|data| serde_json::from_str(&data).ok());
    let in_data = data.and_then(|data| data.get("phone")?.as_str().map(ToOwned::to_owned));
    let phone = row.opt_text("phone")?.or(in_data);
    Ok(Party { id: row.text("id")?, name: row.text("name")?, phone })
}

/// Returns how parties answer the quotes that were sent to them. Leaves out those without such quotes.
pub async fn quote_responses(
    tx: &mut Tx,
    tenant: &str,
    kind: PartyKind,
    parties: &[Party],
    now: Timestamp,
) -> Result<BTreeMap<String, ResponseHistory>, StoreError> {
    let sql = match kind {
        PartyKind::Customers => QUOTE_QUERIES[0],
        PartyKind::Leads => QUOTE_QUERIES[1],
        PartyKind::Suppliers => return Ok(BTreeMap::new()),
    };
    let mut ids = Rows::new(&[("id", ColumnType::Text)]);
    for party in parties {
        ids.push([Param::from(&party.id)]);
    }
    let params = params![tenant, now - HISTORY_SPAN, ASKS_PER_PERSON_MAX - 1];
    let mut results: BTreeMap<String, Vec<AskResult>> = BTreeMap::new();
    for row in tx.bulk(sql, &params, &ids).await? {
        let (sent_at, changed_at) = (row.at("sent_at")?, row.at("updated_at")?);
        let result = quote_result(&row.text("status")?, sent_at, changed_at, now);
        results.entry(row.text("party")?).or_default().extend(result);
    }
    let histories = results.into_iter().map(|(party, all)| (party, ResponseHistory::of(all)));
    Ok(histories.filter(|(_, history)| history.asked() > 0).collect())
}

/// Returns what somebody did with a quote; `None` if they may still answer. The time of an answer is that of the last
/// change of the quote, which nothing but a comment follows.
fn quote_result(
    status: &str,
    sent_at: Timestamp,
    changed_at: Timestamp,
    now: Timestamp,
) -> Option<AskResult> {
    match status {
        "accepted" => Some(AskResult::Accepted(changed_at - sent_at)),
        "declined" => Some(AskResult::Declined(changed_at - sent_at)),
        "sent" if sent_at + QUOTE_ANSWER_SPAN <= now => Some(AskResult::Silent),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_answered_or_given_up() {
        let at = |days: i64| Timestamp::EPOCH + Span::from_secs(days * 86_400);
        let two_days = Span::from_secs(2 * 86_400);
        let result = |status, now| quote_result(status, at(1), at(3), at(now));
        assert_eq!(result("accepted", 4), Some(AskResult::Accepted(two_days)));
        assert_eq!(result("declined", 4), Some(AskResult::Declined(two_days)));
        assert_eq!((result("sent", 30), result("sent", 31)), (None, Some(AskResult::Silent)));
        assert_eq!(result("draft", 90), None);
    }
}
