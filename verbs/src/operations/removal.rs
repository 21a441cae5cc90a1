//! Takes a person out of all work, because they are to be erased.

use std::collections::BTreeSet;

use abide_engine::base::{PersonId, Problem, RequestId, TypedId as _};
use abide_engine::domain::{GivenUpPlace, RemovedPerson};
use abide_engine::erasure::PersonalData;
use abide_engine::store::Tx;

use super::places::PlaceRelease;
use super::unreachable::OpenToPeople;
use super::{OperationContext, places, requests};
use crate::assignment::AssignmentState;
use crate::data;
use crate::data::person::Person;
use crate::offer::OfferCause;

/// Shortest part of a name that is looked for in texts, in characters.
const PART_CHARS_MIN: usize = 3;
/// Parts of names that are also ordinary words, which texts about others begin with or contain. Such a part is not looked for by
/// itself; the full name is.
const ORDINARY_WORDS: [&str; 62] = [
    "april",
    "art",
    "august",
    "autumn",
    "ball",
    "banks",
    "best",
    "bill",
    "black",
    "brown",
    "case",
    "christian",
    "church",
    "cook",
    "dawn",
    "day",
    "drew",
    "faith",
    "field",
    "frank",
    "good",
    "grace",
    "grant",
    "gray",
    "green",
    "guy",
    "hall",
    "hill",
    "hope",
    "jack",
    "joy",
    "june",
    "king",
    "little",
    "long",
    "mark",
    "may",
    "miles",
    "page",
    "park",
    "pat",
    "price",
    "ray",
    "rice",
    "rich",
    "rivers",
    "rob",
    "rose",
    "sandy",
    "short",
    "small",
    "stone",
    "street",
    "sue",
    "summer",
    "sunday",
    "van",
    "von",
    "white",
    "will",
    "wood",
    "young",
];

/// Takes a person out of all work of the tenant. Returns `None` if there is no such person.
///
/// # Errors
/// Errors of the store.
pub async fn remove(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    person: PersonId,
) -> Result<Option<RemovedPerson>, Problem> {
    let tenant = context.tenant;
    let known = data::person::by_ids(tx, tenant, &[person]).await?.pop();
    let Some(known) = known.filter(|known| !known.is_erased) else { return Ok(None) };
    let open = OpenToPeople::load(tx, vec![person]).await?;
    let held = data::assignment::future_assignments(tx, &[person], context.now).await?;
    let asked: BTreeSet<RequestId> = held.iter().map(|held| held.assignment.request).collect();
    let mut keys = open.keys();
    keys.extend(asked.iter().map(|request| request.uuid()));
    tx.lock_partitions(tenant, &keys).await?;
    data::person::lock(tx, &[person]).await?;
    open.withdraw(tx, context, OfferCause::Erased).await?;
    let mut given_up = Vec::new();
    for held in held {
        let (request, role) = (held.assignment.request, held.assignment.role.as_str());
        let mut request = requests::lock(tx, tenant, request).await?;
        let release = PlaceRelease { reason: Some("erased"), ..PlaceRelease::of(person, role) };
        let released = places::release(tx, context, &mut request, release).await?;
        if released.is_some_and(|released| released.was == AssignmentState::Accepted) {
            given_up.push(GivenUpPlace {
                request: request.id,
                role: role.to_owned(),
                service_time: held.service_time.to_string(),
            });
        }
    }
    let sharing = data::person::by_contacts(tx, tenant, &[known.contact]).await?;
    let names = names_to_find(tx, context, &known).await?;
    data::person::erase(tx, person, context.now).await?;
    Ok(Some(RemovedPerson {
        contact: known.contact,
        is_number_shared: sharing.len() > 1,
        data: PersonalData {
            names,
            phones: if sharing.len() > 1 { Vec::new() } else { vec![known.phone] },
            addresses: known
                .email
                .into_iter()
                .chain(known.external_id.filter(|id| is_telling(id)))
                .collect(),
            words: Vec::new(),
        },
        places: given_up,
    }))
}

/// Whether an id of the church's own records is long enough to be found in texts without finding anything else.
fn is_telling(external: &str) -> bool {
    external.chars().count() >= 8
}

/// Returns the full name of a person, and the parts of it, as far as nobody else has them. A name that the tenant
/// itself has, such as `Grace`, is left out.
async fn names_to_find(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    person: &Person,
) -> Result<Vec<String>, Problem> {
    let full = person.name.trim();
    let parts = full.split_whitespace().filter(|part| {
        part.chars().count() >= PART_CHARS_MIN
            && !ORDINARY_WORDS.contains(&part.to_lowercase().as_str())
    });
    let mut wanted: Vec<String> = vec![full.to_owned()];
    wanted.extend(parts.filter(|part| *part != full).map(str::to_owned));
    let church = data::church::find(tx, context.tenant).await?.map(|church| church.name);
    let own = [context.settings.name.clone(), church].into_iter().flatten();
    let mut others: Vec<String> = own.collect();
    let mut after = None;
    loop {
        wanted
            .retain(|name| !name.is_empty() && !others.iter().any(|other| has_words(other, name)));
        let page = data::person::names_after(tx, context.tenant, after).await?;
        let Some(last) = page.last() else { return Ok(wanted) };
        after = Some(last.id);
        let page = page.into_iter().filter(|other| other.id != person.id);
        others = page.map(|other| other.name).collect();
    }
}

/// Whether a name contains all words of another, one after the other, in upper or lower case.
fn has_words(name: &str, part: &str) -> bool {
    let words =
        |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_lowercase).collect() };
    let (name, part) = (words(name), words(part));
    !part.is_empty() && name.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_words_of_another() {
        let cases = [
            ("Ana Lopez", "ana", true),
            ("Ana Lopez", "Ana Lopez", true),
            ("Ana Maria Lopez", "Ana Lopez", false),
            ("Anabel Lopez", "Ana", false),
            ("Grace Church", "Grace", true),
        ];
        for (name, part, expected) in cases {
            assert_eq!(has_words(name, part), expected, "{name} / {part}");
        }
    }
}
