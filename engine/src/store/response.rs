//! Which texts to people outside were answered, and when.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::contact::ContactId;
use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::row::Row;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::Timestamp;
use crate::params;
use crate::response::{
    ASKS_PER_PERSON_MAX, ASKS_PER_TENANT_MAX, HISTORY_SPAN, ResponseHistory, TextWithAnswer,
    history_of_texts,
};

/// The latest texts that calls sent to some contacts, or to all of a tenant, each with the time of the next text from
/// the recipient. The words of a carrier, such as STOP, are no answer.
pub const RESPONSE_QUERIES: [&str; 2] = [
    "SELECT o.contact, o.sent_at,
        (SELECT i.received_at FROM inbound i WHERE i.tenant = $1 AND i.sender = o.contact AND {i.id} > o.id
            AND i.received_at >= o.sent_at AND i.carrier_word IS NULL ORDER BY {i.id} LIMIT 1) AS answered_at
     FROM (SELECT v.contact, COALESCE((SELECT x.id FROM outbox x WHERE x.tenant = $1 AND x.contact = v.contact
            ORDER BY {x.id} DESC LIMIT 1 OFFSET $3), $4) AS oldest FROM {rows}) k {each outbox o} o.tenant = $1 AND o.contact = k.contact AND {o.id} >= k.oldest {end each}
     WHERE o.call_id IS NOT NULL AND o.sent_at >= $2
        AND o.state IN ('sent', 'delivered')
     ORDER BY o.contact, o.sent_at, o.id",
    "SELECT o.contact, o.sent_at,
        (SELECT i.received_at FROM inbound i WHERE i.tenant = $1 AND i.sender = o.contact AND {i.id} > o.id
            AND i.received_at >= o.sent_at AND i.carrier_word IS NULL ORDER BY {i.id} LIMIT 1) AS answered_at
     FROM (SELECT x.id, x.contact, x.call_id, x.state, x.sent_at FROM outbox x WHERE {x.tenant} = $1
            ORDER BY {x.id} DESC LIMIT $3) o
     WHERE o.call_id IS NOT NULL AND o.sent_at >= $2
        AND o.state IN ('sent', 'delivered')
     ORDER BY o.contact, o.sent_at, o.id",
];

impl Tx {
    /// Returns how these contacts answer texts that calls have sent to them. Leaves out contacts without such texts.
    pub async fn text_responses(
        &mut self,
        tenant: &str,
        contacts: &[ContactId],
        now: Timestamp,
    ) -> Result<BTreeMap<ContactId, ResponseHistory>, StoreError> {
        let mut rows = Rows::new(&[("contact", ColumnType::Bytes)]);
        for contact in contacts {
            rows.push([Param::from(*contact)]);
        }
        let since = now - HISTORY_SPAN;
        let params = params![tenant, since, ASKS_PER_PERSON_MAX - 1, Uuid::nil()];
        let found = self.bulk(RESPONSE_QUERIES[0], &params, &rows).await?;
        histories(&found, now)
    }

    /// Returns how all contacts of a tenant answer texts, by the latest texts that calls have sent.
    pub async fn all_text_responses(
        &mut self,
        tenant: &str,
        now: Timestamp,
    ) -> Result<ResponseHistory, StoreError> {
        let params = params![tenant, now - HISTORY_SPAN, ASKS_PER_TENANT_MAX];
        let found = self.rows(RESPONSE_QUERIES[1], &params).await?;
        Ok(ResponseHistory::joined(histories(&found, now)?.values()))
    }
}

fn histories(
    rows: &[Row],
    now: Timestamp,
) -> Result<BTreeMap<ContactId, ResponseHistory>, StoreError> {
    let mut texts: BTreeMap<ContactId, Vec<TextWithAnswer>> = BTreeMap::new();
    for row in rows {
        let contact = ContactId(row.digest("contact")?);
        let text =
            TextWithAnswer { sent_at: row.at("sent_at")?, answered_at: row.opt_at("answered_at")? };
        texts.entry(contact).or_default().push(text);
    }
    Ok(texts.into_iter().map(|(contact, sent)| (contact, history_of_texts(&sent, now))).collect())
}
