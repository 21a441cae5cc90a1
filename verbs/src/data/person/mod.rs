//! Rows of the directory: people and their roles.

mod availability;
pub mod record;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{PersonId, TypedId as _};
use abide_engine::params;
use abide_engine::store::{ColumnType, ContactId, LockRank, Param, Row, Rows, StoreError, Tx};
use abide_engine::template::Language;

use crate::directory::ACTING;

pub use availability::{busy, candidates, mark_placed, unreachable};
pub use write::{erase, put, wrote_in};

/// A person in the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The person's id, assigned by abide.
    pub id: PersonId,
    /// The person's id in the church's own records.
    pub external_id: Option<String>,
    /// Full name.
    pub name: String,
    /// Phone number in E.164.
    pub phone: String,
    /// The contact that belongs to the phone number.
    pub contact: ContactId,
    /// The campus where the person serves; `None` for any campus.
    pub campus: Option<String>,
    /// IANA time zone of the person, if it differs from the church's.
    pub time_zone: Option<String>,
    /// The language of the texts to the person, as the directory says; `None` if it says nothing.
    pub language: Option<Language>,
    /// The language of the person's last text that was clearly in one.
    pub wrote_in: Option<Language>,
    /// Email address.
    pub email: Option<String>,
    /// Identifier shared by the people of one household.
    pub household: Option<String>,
    /// Phone number of a minor's guardian.
    pub guardian_phone: Option<String>,
    /// False for a person who must not be asked.
    pub active: bool,
    /// Whether the person was erased. Only the row is left, by which requests count the person.
    pub is_erased: bool,
    /// Roles, sorted by name.
    pub roles: Vec<String>,
}

impl Person {
    /// Returns the language of the texts to the person.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language.or(self.wrote_in).unwrap_or(Language::English)
    }
}

/// A filter for the people of a tenant.
#[derive(Debug, Clone, Default)]
pub struct PersonFilter {
    /// Selects people with at least one of these roles. An empty list selects people with any or no role.
    pub roles: Vec<String>,
    /// Selects people of this campus. [`candidates`] also returns people without a campus.
    pub campus: Option<String>,
    /// Selects people whose id is greater than this one. [`candidates`] ignores this field.
    pub after: Option<PersonId>,
    /// Maximum number of rows.
    pub limit: i64,
}

macro_rules! select_person {
    ($rest:literal) => {
        select_person!("person p", $rest)
    };
    ($from:expr, $rest:literal) => {
        concat!(
            "SELECT p.id, p.external_id, p.name, p.phone, p.contact, p.campus, p.time_zone, p.email, \
             p.household, p.guardian_phone, p.active, p.language, p.wrote_in, p.erased_at FROM ",
            $from,
            " ",
            $rest
        )
    };
}

/// Builds a query of the people with the ids of a page, sorted by id.
macro_rules! page_of_people {
    ($page:literal) => {
        select_person!(
            concat!("(", $page, ") page CROSS JOIN person p"),
            "WHERE p.id = page.id ORDER BY p.id"
        )
    };
}

/// The next `$3` people of the tenant `$1`, after the person `$2`.
const OF_TENANT: &str = page_of_people!(
    "SELECT {q.id} AS id FROM person q WHERE q.tenant = $1 AND {q.id} > $2 AND q.erased_at IS NULL
     ORDER BY {q.id} LIMIT $3"
);
/// The same, of the campus `$4`.
const OF_CAMPUS: &str = page_of_people!(
    "SELECT {q.id} AS id FROM person q WHERE q.tenant = $1 AND q.campus = $4 AND {q.id} > $2 AND q.erased_at IS NULL
     ORDER BY {q.id} LIMIT $3"
);
/// The same, with one of the roles in the rows, and of the campus `$4` unless it is NULL: the first ones of each role,
/// merged.
const OF_ROLES: &str = page_of_people!(
    "SELECT DISTINCT x.id FROM {rows} CROSS JOIN person x WHERE x.id {in} SELECT r.person FROM person_role r
            CROSS JOIN person q WHERE r.tenant = $1 AND r.role = v.t AND r.person > $2 AND q.id = r.person
                AND q.erased_at IS NULL AND (CAST($4 AS TEXT) IS NULL OR q.campus = $4)
            ORDER BY r.person LIMIT $3 {end}
     ORDER BY x.id LIMIT $3"
);

/// Returns the time zone of each of these people whose time zone differs from the church's.
pub async fn time_zones(
    tx: &mut Tx,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, String>, StoreError> {
    let rows = tx
        .bulk(
            "SELECT p.id, p.time_zone FROM person p
             WHERE p.id IN (SELECT id FROM {rows}) AND p.time_zone IS NOT NULL",
            &[],
            &Rows::ids(people),
        )
        .await?;
    rows.iter().map(|row| Ok((row.id("id")?, row.text("time_zone")?))).collect()
}

fn text_rows(texts: &[String]) -> Rows {
    let mut rows = Rows::new(&[("t", ColumnType::Text)]);
    for text in texts {
        rows.push([Param::from(text)]);
    }
    rows
}

fn language(row: &Row, column: &str) -> Result<Option<Language>, StoreError> {
    let Some(word) = row.opt_text(column)? else { return Ok(None) };
    let known = Language::parse(&word);
    known.map(Some).ok_or_else(|| StoreError::Corrupt(format!("person: language `{word}`")))
}

fn read(row: &Row) -> Result<Person, StoreError> {
    Ok(Person {
        id: row.id("id")?,
        external_id: row.opt_text("external_id")?,
        name: row.text("name")?,
        phone: row.text("phone")?,
        contact: ContactId::from_digest(row.digest("contact")?),
        campus: row.opt_text("campus")?,
        time_zone: row.opt_text("time_zone")?,
        language: language(row, "language")?,
        wrote_in: language(row, "wrote_in")?,
        email: row.opt_text("email")?,
        household: row.opt_text("household")?,
        guardian_phone: row.opt_text("guardian_phone")?,
        active: row.flag("active")?,
        is_erased: row.opt_int("erased_at")?.is_some(),
        roles: Vec::new(),
    })
}

/// Reads people from these rows, loads their roles, and sorts the people by id.
/// The query that returns the rows must not sort them: otherwise SQLite would scan all people
/// of the tenant, even to return a few.
async fn with_roles(tx: &mut Tx, rows: Vec<Row>) -> Result<Vec<Person>, StoreError> {
    let mut people = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    people.sort_by_key(|person| person.id);
    let ids: Vec<_> = people.iter().map(|person| person.id).collect();
    let mut roles: BTreeMap<PersonId, Vec<String>> = BTreeMap::new();
    let held = tx
        .bulk(
            "SELECT r.person, r.role FROM person_role r WHERE r.person IN (SELECT id FROM {rows}) ORDER BY r.person, r.role",
            &[],
            &Rows::ids(&ids),
        )
        .await?;
    for row in &held {
        roles.entry(row.id("person")?).or_default().push(row.text("role")?);
    }
    for person in &mut people {
        person.roles = roles.remove(&person.id).unwrap_or_default();
    }
    Ok(people)
}

/// Locks people in the sequence of their ids. To avoid deadlocks, the caller must lock the request
/// before the people, and any other rows after the people.
pub async fn lock(tx: &mut Tx, people: &[PersonId]) -> Result<(), StoreError> {
    tx.lock_at(LockRank::Person)?;
    tx.bulk(
        "SELECT p.id FROM person p WHERE p.id IN (SELECT id FROM {rows}) ORDER BY p.id {for_update}",
        &[],
        &Rows::ids(people),
    )
    .await
    .map(drop)
}

/// Returns the people with these ids, sorted by id. Unknown ids are left out.
pub async fn by_ids(
    tx: &mut Tx,
    tenant: &str,
    people: &[PersonId],
) -> Result<Vec<Person>, StoreError> {
    let rows = tx
        .bulk(
            select_person!("WHERE p.tenant || '' = $1 AND p.id IN (SELECT id FROM {rows})"),
            &params![tenant],
            &Rows::ids(people),
        )
        .await?;
    with_roles(tx, rows).await
}

/// Returns the people with these external ids, sorted by the ids that abide has assigned.
pub async fn by_external_ids(
    tx: &mut Tx,
    tenant: &str,
    external: &[String],
) -> Result<Vec<Person>, StoreError> {
    let rows = tx
        .bulk(
            select_person!(
                "WHERE p.id {in} SELECT x.id FROM {rows}
                 {each person x} x.tenant = $1 AND x.external_id = v.t {end each} {end}"
            ),
            &params![tenant],
            &text_rows(external),
        )
        .await?;
    with_roles(tx, rows).await
}

/// Returns the people with these contacts, sorted by id. Several people may share a contact.
pub async fn by_contacts(
    tx: &mut Tx,
    tenant: &str,
    contacts: &[ContactId],
) -> Result<Vec<Person>, StoreError> {
    let mut wanted = Rows::new(&[("c", ColumnType::Bytes)]);
    for contact in contacts {
        wanted.push([(*contact).into()]);
    }
    let rows = tx
        .bulk(
            select_person!("WHERE p.tenant || '' = $1 AND p.contact IN (SELECT c FROM {rows})"),
            &params![tenant],
            &wanted,
        )
        .await?;
    with_roles(tx, rows).await
}

/// Returns a page of people, sorted by id.
pub async fn list(
    tx: &mut Tx,
    tenant: &str,
    filter: &PersonFilter,
) -> Result<Vec<Person>, StoreError> {
    let after = filter.after.unwrap_or(PersonId::from_uuid(uuid::Uuid::nil()));
    let mut params = params![tenant, after, filter.limit].to_vec();
    let campus = Param::from(filter.campus.as_deref());
    let rows = match (filter.roles.is_empty(), &filter.campus) {
        (true, None) => tx.rows(OF_TENANT, &params).await?,
        (true, Some(_)) => {
            params.push(campus);
            tx.rows(OF_CAMPUS, &params).await?
        }
        (false, _) => {
            params.push(campus);
            tx.bulk(OF_ROLES, &params, &text_rows(&filter.roles)).await?
        }
    };
    with_roles(tx, rows).await
}

/// The name of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryName {
    /// The person.
    pub id: PersonId,
    /// The full name.
    pub name: String,
}

/// Number of people whose names one query returns.
const NAMES_PAGE: i64 = 1_000;

/// Returns the names of the tenant's next people, sorted by id: those whose ids follow `after`.
pub async fn names_after(
    tx: &mut Tx,
    tenant: &str,
    after: Option<PersonId>,
) -> Result<Vec<DirectoryName>, StoreError> {
    let after = after.unwrap_or(PersonId::from_uuid(uuid::Uuid::nil()));
    let sql = "SELECT p.id, p.name FROM person p WHERE p.tenant = $1 AND {p.id} > $2 ORDER BY {p.id} LIMIT $3";
    let rows = tx.rows(sql, &params![tenant, after, NAMES_PAGE]).await?;
    rows.iter()
        .map(|row| Ok(DirectoryName { id: row.id("id")?, name: row.text("name")? }))
        .collect()
}

/// Returns the roles of the tenant's people, sorted: at most `limit`. Each step of the recursion reads one entry of
/// the index, however many people have the role.
pub async fn roles(tx: &mut Tx, tenant: &str, limit: i64) -> Result<Vec<String>, StoreError> {
    let rows = tx
        .rows(
            "WITH RECURSIVE known (role) AS (
                SELECT MIN(r.role) FROM person_role r WHERE r.tenant = $1
                UNION ALL
                SELECT (SELECT MIN(r.role) FROM person_role r WHERE r.tenant = $1 AND r.role > known.role)
                FROM known WHERE known.role IS NOT NULL
             )
             SELECT role FROM known WHERE role IS NOT NULL LIMIT $2",
            &params![tenant, limit],
        )
        .await?;
    rows.iter().map(|row| row.text("role")).collect()
}

/// Returns the ids of the active people with a role, sorted.
pub async fn holders(tx: &mut Tx, tenant: &str, role: &str) -> Result<Vec<PersonId>, StoreError> {
    let rows = tx
        .rows(
            "SELECT p.id FROM person_role r JOIN person p ON p.id = r.person
             WHERE r.tenant = $1 AND r.role = $2 AND p.active = 1 ORDER BY p.id",
            &params![tenant, role],
        )
        .await?;
    rows.iter().map(|row| row.id("id")).collect()
}

/// Returns the ids of the active people who act for the church, staff and supervisors, sorted, each once.
pub async fn acting(tx: &mut Tx, tenant: &str) -> Result<BTreeSet<PersonId>, StoreError> {
    let mut found = BTreeSet::new();
    for role in ACTING {
        found.extend(holders(tx, tenant, role).await?);
    }
    Ok(found)
}

/// Returns the ids among `people` that belong to people of the tenant.
pub async fn known(
    tx: &mut Tx,
    tenant: &str,
    people: &[PersonId],
) -> Result<BTreeSet<PersonId>, StoreError> {
    let rows = tx
        .bulk(
            "SELECT p.id FROM person p WHERE p.tenant || '' = $1 AND p.id IN (SELECT id FROM {rows})",
            &params![tenant],
            &Rows::ids(people),
        )
        .await?;
    rows.iter().map(|row| row.id("id")).collect()
}
