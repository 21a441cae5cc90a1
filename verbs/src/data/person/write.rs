//! Writes people and their roles.

use abide_engine::base::{Digest, PersonId, Timestamp};
use abide_engine::erasure::ERASED;
use abide_engine::params;
use abide_engine::store::{ColumnType, Param, Rows, StoreError, Tx};
use abide_engine::template::Language;

use super::Person;

/// Inserts or updates people, and replaces their roles.
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
            household, guardian_phone, active, language, placed_at, created_at, updated_at)
         SELECT id, $1, external_id, name, phone, contact, campus, time_zone, email,
            household, guardian_phone, active, language, 0, $2, $2 FROM {rows} WHERE true
         ON CONFLICT (id) DO UPDATE SET external_id = excluded.external_id, name = excluded.name,
            phone = excluded.phone, contact = excluded.contact, campus = excluded.campus,
            time_zone = excluded.time_zone, email = excluded.email, household = excluded.household,
            guardian_phone = excluded.guardian_phone, active = excluded.active,
            language = excluded.language, updated_at = excluded.updated_at",
        &params![tenant, now],
        &full_rows(people),
    )
    .await?;
    let ids: Vec<_> = people.iter().map(|person| person.id).collect();
    tx.bulk(
        "DELETE FROM person_role WHERE person IN (SELECT id FROM {rows})",
        &[],
        &Rows::ids(&ids),
    )
    .await?;
    let mut roles = Rows::new(&[("person", ColumnType::Id), ("role", ColumnType::Text)]);
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

/// Blanks the entry of a person in the directory, and takes their roles and questions away. The row stays, because offers and
/// places count by it.
pub async fn erase(tx: &mut Tx, person: PersonId, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE person SET name = $2, phone = '', contact = $3, external_id = NULL, campus = NULL, time_zone = NULL,
            email = NULL, household = NULL, guardian_phone = NULL, language = NULL, wrote_in = NULL, active = 0,
            erased_at = $4, updated_at = $4
         WHERE id = $1",
        &params![person, ERASED, Digest::ZERO, now],
    )
    .await?;
    tx.execute("DELETE FROM person_role WHERE person = $1", &params![person]).await?;
    tx.execute("DELETE FROM question WHERE person = $1", &params![person]).await.map(drop)
}

/// Stores the language of a person's last text that was clearly in one.
pub async fn wrote_in(tx: &mut Tx, person: PersonId, language: Language) -> Result<(), StoreError> {
    let sql = "UPDATE person SET wrote_in = $2 WHERE id = $1";
    tx.execute(sql, &params![person, language.as_str()]).await.map(drop)
}

fn full_rows(people: &[Person]) -> Rows {
    let mut rows = Rows::new(&[
        ("id", ColumnType::Id),
        ("external_id", ColumnType::Text),
        ("name", ColumnType::Text),
        ("phone", ColumnType::Text),
        ("contact", ColumnType::Bytes),
        ("campus", ColumnType::Text),
        ("time_zone", ColumnType::Text),
        ("email", ColumnType::Text),
        ("household", ColumnType::Text),
        ("guardian_phone", ColumnType::Text),
        ("active", ColumnType::Int),
        ("language", ColumnType::Text),
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
            person.language.map(|language| language.to_string()).into(),
        ]);
    }
    rows
}
