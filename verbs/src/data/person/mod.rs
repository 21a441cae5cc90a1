//! People and the roles they hold: how they are stored and found.

mod asking;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::PersonId;
use abide_engine::params;
use abide_engine::store::{ContactId, Kind, Param, Rank, Row, Rows, StoreError, Tx};

pub use asking::{busy, candidates, placed, unreachable};
pub use write::put;

/// Somebody of the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Ours.
    pub id: PersonId,
    /// Theirs: the id in the church's own records.
    pub external_id: Option<String>,
    /// As people call them.
    pub name: String,
    /// E.164.
    pub phone: String,
    /// The contact that stands for the phone.
    pub contact: ContactId,
    /// Where they serve; none serves anywhere.
    pub campus: Option<String>,
    /// IANA zone, where it differs from the church's.
    pub time_zone: Option<String>,
    /// An address.
    pub email: Option<String>,
    /// Who lives together.
    pub household: Option<String>,
    /// Whom to write to instead, for a minor.
    pub guardian_phone: Option<String>,
    /// False for somebody who is not to be asked.
    pub active: bool,
    /// Roles, by name.
    pub roles: Vec<String>,
}

/// Which people of a tenant.
#[derive(Debug, Clone, Default)]
pub struct PersonFilter {
    /// Holds at least one of these; empty asks for none in particular.
    pub roles: Vec<String>,
    /// Serves there, or anywhere.
    pub campus: Option<String>,
    /// After this id.
    pub after: Option<PersonId>,
    /// At most so many.
    pub limit: i64,
}

macro_rules! select_person {
    ($rest:literal) => {
        concat!(
            "SELECT p.id, p.external_id, p.name, p.phone, p.contact, p.campus, p.time_zone, p.email, \
             p.household, p.guardian_phone, p.active FROM person p ",
            $rest
        )
    };
}

/// Ids of people as rows `v(id)`.
pub(crate) fn person_rows(people: &[PersonId]) -> Rows {
    let mut rows = Rows::new(&[("id", Kind::Id)]);
    for person in people {
        rows.push([(*person).into()]);
    }
    rows
}

/// The time zones of those of these people who have one of their own.
pub async fn time_zones(
    tx: &mut Tx,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, String>, StoreError> {
    let rows = tx
        .bulk(
            "SELECT p.id, p.time_zone FROM person p
             WHERE p.id IN (SELECT id FROM {rows}) AND p.time_zone IS NOT NULL",
            &[],
            &person_rows(people),
        )
        .await?;
    rows.iter().map(|row| Ok((row.id(0)?, row.text(1)?))).collect()
}

fn text_rows(texts: &[String]) -> Rows {
    let mut rows = Rows::new(&[("t", Kind::Text)]);
    for text in texts {
        rows.push([Param::from(text)]);
    }
    rows
}

fn read(row: &Row) -> Result<Person, StoreError> {
    Ok(Person {
        id: row.id(0)?,
        external_id: row.opt_text(1)?,
        name: row.text(2)?,
        phone: row.text(3)?,
        contact: ContactId::from_digest(row.digest(4)?),
        campus: row.opt_text(5)?,
        time_zone: row.opt_text(6)?,
        email: row.opt_text(7)?,
        household: row.opt_text(8)?,
        guardian_phone: row.opt_text(9)?,
        active: row.flag(10)?,
        roles: Vec::new(),
    })
}

/// In the order of their ids. Asked to sort a few of them, SQLite walks all people of the tenant in that
/// order instead.
async fn with_roles(tx: &mut Tx, rows: Vec<Row>) -> Result<Vec<Person>, StoreError> {
    let mut people = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    people.sort_by_key(|person| person.id);
    let ids: Vec<_> = people.iter().map(|person| person.id).collect();
    let mut roles: BTreeMap<PersonId, Vec<String>> = BTreeMap::new();
    let held = tx
        .bulk(
            "SELECT r.person, r.role FROM person_role r WHERE r.person IN (SELECT id FROM {rows}) ORDER BY r.person, r.role",
            &[],
            &person_rows(&ids),
        )
        .await?;
    for row in &held {
        roles.entry(row.id(0)?).or_default().push(row.text(1)?);
    }
    for person in &mut people {
        person.roles = roles.remove(&person.id).unwrap_or_default();
    }
    Ok(people)
}

/// Locks people, in the order of their ids; the request comes before them, their rows after.
pub async fn lock(tx: &mut Tx, people: &[PersonId]) -> Result<(), StoreError> {
    tx.lock_at(Rank::Person)?;
    tx.bulk(
        "SELECT p.id FROM person p WHERE p.id IN (SELECT id FROM {rows}) ORDER BY p.id {for_update}",
        &[],
        &person_rows(people),
    )
    .await
    .map(drop)
}

/// The people with these ids, in the order of their ids; unknown ones are left out.
pub async fn by_ids(
    tx: &mut Tx,
    tenant: &str,
    people: &[PersonId],
) -> Result<Vec<Person>, StoreError> {
    let rows = tx
        .bulk(
            select_person!("WHERE p.tenant = $1 AND p.id IN (SELECT id FROM {rows})"),
            &params![tenant],
            &person_rows(people),
        )
        .await?;
    with_roles(tx, rows).await
}

/// The people with these ids of the church's own records.
pub async fn by_external_ids(
    tx: &mut Tx,
    tenant: &str,
    external: &[String],
) -> Result<Vec<Person>, StoreError> {
    let rows = tx
        .bulk(
            select_person!("WHERE p.tenant = $1 AND p.external_id IN (SELECT t FROM {rows})"),
            &params![tenant],
            &text_rows(external),
        )
        .await?;
    with_roles(tx, rows).await
}

/// The people who are reached at these contacts.
pub async fn by_contacts(
    tx: &mut Tx,
    tenant: &str,
    contacts: &[ContactId],
) -> Result<Vec<Person>, StoreError> {
    let mut wanted = Rows::new(&[("c", Kind::Bytes)]);
    for contact in contacts {
        wanted.push([(*contact).into()]);
    }
    let rows = tx
        .bulk(
            select_person!("WHERE p.tenant = $1 AND p.contact IN (SELECT c FROM {rows})"),
            &params![tenant],
            &wanted,
        )
        .await?;
    with_roles(tx, rows).await
}

/// A page of people, in the order of their ids.
pub async fn list(
    tx: &mut Tx,
    tenant: &str,
    filter: &PersonFilter,
) -> Result<Vec<Person>, StoreError> {
    let rows = tx
        .bulk(
            select_person!(
                "WHERE p.tenant = $1 AND ($2 = 0 OR p.id IN
                    (SELECT r.person FROM person_role r WHERE r.tenant = $1 AND r.role IN (SELECT t FROM {rows})))
                 AND (CAST($3 AS TEXT) IS NULL OR p.campus = $3)
                 AND (CAST($4 AS BIGINT) = 0 OR p.id > $5) ORDER BY p.id LIMIT $6"
            ),
            &params![
                tenant,
                i64::from(!filter.roles.is_empty()),
                filter.campus.clone(),
                i64::from(filter.after.is_some()),
                filter.after,
                filter.limit
            ],
            &text_rows(&filter.roles),
        )
        .await?;
    with_roles(tx, rows).await
}

/// Who holds a role of the directory and can be told something.
pub async fn holders(tx: &mut Tx, tenant: &str, role: &str) -> Result<Vec<PersonId>, StoreError> {
    let rows = tx
        .rows(
            "SELECT p.id FROM person_role r JOIN person p ON p.id = r.person
             WHERE r.tenant = $1 AND r.role = $2 AND p.active = 1 ORDER BY p.id",
            &params![tenant, role],
        )
        .await?;
    rows.iter().map(|row| row.id(0)).collect()
}

/// Which of these people the tenant has.
pub async fn known(
    tx: &mut Tx,
    tenant: &str,
    people: &[PersonId],
) -> Result<BTreeSet<PersonId>, StoreError> {
    let rows = tx
        .bulk(
            "SELECT p.id FROM person p WHERE p.tenant = $1 AND p.id IN (SELECT id FROM {rows})",
            &params![tenant],
            &person_rows(people),
        )
        .await?;
    rows.iter().map(|row| row.id(0)).collect()
}
