//! Matches the input of an upsert with the directory: finds the person that each input changes.
//! If the input has an id, this is the person with the same id. Otherwise it is the person with the same
//! external id; if there is none, the person with the same phone and name.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{PersonId, Problem};
use abide_engine::store::{ContactId, Tx};

use super::PersonInput;
use crate::data;
use crate::data::person::Person;

/// Maximum number of characters of an input that an error message quotes.
const TOLD_CHARS_MAX: usize = 60;

/// The people in the directory who may match the input of an upsert, indexed by id, by external id,
/// and by phone and name.
pub(super) struct KnownPeople {
    pub(super) by_id: BTreeMap<PersonId, Person>,
    by_external: BTreeMap<String, PersonId>,
    by_phone_and_name: BTreeMap<(ContactId, String), PersonId>,
    pub(super) touched: BTreeSet<PersonId>,
}

impl KnownPeople {
    pub(super) async fn load(
        tx: &mut Tx,
        tenant: &str,
        inputs: &[PersonInput],
        contacts: &[ContactId],
    ) -> Result<Self, Problem> {
        let ids: Vec<_> = inputs.iter().filter_map(|input| input.id).collect();
        let external: Vec<_> = inputs.iter().filter_map(|i| i.external_id.clone()).collect();
        let mut matching = Self {
            by_id: BTreeMap::new(),
            by_external: BTreeMap::new(),
            by_phone_and_name: BTreeMap::new(),
            touched: BTreeSet::new(),
        };
        let mut known = data::person::by_ids(tx, tenant, &ids).await?;
        known.extend(data::person::by_external_ids(tx, tenant, &external).await?);
        known.extend(data::person::by_contacts(tx, tenant, contacts).await?);
        for person in known.into_iter().filter(|person| !person.is_erased) {
            matching.put(person);
        }
        matching.touched.clear();
        Ok(matching)
    }

    pub(super) fn find(
        &self,
        input: &PersonInput,
        contact: ContactId,
    ) -> Result<Option<&Person>, Problem> {
        let external = input.external_id.as_ref();
        let bearer = external.and_then(|external| self.by_external.get(external));
        if let Some(id) = input.id {
            let known = self.by_id.get(&id).ok_or_else(|| {
                Problem::caller("person_unknown", format!("there is no person `{id}`"))
                    .with_hint("leave `id` out to add a person")
            })?;
            return match (external, bearer) {
                (Some(external), Some(bearer)) if *bearer != id => Err(taken(external)),
                _ => Ok(Some(known)),
            };
        }
        if let Some(id) = bearer {
            return Ok(self.by_id.get(id));
        }
        let by_name = self.by_phone_and_name.get(&(contact, input.name.to_lowercase()));
        let known = by_name.and_then(|id| self.by_id.get(id));
        // A person with the same name and phone but another external id is a different person.
        Ok(known.filter(|person| external.is_none() || person.external_id.is_none()))
    }

    pub(super) fn put(&mut self, person: Person) {
        if let Some(external) = &person.external_id {
            self.by_external.insert(external.clone(), person.id);
        }
        self.by_phone_and_name.insert((person.contact, person.name.to_lowercase()), person.id);
        self.touched.insert(person.id);
        self.by_id.insert(person.id, person);
    }
}

/// Returns the error for an external id that already belongs to another person.
fn taken(external: &str) -> Problem {
    let shown: String = external.chars().take(TOLD_CHARS_MAX).collect();
    Problem::caller("invalid_person", format!("`external_id` `{shown}` belongs to another person"))
        .with_hint("leave `id` out to change that person, or `external_id` to change this one")
}

/// Returns the person to store, with the fields of the input. If the directory has the person already
/// (`known`), fields that the input leaves out keep their current values. Otherwise builds a new person.
pub(super) fn merged(
    known: Option<Person>,
    input: PersonInput,
    contact: ContactId,
    mint: impl FnOnce() -> PersonId,
) -> Person {
    let base = known.unwrap_or_else(|| Person {
        id: mint(),
        external_id: None,
        name: String::new(),
        phone: String::new(),
        contact,
        campus: None,
        time_zone: None,
        language: None,
        wrote_in: None,
        email: None,
        household: None,
        guardian_phone: None,
        active: true,
        is_erased: false,
        roles: Vec::new(),
    });
    Person {
        id: base.id,
        external_id: input.external_id.or(base.external_id),
        name: input.name,
        phone: input.phone,
        contact,
        campus: input.campus.or(base.campus),
        time_zone: input.time_zone.or(base.time_zone),
        language: input.language.or(base.language),
        wrote_in: base.wrote_in,
        email: input.email.or(base.email),
        household: input.household.or(base.household),
        guardian_phone: input.guardian_phone.or(base.guardian_phone),
        active: input.active.unwrap_or(base.active),
        is_erased: false,
        roles: input.roles.unwrap_or(base.roles),
    }
}
