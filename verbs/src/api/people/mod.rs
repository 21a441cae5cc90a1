//! The directory: adds, changes and lists people.

mod consent;
mod export;
mod matching;
mod normalize;

use std::collections::BTreeMap;

use abide_engine::base::{PersonId, Problem, Timestamp};
use abide_engine::boxed;
use abide_engine::policy::Region;
use abide_engine::store::{ContactConsent, Tx};
use abide_engine::template::Language;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use consent::{latest_consents, parse_consent};
pub use export::{PersonRecord, record};
use matching::{KnownPeople, merged};
use normalize::normalized;

use super::{Page, PageRequest};
use crate::data;
use crate::data::person::{Person, PersonFilter};
use crate::request::targets::checked_role;

/// Maximum number of people that [`upsert`] accepts at once. A larger import must be split.
pub const PEOPLE_MAX: usize = 10_000;
/// Maximum number of directory pages that one search by name reads.
/// After that many pages, the search returns the people found so far and a cursor to continue.
const SEARCH_PARTS_MAX: usize = 40;

/// A person to add or change. Fields that are left out stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PersonInput {
    /// The id of the person to change. Without an id, the person is found by `external_id`,
    /// or by phone and name, and added if nobody is found.
    pub id: Option<PersonId>,
    /// The id in the church's own records.
    pub external_id: Option<String>,
    /// Full name.
    pub name: String,
    /// Phone number, in any common form.
    pub phone: String,
    /// All roles of the person; replaces the previous roles.
    pub roles: Option<Vec<String>>,
    /// The campus where the person serves.
    pub campus: Option<String>,
    /// False for a person who must not be asked.
    pub active: Option<bool>,
    /// IANA time zone of the person, if it differs from the church's.
    pub time_zone: Option<String>,
    /// The language of the texts to the person. Without it, that in which the person writes.
    pub language: Option<Language>,
    /// Email address.
    pub email: Option<String>,
    /// Identifier shared by the people of one household.
    pub household: Option<String>,
    /// Phone number of a minor's guardian.
    pub guardian_phone: Option<String>,
    /// Where consent to texts was given, such as `sign-up form`. Needs `consent_at`. Consent belongs to the
    /// phone number; an older consent does not replace a newer one, and none of them undoes an opt-out.
    pub consent_source: Option<String>,
    /// When consent to texts was given, in RFC 3339. Needs `consent_source`.
    #[schema(format = DateTime)]
    pub consent_at: Option<String>,
    /// The words to which consent was given.
    pub consent_wording: Option<String>,
}

/// The fields that a person can have in an import file or a scenario:
/// all fields of [`PersonInput`] except `id`, which abide assigns.
pub const PERSON_FIELDS: [&str; 14] = [
    "name",
    "phone",
    "external_id",
    "roles",
    "campus",
    "active",
    "time_zone",
    "language",
    "email",
    "household",
    "guardian_phone",
    "consent_source",
    "consent_at",
    "consent_wording",
];

/// A person in the directory, as the API shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PersonView {
    /// The person's id, assigned by abide.
    pub id: PersonId,
    /// The person's id in the church's own records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Full name.
    pub name: String,
    /// Phone number in E.164.
    pub phone: String,
    /// Roles, sorted by name.
    pub roles: Vec<String>,
    /// The campus where the person serves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub campus: Option<String>,
    /// False for a person who must not be asked.
    pub active: bool,
    /// IANA time zone of the person, if it differs from the church's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// The language of the texts to the person, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// Email address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Identifier shared by the people of one household.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub household: Option<String>,
    /// Phone number of a minor's guardian.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guardian_phone: Option<String>,
    /// Where consent to texts was given, as far as the record says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent_source: Option<String>,
    /// When consent to texts was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub consent_at: Option<String>,
    /// The words to which consent was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent_wording: Option<String>,
    /// Whether the phone number has opted out. It then gets no text, whatever consent is on record.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub opted_out: bool,
}

/// A query of the directory. Selects people who meet all conditions that are not `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PeopleQuery {
    /// Selects people with this role.
    pub role: Option<String>,
    /// Selects people of this campus.
    pub campus: Option<String>,
    /// Selects people whose name contains this string, ignoring case.
    pub q: Option<String>,
    /// Selects people with this phone number in E.164. Several people may share a number.
    pub phone: Option<String>,
    /// Which page of the result is to be returned.
    pub page: PageRequest,
}

impl PeopleQuery {
    /// Whether a person's name contains the search string `q`. True if there is no search string.
    fn names(&self, person: &Person) -> bool {
        let q = self.q.as_deref().map(str::to_lowercase);
        q.is_none_or(|q| person.name.to_lowercase().contains(&q))
    }
}

impl PersonView {
    fn of(person: Person, consent: ContactConsent) -> Self {
        let ContactConsent { given, suppressed } = consent;
        let (source, at, wording) =
            given.map_or((None, None, None), |it| (Some(it.source), Some(it.at), it.wording));
        Self {
            id: person.id,
            external_id: person.external_id,
            name: person.name,
            phone: person.phone,
            roles: person.roles,
            campus: person.campus,
            active: person.active,
            time_zone: person.time_zone,
            language: person.language.or(person.wrote_in),
            email: person.email,
            household: person.household,
            guardian_phone: person.guardian_phone,
            consent_source: source,
            consent_at: at.map(|at| at.to_string()),
            consent_wording: wording,
            opted_out: suppressed,
        }
    }
}

/// Returns people as the API shows them, in the same order.
async fn views(tx: &mut Tx, tenant: &str, people: Vec<Person>) -> Result<Vec<PersonView>, Problem> {
    let contacts: Vec<_> = people.iter().map(|person| person.contact).collect();
    let consents = tx.consents(tenant, &contacts).await?;
    let consent = |person: &Person| consents.get(&person.contact).cloned().unwrap_or_default();
    Ok(people
        .into_iter()
        .map(|person| {
            let consent = consent(&person);
            PersonView::of(person, consent)
        })
        .collect())
}

/// Adds or changes people. If one of the inputs is invalid, changes nobody.
/// Returns the people as stored, in the sequence of `inputs`. A phone number without a country code is one of
/// the region.
///
/// # Errors
/// `invalid_person`, `invalid_phone` or `invalid_role` for a malformed field, or for a consent that lacks its
/// source or its time; `person_unknown` for an id
/// that the tenant does not have; `too_many_people` for more than [`PEOPLE_MAX`] people.
/// The error's message states the index of the first invalid input, counted from 0.
#[boxed]
pub async fn upsert(
    tx: &mut Tx,
    tenant: &str,
    region: Region,
    now: Timestamp,
    inputs: &[PersonInput],
) -> Result<Vec<PersonView>, Problem> {
    if inputs.len() > PEOPLE_MAX {
        return Err(Problem::caller(
            "too_many_people",
            format!("{} people in one call; the limit is {PEOPLE_MAX}", inputs.len()),
        )
        .with_hint("split them into several calls"));
    }
    let inputs = inputs
        .iter()
        .enumerate()
        .map(|(place, input)| normalized(input, region).map_err(|problem| at_place(problem, place)))
        .collect::<Result<Vec<_>, _>>()?;
    let given = inputs
        .iter()
        .enumerate()
        .map(|(place, input)| parse_consent(input, now).map_err(|problem| at_place(problem, place)))
        .collect::<Result<Vec<_>, _>>()?;
    tx.ensure_tenant(tenant).await?;
    let phones: Vec<_> = inputs.iter().map(|input| input.phone.clone()).collect();
    let contacts = tx.contacts(tenant, &phones).await?;
    let consents = latest_consents(&contacts, given);
    let mut known_people = KnownPeople::load(tx, tenant, &inputs, &contacts).await?;
    let mut changed = Vec::with_capacity(inputs.len());
    for (place, (input, contact)) in inputs.into_iter().zip(contacts).enumerate() {
        let known =
            known_people.find(&input, contact).map_err(|problem| at_place(problem, place))?;
        let person = merged(known.cloned(), input, contact, || tx.mint());
        changed.push(person.id);
        known_people.put(person);
    }
    let people: Vec<_> = known_people
        .by_id
        .values()
        .filter(|p| known_people.touched.contains(&p.id))
        .cloned()
        .collect();
    data::person::put(tx, tenant, &people, now).await?;
    tx.record_consents(tenant, &consents).await?;
    let changed = changed.iter().filter_map(|id| known_people.by_id.get(id)).cloned().collect();
    views(tx, tenant, changed).await
}

/// Returns the names of these people, by id. Leaves out ids that the tenant does not have.
#[boxed]
pub async fn names(
    tx: &mut Tx,
    tenant: &str,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, String>, Problem> {
    let found = data::person::by_ids(tx, tenant, people).await?;
    Ok(found.into_iter().map(|person| (person.id, person.name)).collect())
}

/// Returns a page of the people who match the query, in the sequence in which they were added.
///
/// # Errors
/// `invalid_cursor`, `invalid_role`.
#[boxed]
pub async fn list(
    tx: &mut Tx,
    tenant: &str,
    query: &PeopleQuery,
) -> Result<Page<PersonView>, Problem> {
    if let Some(phone) = &query.phone {
        return at_number(tx, tenant, query, phone).await;
    }
    let limit = query.page.limit();
    let mut after = query.page.after()?;
    let mut fitting: Vec<Person> = Vec::new();
    let mut more = false;
    for _ in 0..SEARCH_PARTS_MAX {
        let filter = PersonFilter {
            roles: query.role.as_deref().map(checked_role).transpose()?.into_iter().collect(),
            campus: query.campus.clone(),
            after,
            limit: i64::try_from(limit).unwrap_or(i64::MAX),
        };
        let found = data::person::list(tx, tenant, &filter).await?;
        more = found.len() == limit;
        for person in found {
            let fits = query.names(&person);
            if fits && fitting.len() == limit {
                return Ok(page(views(tx, tenant, fitting).await?, after, true));
            }
            after = Some(person.id);
            if fits {
                fitting.push(person);
            }
        }
        if !more || fitting.len() == limit {
            break;
        }
    }
    Ok(page(views(tx, tenant, fitting).await?, after, more))
}

/// Returns one person.
///
/// # Errors
/// `person_unknown` if the tenant has no person with this id.
#[boxed]
pub async fn get(tx: &mut Tx, tenant: &str, id: PersonId) -> Result<PersonView, Problem> {
    let mut found = data::person::by_ids(tx, tenant, &[id]).await?;
    found.retain(|person| !person.is_erased);
    views(tx, tenant, found).await?.pop().ok_or_else(|| {
        Problem::caller("person_unknown", format!("there is no person `{id}`"))
            .with_hint("list the directory with `abide people list`")
    })
}

/// Returns a page of the people with this phone number who also match the rest of the query.
async fn at_number(
    tx: &mut Tx,
    tenant: &str,
    query: &PeopleQuery,
    phone: &str,
) -> Result<Page<PersonView>, Problem> {
    let contact = tx.contact_id(tenant, phone);
    let role = query.role.as_deref().map(checked_role).transpose()?;
    let after = query.page.after()?;
    let mut found = data::person::by_contacts(tx, tenant, &[contact]).await?;
    found.retain(|person| {
        query.names(person)
            && role.as_ref().is_none_or(|role| person.roles.contains(role))
            && query.campus.as_ref().is_none_or(|campus| person.campus.as_ref() == Some(campus))
            && after.is_none_or(|after| person.id > after)
    });
    let limit = query.page.limit();
    let more = found.len() > limit;
    found.truncate(limit);
    let last = found.last().map(|person| person.id);
    Ok(page(views(tx, tenant, found).await?, last, more))
}

fn page(items: Vec<PersonView>, last: Option<PersonId>, more: bool) -> Page<PersonView> {
    Page { items, next_cursor: last.filter(|_| more).map(|id| id.to_string()) }
}

fn at_place(mut problem: Problem, place: usize) -> Problem {
    problem.message = format!("person {place}: {}", problem.message);
    problem
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{PERSON_FIELDS, PersonInput};

    #[test]
    fn files_may_say_all_of_somebody_but_our_id() {
        let refused = serde_json::from_value::<PersonInput>(json!({ "unheard_of": 1 }));
        let listed = refused.expect_err("no such member").to_string();
        for member in PERSON_FIELDS {
            assert!(listed.contains(&format!("`{member}`")), "{member}: {listed}");
        }
        // The message puts each member of PERSON_FIELDS, the unknown one and `id` in a pair of backticks.
        assert_eq!(listed.matches('`').count(), 2 * (PERSON_FIELDS.len() + 2), "{listed}");
        let everything = PERSON_FIELDS.map(|member| (member.to_owned(), Value::Null));
        let mut person = Value::Object(everything.into_iter().collect());
        person["name"] = json!("Ana");
        person["phone"] = json!("+15125550101");
        serde_json::from_value::<PersonInput>(person).expect("every listed member is known");
    }
}
