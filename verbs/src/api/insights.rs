//! How often and how soon people answer the offers that they get.

use std::collections::BTreeMap;

use abide_engine::base::{PersonId, Problem, Timestamp};
use abide_engine::boxed;
use abide_engine::response::{InsightPage, InsightView, ResponseHistory, TYPICAL_RATE};
use abide_engine::store::Tx;

use super::{Page, PageRequest};
use crate::data::response::{self, AskedPerson};

/// Lists how the people of a tenant answer offers, in the order in which they were added to the directory.
///
/// # Errors
/// `invalid_cursor`; errors from the store.
#[boxed]
pub async fn people(
    tx: &mut Tx,
    tenant: &str,
    now: Timestamp,
    page: &PageRequest,
) -> Result<InsightPage, Problem> {
    let all = response::of_all(tx, tenant, now).await?;
    let expected = all.rate(TYPICAL_RATE);
    let asked = asked_page(tx, tenant, page.after()?, page.limit()).await?;
    let histories = histories_of(tx, tenant, &asked.items, now).await?;
    let items = asked.items.into_iter().filter_map(|person| {
        let history = histories.get(&person.id)?;
        Some(InsightView {
            id: person.id.to_string(),
            name: person.name,
            responses: history.figures(expected),
            quotes: None,
        })
    });
    let items = items.collect();
    Ok(InsightPage { all: all.figures(TYPICAL_RATE), items, next_cursor: asked.next_cursor })
}

/// How the people of a tenant answer offers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PeopleHistories {
    /// All of them, by the latest offers of the tenant.
    pub all: ResponseHistory,
    /// Each of them, by phone number. People who share a phone number answer as one.
    pub by_phone: BTreeMap<String, ResponseHistory>,
}

/// Maximum number of people whose own histories [`people_histories`] returns. The others are expected to answer as all
/// do. A forecast copies a directory of this size in a second.
const HISTORIES_MAX: usize = 10_000;
/// Number of people whose histories one statement reads.
const PAGE_PEOPLE: usize = 200;

/// Returns how the people of a tenant answer offers.
///
/// # Errors
/// Errors from the store.
#[boxed]
pub async fn people_histories(
    tx: &mut Tx,
    tenant: &str,
    now: Timestamp,
) -> Result<PeopleHistories, Problem> {
    let all = response::of_all(tx, tenant, now).await?;
    let mut by_phone: BTreeMap<String, Vec<ResponseHistory>> = BTreeMap::new();
    let mut after = None;
    for _ in 0..HISTORIES_MAX / PAGE_PEOPLE {
        let page = asked_page(tx, tenant, after, PAGE_PEOPLE).await?;
        let mut histories = histories_of(tx, tenant, &page.items, now).await?;
        after = page.items.last().map(|person| person.id);
        for person in page.items {
            let history = histories.remove(&person.id);
            by_phone.entry(person.phone).or_default().extend(history);
        }
        if page.next_cursor.is_none() {
            break;
        }
    }
    let joined = |own: Vec<ResponseHistory>| ResponseHistory::joined(&own);
    let by_phone = by_phone.into_iter().map(|(phone, own)| (phone, joined(own))).collect();
    Ok(PeopleHistories { all, by_phone })
}

async fn asked_page(
    tx: &mut Tx,
    tenant: &str,
    after: Option<PersonId>,
    limit: usize,
) -> Result<Page<AskedPerson>, Problem> {
    let rows = i64::try_from(limit + 1).unwrap_or(i64::MAX);
    let asked = response::asked_people(tx, tenant, after, rows).await?;
    Ok(Page::cut(asked, limit, |person| person.id.to_string()))
}

async fn histories_of(
    tx: &mut Tx,
    tenant: &str,
    people: &[AskedPerson],
    now: Timestamp,
) -> Result<BTreeMap<PersonId, ResponseHistory>, Problem> {
    let ids: Vec<PersonId> = people.iter().map(|person| person.id).collect();
    Ok(response::of_people(tx, tenant, &ids, now).await?)
}
