//! Rows of the contacts database: people with their cities and friends, beside those of the directory.

use std::collections::BTreeMap;

use abide_agent::obligations::people::KnownPerson;
use abide_engine::base::RowId;
use abide_engine::params;
use abide_engine::store::{StoreError, Tx};
use serde_json::json;

use super::ir::{PERSON, entity, user};

/// Maximum number of people whom one question is asked of.
const PEOPLE_MAX: i64 = 2_000;

/// Returns the people of the contacts database: those of the facts, and those of the directory with their roles.
pub async fn people(tx: &mut Tx, tenant: &str) -> Result<Vec<KnownPerson>, StoreError> {
    let mut people: BTreeMap<String, KnownPerson> = BTreeMap::new();
    let rows = tx
        .rows(
            "SELECT e.id, e.key, m.key AS of, m.value FROM entity e
             LEFT JOIN modifier m ON m.tenant = e.tenant AND m.target_id = e.id
             WHERE e.tenant = $1 AND e.type = 'person' ORDER BY e.key, m.key LIMIT $2",
            &params![tenant, PEOPLE_MAX],
        )
        .await?;
    let mut names: Vec<String> = Vec::new();
    let mut by_id: BTreeMap<RowId, String> = BTreeMap::new();
    for row in &rows {
        let name = row.text("key")?;
        by_id.insert(row.id("id")?, name.clone());
        if !people.contains_key(&name) {
            names.push(name.clone());
        }
        let person = people.entry(name.clone()).or_default();
        person.name = name;
        match (row.opt_text("of")?.as_deref(), row.opt_text("value")?) {
            (Some("city"), value) => person.city = value,
            (Some("email"), value) => person.email = value,
            (Some("role"), Some(value)) => person.roles.push(value),
            _ => {}
        }
    }
    let friends = tx
        .rows(
            "SELECT dst_id FROM relation WHERE tenant = $1 AND rel_type = 'friend' ORDER BY dst_id LIMIT $2",
            &params![tenant, PEOPLE_MAX],
        )
        .await?;
    for row in &friends {
        if let Some(person) = by_id.get(&row.id("dst_id")?).and_then(|name| people.get_mut(name)) {
            person.is_friend = true;
        }
    }
    let filter =
        abide_verbs::data::person::PersonFilter { limit: PEOPLE_MAX, ..Default::default() };
    for known in abide_verbs::data::person::list(tx, tenant, &filter).await? {
        if !people.contains_key(&known.name) {
            names.push(known.name.clone());
        }
        let person = people.entry(known.name.clone()).or_default();
        person.name = known.name;
        person.city = person.city.take().or(known.campus);
        person.email = person.email.take().or(known.email);
        for role in known.roles {
            if !person.roles.contains(&role) {
                person.roles.push(role);
            }
        }
    }
    Ok(names.iter().filter_map(|name| people.remove(name)).collect())
}

/// A person to add to the contacts database.
#[derive(Debug, Clone, Copy)]
pub struct NewContact<'a> {
    /// The name.
    pub name: &'a str,
    /// The city.
    pub city: &'a str,
    /// Whether the person is a friend of the users.
    pub is_friend: bool,
}

/// Adds people to the contacts database. Those who are in it already stay as they are.
pub async fn put_contacts(
    tx: &mut Tx,
    tenant: &str,
    contacts: &[NewContact<'_>],
) -> Result<(), StoreError> {
    let asking = user(tx, tenant, "demo").await?;
    for contact in contacts {
        let aliases = json!({ "aliases": [contact.name] });
        let id = entity(tx, tenant, PERSON, contact.name, &aliases).await?;
        let (modifier, relation): (RowId, RowId) = (tx.mint(), tx.mint());
        tx.execute(
            "INSERT INTO modifier (id, tenant, target_kind, target_id, key, value, unit)
             VALUES ($1, $2, 'entity', $3, 'city', $4, NULL) ON CONFLICT DO NOTHING",
            &params![modifier, tenant, id, contact.city],
        )
        .await?;
        if contact.is_friend {
            tx.execute(
                "INSERT INTO relation (id, tenant, src_id, rel_type, dst_id, attrs_jsonb)
                 VALUES ($1, $2, $3, 'friend', $4, '{}') ON CONFLICT DO NOTHING",
                &params![relation, tenant, asking, id],
            )
            .await?;
        }
    }
    Ok(())
}
