//! People and the roles they hold.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{PersonId, Timestamp};
use abide_engine::params;
use abide_engine::store::{ContactId, Kind, Param, Rank, Row, Rows, StoreError, Tx};

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

async fn with_roles(tx: &mut Tx, rows: Vec<Row>) -> Result<Vec<Person>, StoreError> {
    let mut people = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
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
            select_person!("WHERE p.tenant = $1 AND p.id IN (SELECT id FROM {rows}) ORDER BY p.id"),
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
            select_person!(
                "WHERE p.tenant = $1 AND p.external_id IN (SELECT t FROM {rows}) ORDER BY p.id"
            ),
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
            select_person!(
                "WHERE p.tenant = $1 AND p.contact IN (SELECT c FROM {rows}) ORDER BY p.id"
            ),
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

/// Who may be asked to serve, those who served longest ago first: active, reachable, with one of
/// the roles, and without a place or an open offer at `time` in any request of the tenant.
pub async fn candidates(
    tx: &mut Tx,
    tenant: &str,
    filter: &PersonFilter,
    time: Option<Timestamp>,
) -> Result<Vec<PersonId>, StoreError> {
    let rows = tx
        .bulk(
            "SELECT p.id FROM person p
             WHERE p.tenant = $1 AND p.active = 1
             AND ($2 = 0 OR p.id IN (SELECT r.person FROM person_role r WHERE r.tenant = $1 AND r.role IN (SELECT t FROM {rows})))
             AND (CAST($3 AS TEXT) IS NULL OR p.campus IS NULL OR p.campus = $3)
             AND NOT EXISTS (SELECT 1 FROM contact c WHERE c.tenant = $1 AND c.id = p.contact AND c.suppressed = 1)
             AND p.id NOT IN (SELECT a.person FROM assignment a JOIN request q ON q.id = a.request
                WHERE q.tenant = $1 AND q.service_time = $4 AND a.state = 'accepted')
             AND p.id NOT IN (SELECT o.person FROM offer o JOIN request q ON q.id = o.request
                WHERE q.tenant = $1 AND q.service_time = $4 AND o.state = 'pending')
             ORDER BY p.placed_at, p.id LIMIT $5",
            &params![
                tenant,
                i64::from(!filter.roles.is_empty()),
                filter.campus.clone(),
                time.unwrap_or(Timestamp::EPOCH),
                filter.limit
            ],
            &text_rows(&filter.roles),
        )
        .await?;
    rows.iter().map(|row| row.id(0)).collect()
}

/// Of these people, those to whom nothing may be sent: opted out, or not active.
pub async fn unreachable(
    tx: &mut Tx,
    tenant: &str,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, &'static str>, StoreError> {
    let rows = tx
        .bulk(
            "SELECT p.id, p.active FROM person p
             LEFT JOIN contact c ON c.tenant = p.tenant AND c.id = p.contact
             WHERE p.tenant = $1 AND p.id IN (SELECT id FROM {rows}) AND (p.active = 0 OR c.suppressed = 1) ORDER BY p.id",
            &params![tenant],
            &person_rows(people),
        )
        .await?;
    rows.iter()
        .map(|row| Ok((row.id(0)?, if row.flag(1)? { "opted_out" } else { "inactive" })))
        .collect()
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

/// Writes people as they are now, with exactly these roles.
pub async fn put(
    tx: &mut Tx,
    tenant: &str,
    people: &[Person],
    now: Timestamp,
) -> Result<(), StoreError> {
    if people.is_empty() {
        return Ok(());
    }
    tx.bulk(
        "INSERT INTO person (id, tenant, external_id, name, phone, contact, campus, time_zone, email,
            household, guardian_phone, active, placed_at, created_at, updated_at)
         SELECT id, $1, external_id, name, phone, contact, campus, time_zone, email,
            household, guardian_phone, active, 0, $2, $2 FROM {rows} WHERE true
         ON CONFLICT (id) DO UPDATE SET external_id = excluded.external_id, name = excluded.name,
            phone = excluded.phone, contact = excluded.contact, campus = excluded.campus,
            time_zone = excluded.time_zone, email = excluded.email, household = excluded.household,
            guardian_phone = excluded.guardian_phone, active = excluded.active, updated_at = excluded.updated_at",
        &params![tenant, now],
        &full_rows(people),
    )
    .await?;
    let ids: Vec<_> = people.iter().map(|person| person.id).collect();
    tx.bulk(
        "DELETE FROM person_role WHERE person IN (SELECT id FROM {rows})",
        &[],
        &person_rows(&ids),
    )
    .await?;
    let mut roles = Rows::new(&[("person", Kind::Id), ("role", Kind::Text)]);
    for person in people {
        for role in &person.roles {
            roles.push([person.id.into(), Param::from(role)]);
        }
    }
    tx.bulk(
        "INSERT INTO person_role (tenant, role, person) SELECT $1, role, person FROM {rows} WHERE true
         ON CONFLICT DO NOTHING",
        &params![tenant],
        &roles,
    )
    .await
    .map(drop)
}

fn full_rows(people: &[Person]) -> Rows {
    let mut rows = Rows::new(&[
        ("id", Kind::Id),
        ("external_id", Kind::Text),
        ("name", Kind::Text),
        ("phone", Kind::Text),
        ("contact", Kind::Bytes),
        ("campus", Kind::Text),
        ("time_zone", Kind::Text),
        ("email", Kind::Text),
        ("household", Kind::Text),
        ("guardian_phone", Kind::Text),
        ("active", Kind::Int),
    ]);
    for person in people {
        rows.push([
            person.id.into(),
            person.external_id.clone().into(),
            Param::from(&person.name),
            Param::from(&person.phone),
            person.contact.into(),
            person.campus.clone().into(),
            person.time_zone.clone().into(),
            person.email.clone().into(),
            person.household.clone().into(),
            person.guardian_phone.clone().into(),
            person.active.into(),
        ]);
    }
    rows
}

/// Notes that somebody took a place, so that others are asked before them next time.
pub async fn placed(tx: &mut Tx, person: PersonId, at: Timestamp) -> Result<(), StoreError> {
    tx.execute("UPDATE person SET placed_at = $2 WHERE id = $1", &params![person, at])
        .await
        .map(drop)
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

/// Of these people, those who hold a place or have an open offer at `time`, in any request of the
/// tenant.
pub async fn busy(
    tx: &mut Tx,
    tenant: &str,
    time: Timestamp,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, &'static str>, StoreError> {
    let offered = tx
        .bulk(
            "SELECT o.person FROM offer o CROSS JOIN request q
             WHERE o.person IN (SELECT id FROM {rows}) AND q.id = o.request AND q.tenant = $1 AND q.service_time = $2 AND o.state = 'pending'",
            &params![tenant, time],
            &person_rows(people),
        )
        .await?;
    let placed = tx
        .bulk(
            "SELECT a.person FROM assignment a CROSS JOIN request q
             WHERE a.person IN (SELECT id FROM {rows}) AND q.id = a.request AND q.tenant = $1 AND q.service_time = $2 AND a.state = 'accepted'",
            &params![tenant, time],
            &person_rows(people),
        )
        .await?;
    let mut busy = BTreeMap::new();
    for row in &offered {
        busy.insert(row.id(0)?, "already_asked");
    }
    for row in &placed {
        busy.insert(row.id(0)?, "has_place");
    }
    Ok(busy)
}
