//! How often and how soon customers, leads and suppliers answer.

use abide_engine::base::{Problem, Timestamp};
use abide_engine::boxed;
use abide_engine::policy::Region;
use abide_engine::response::{InsightPage, InsightView, TYPICAL_RATE};
use abide_engine::store::{ContactId, Tx};

use crate::cell::e164;
pub use crate::data::PartyKind;
use crate::data::{self, Party};

/// Selects a page of parties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartyQuery {
    /// The tenant.
    pub tenant: String,
    /// Which parties.
    pub kind: PartyKind,
    /// How phone numbers without a country code are read.
    pub region: Region,
    /// The id of the last party of the page before.
    pub after: Option<String>,
    /// Maximum number of parties.
    pub limit: usize,
}

/// Lists how parties answer the texts and quotes that they get, in the order in which they were added.
///
/// # Errors
/// Errors from the store.
#[boxed]
pub async fn insights(
    tx: &mut Tx,
    query: &PartyQuery,
    now: Timestamp,
) -> Result<InsightPage, Problem> {
    let PartyQuery { tenant, kind, region, after, limit } = query;
    let all = tx.all_text_responses(tenant, now).await?;
    let expected = all.rate(TYPICAL_RATE);
    let rows = i64::try_from(limit + 1).unwrap_or(i64::MAX);
    let mut parties =
        data::parties(tx, tenant, *kind, after.as_deref().unwrap_or_default(), rows).await?;
    let has_more = parties.len() > *limit;
    parties.truncate(*limit);
    let next_cursor = parties.last().filter(|_| has_more).map(|party| party.id.clone());
    let contact_of = |tx: &Tx, party: &Party| -> Option<ContactId> {
        let phone = e164(party.phone.as_deref()?, *region).ok()?;
        Some(tx.contact_id(tenant, &phone))
    };
    let contacts: Vec<Option<ContactId>> =
        parties.iter().map(|party| contact_of(tx, party)).collect();
    let known: Vec<ContactId> = contacts.iter().flatten().copied().collect();
    let texts = tx.text_responses(tenant, &known, now).await?;
    let quotes = data::quote_responses(tx, tenant, *kind, &parties, now).await?;
    let items = parties.into_iter().zip(contacts).filter_map(|(party, contact)| {
        let texts = contact.and_then(|contact| texts.get(&contact)).filter(|it| it.asked() > 0);
        let quotes = quotes.get(&party.id);
        (texts.is_some() || quotes.is_some()).then(|| InsightView {
            responses: texts.cloned().unwrap_or_default().figures(expected),
            quotes: quotes.map(|history| history.figures(TYPICAL_RATE)),
            id: party.id,
            name: party.name,
        })
    });
    Ok(InsightPage { all: all.figures(TYPICAL_RATE), items: items.collect(), next_cursor })
}
