//! What people did with the offers that they got.

use std::collections::BTreeMap;

use abide_engine::base::{PersonId, Timestamp};
use abide_engine::params;
use abide_engine::response::{
    ASKS_PER_PERSON_MAX, ASKS_PER_TENANT_MAX, HISTORY_SPAN, ResponseHistory,
};
use abide_engine::store::{Row, Rows, StoreError, Tx};
use uuid::Uuid;

use crate::offer::history::{PastOffer, histories};
use crate::offer::{OfferCause, OfferState};

/// The latest offers of some people, or of all of a tenant; and a page of the people who ever got one.
pub const OFFER_HISTORY_QUERIES: [&str; 3] = [
    "SELECT o.id, o.person, o.request, o.run_id, o.state, o.cause, o.planned_at, o.created_at, o.ended_at
     FROM (SELECT v.id AS person, COALESCE((SELECT x.id FROM offer x WHERE x.person = v.id
            ORDER BY x.id DESC LIMIT 1 OFFSET $3), $4) AS oldest FROM {rows}) k CROSS JOIN offer o
     WHERE o.person = k.person AND o.id >= k.oldest AND o.tenant = $1 AND o.created_at >= $2 ORDER BY o.id",
    "SELECT o.id, o.person, o.request, o.run_id, o.state, o.cause, o.planned_at, o.created_at, o.ended_at
     FROM (SELECT x.id, x.person, x.request, x.run_id, x.state, x.cause, x.planned_at, x.created_at, x.ended_at
            FROM offer x WHERE x.tenant = $1 ORDER BY x.id DESC LIMIT $3) o
     WHERE o.created_at >= $2 ORDER BY o.id",
    "SELECT p.id, p.name, p.phone FROM person p WHERE p.tenant = $1 AND {p.id} > $2
        AND EXISTS (SELECT 1 FROM offer o WHERE o.person = p.id)
     ORDER BY {p.id} LIMIT $3",
];

/// Returns how these people answer offers. Leaves out people of whom no offer counts.
pub async fn of_people(
    tx: &mut Tx,
    tenant: &str,
    people: &[PersonId],
    now: Timestamp,
) -> Result<BTreeMap<PersonId, ResponseHistory>, StoreError> {
    let params = params![tenant, now - HISTORY_SPAN, ASKS_PER_PERSON_MAX - 1, Uuid::nil()];
    let rows = tx.bulk(OFFER_HISTORY_QUERIES[0], &params, &Rows::ids(people)).await?;
    read_histories(&rows)
}

/// Returns how all people of a tenant answer offers, by its latest offers.
pub async fn of_all(
    tx: &mut Tx,
    tenant: &str,
    now: Timestamp,
) -> Result<ResponseHistory, StoreError> {
    let params = params![tenant, now - HISTORY_SPAN, ASKS_PER_TENANT_MAX];
    let rows = tx.rows(OFFER_HISTORY_QUERIES[1], &params).await?;
    Ok(ResponseHistory::joined(read_histories(&rows)?.values()))
}

/// A person who has got an offer at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedPerson {
    /// The person's id.
    pub id: PersonId,
    /// Full name.
    pub name: String,
    /// Phone number in E.164.
    pub phone: String,
}

/// Returns the people of a tenant who have got an offer at some time, after `after`, at most `limit`.
pub async fn asked_people(
    tx: &mut Tx,
    tenant: &str,
    after: Option<PersonId>,
    limit: i64,
) -> Result<Vec<AskedPerson>, StoreError> {
    let after = after.map_or(Uuid::nil(), abide_engine::base::TypedId::uuid);
    let rows = tx.rows(OFFER_HISTORY_QUERIES[2], &params![tenant, after, limit]).await?;
    let read = |row: &Row| {
        Ok(AskedPerson { id: row.id("id")?, name: row.text("name")?, phone: row.text("phone")? })
    };
    rows.iter().map(read).collect()
}

/// Returns when these people last took a place; the epoch for those who never did.
pub async fn placed_at(
    tx: &mut Tx,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, Timestamp>, StoreError> {
    let rows = tx
        .bulk(
            "SELECT p.id, p.placed_at FROM person p WHERE p.id IN (SELECT id FROM {rows})",
            &[],
            &Rows::ids(people),
        )
        .await?;
    rows.iter().map(|row| Ok((row.id("id")?, row.at("placed_at")?))).collect()
}

fn read_histories(rows: &[Row]) -> Result<BTreeMap<PersonId, ResponseHistory>, StoreError> {
    let offers: Result<Vec<PastOffer>, StoreError> = rows.iter().map(read).collect();
    Ok(histories(&offers?))
}

fn read(row: &Row) -> Result<PastOffer, StoreError> {
    let corrupt = |what: &str| StoreError::Corrupt(format!("offer: {what}"));
    let cause = row.opt_text("cause")?;
    let cause = cause.map(|text| OfferCause::parse(&text).ok_or_else(|| corrupt("cause")));
    Ok(PastOffer {
        person: row.id("person")?,
        request: row.id("request")?,
        is_late_yes: row.opt_id::<abide_engine::base::RunId>("run_id")?.is_none(),
        state: OfferState::parse(&row.text("state")?).ok_or_else(|| corrupt("state"))?,
        cause: cause.transpose()?,
        planned_at: row.at("planned_at")?,
        ended_at: row.opt_at("ended_at")?,
    })
}
