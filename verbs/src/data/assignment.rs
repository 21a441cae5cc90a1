//! Rows of assignments: one for each person and role of a request.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{OfferId, PersonId, RequestId, Timestamp};
use abide_engine::params;
use abide_engine::store::{ColumnType, Param, Row, Rows, StoreError, Tx};

use crate::assignment::{Assignment, AssignmentState};
use crate::directory::SkipReason;
use crate::offer::OfferState;
use crate::request::{Request, RequestStatus};

macro_rules! select_assignment {
    ($rest:literal) => {
        concat!(
            "SELECT a.request, a.person, a.role, a.state, a.seat, a.version, a.ord, a.accepted_at FROM assignment a ",
            $rest
        )
    };
}

fn state(text: &str) -> Result<AssignmentState, StoreError> {
    AssignmentState::parse(text)
        .ok_or_else(|| StoreError::Corrupt(format!("assignment: state `{text}`")))
}

fn offer_state(text: &str) -> Result<OfferState, StoreError> {
    OfferState::parse(text).ok_or_else(|| StoreError::Corrupt(format!("offer: state `{text}`")))
}

fn request_status(text: &str) -> Result<RequestStatus, StoreError> {
    RequestStatus::parse(text)
        .ok_or_else(|| StoreError::Corrupt(format!("request: status `{text}`")))
}

fn read(row: &Row) -> Result<Assignment, StoreError> {
    Ok(Assignment {
        request: row.id("request")?,
        person: row.id("person")?,
        role: row.text("role")?,
        state: state(&row.text("state")?)?,
        seat: row.opt_int("seat")?,
        version: row.opt_int("version")?,
        ord: row.opt_int("ord")?,
        accepted_at: row.opt_at("accepted_at")?,
    })
}

/// Returns a person's assignments in a request, one per role.
pub async fn of_person(
    tx: &mut Tx,
    request: RequestId,
    person: PersonId,
) -> Result<Vec<Assignment>, StoreError> {
    let rows = tx
        .rows(
            select_assignment!("WHERE a.request = $1 AND a.person = $2 ORDER BY a.role"),
            &params![request, person],
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Returns the assignments of these people for one role of a request.
pub async fn of_people(
    tx: &mut Tx,
    request: RequestId,
    role: &str,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, Assignment>, StoreError> {
    let rows = tx
        .bulk(
            select_assignment!(
                "WHERE a.request = $1 AND a.role = $2 AND a.person IN (SELECT id FROM {rows})"
            ),
            &params![request, role],
            &Rows::ids(people),
        )
        .await?;
    rows.iter().map(|row| read(row).map(|found| (found.person, found))).collect()
}

/// Returns all assignments of these people in a request, sorted by person and role.
pub async fn of_all(
    tx: &mut Tx,
    request: RequestId,
    people: &[PersonId],
) -> Result<Vec<Assignment>, StoreError> {
    let rows = tx
        .bulk(
            select_assignment!(
                "WHERE a.request = $1 AND a.person IN (SELECT id FROM {rows}) ORDER BY a.person, a.role"
            ),
            &params![request],
            &Rows::ids(people),
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Returns the people among these who have answered in a request, each with the state of the assignment:
/// `accepted`, `declined` or `waitlisted`. For a person who has answered for several roles,
/// returns the state that comes first in this list.
pub async fn answered(
    tx: &mut Tx,
    request: RequestId,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, SkipReason>, StoreError> {
    let rows = tx
        .bulk(
            "SELECT a.person, a.state FROM assignment a
             WHERE a.request = $1 AND a.person IN (SELECT id FROM {rows}) AND a.state IN ('accepted', 'waitlisted', 'declined') ORDER BY a.person, a.state DESC",
            &params![request],
            &Rows::ids(people),
        )
        .await?;
    rows.iter().map(|row| Ok((row.id("person")?, answer(&row.text("state")?)?))).collect()
}

fn answer(state: &str) -> Result<SkipReason, StoreError> {
    SkipReason::parse(state)
        .ok_or_else(|| StoreError::Corrupt(format!("assignment: state `{state}`")))
}

/// Returns the assignments of a role that are in this state. The assignment that took effect first
/// comes first.
pub async fn in_state(
    tx: &mut Tx,
    request: RequestId,
    role: &str,
    state: AssignmentState,
) -> Result<Vec<Assignment>, StoreError> {
    let rows = tx
        .rows(
            select_assignment!(
                "WHERE a.request = $1 AND a.role = $2 AND a.state = $3 ORDER BY COALESCE(a.ord, 0), a.person"
            ),
            &params![request, role, state.as_str()],
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Returns the assignments that hold a place in the request, sorted by role.
/// Within a role, the person who was accepted first comes first.
pub async fn places(tx: &mut Tx, request: RequestId) -> Result<Vec<Assignment>, StoreError> {
    let mut held = held(tx, request).await?;
    held.retain(|assignment| assignment.state == AssignmentState::Accepted);
    Ok(held)
}

/// Returns the assignments that hold a place or a rank on a waitlist of the request, sorted by role.
/// Within a role, the assignment that took effect first comes first.
pub async fn held(tx: &mut Tx, request: RequestId) -> Result<Vec<Assignment>, StoreError> {
    let rows = tx
        .rows(
            select_assignment!(
                "WHERE a.request = $1 AND a.state IN ('accepted', 'waitlisted') ORDER BY a.role, a.ord, a.person"
            ),
            &params![request],
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Returns the first person on the waitlist of a role who can get a place: the person is active,
/// has not opted out, and has no place in the request. Skips the person whose id is `but`.
/// Returns `None` if nobody on the waitlist can get a place.
pub async fn first_waiting(
    tx: &mut Tx,
    request: RequestId,
    role: &str,
    but: Option<PersonId>,
) -> Result<Option<PersonId>, StoreError> {
    tx.row(
        "SELECT a.person FROM assignment a JOIN person p ON p.id = a.person
         LEFT JOIN contact c ON c.id = p.contact
         WHERE a.request = $1 AND a.role = $2 AND a.state = 'waitlisted' AND p.active = 1
         AND COALESCE(c.suppressed, 0) = 0
         AND NOT EXISTS (SELECT 1 FROM assignment b WHERE b.request = a.request AND b.person = a.person AND b.state = 'accepted')
         AND (CAST($3 AS BIGINT) = 0 OR a.person <> $4)
         ORDER BY a.ord LIMIT 1",
        &params![request, role, i64::from(but.is_some()), but],
    )
    .await?
    .map(|row| row.id("person"))
    .transpose()
}

/// Returns the role of a place that a person holds in another request whose service overlaps that of `request`; `None`
/// if they hold no such place.
pub async fn clash(
    tx: &mut Tx,
    request: &Request,
    person: PersonId,
) -> Result<Option<HeldElsewhere>, StoreError> {
    tx.row(
        "SELECT a.role, q.service_time FROM assignment a CROSS JOIN request q
         WHERE a.person = $1 AND a.state || '' = 'accepted' AND a.request <> $2 AND q.id = a.request AND q.tenant || '' = $3
         AND q.service_time < $5 AND q.ends_at > $4 ORDER BY q.service_time, a.role LIMIT 1",
        &params![person, request.id, &request.tenant, request.service_time, request.ends_at],
    )
    .await?
    .map(|row| Ok(HeldElsewhere { role: row.text("role")?, time: row.at("service_time")? }))
    .transpose()
}

/// Returns the people among these who hold a place in another request whose service overlaps that of `request`.
pub async fn clashing(
    tx: &mut Tx,
    request: &Request,
    people: &[PersonId],
) -> Result<BTreeSet<PersonId>, StoreError> {
    // `a.state || ''` keeps the databases from the index of all accepted places, which they would read whole.
    let rows = tx
        .bulk(
            "SELECT a.person, a.request FROM assignment a
             WHERE a.person IN (SELECT id FROM {rows}) AND a.request <> $1 AND a.state || '' = 'accepted'",
            &params![request.id],
            &Rows::ids(people),
        )
        .await?;
    let places: Vec<(PersonId, RequestId)> = rows
        .iter()
        .map(|row| Ok((row.id("person")?, row.id("request")?)))
        .collect::<Result<_, StoreError>>()?;
    let others: BTreeSet<RequestId> = places.iter().map(|(_, other)| *other).collect();
    let others = super::request::by_ids(tx, &Vec::from_iter(others)).await?;
    let overlaps = |other: &Request| {
        other.tenant == request.tenant
            && other.service_time < request.ends_at
            && other.ends_at > request.service_time
    };
    let clashes = places.into_iter().filter(|(_, other)| others.get(other).is_some_and(overlaps));
    Ok(clashes.map(|(person, _)| person).collect())
}

/// A place in another request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldElsewhere {
    /// The role of the place.
    pub role: String,
    /// When the service of the place begins.
    pub time: Timestamp,
}

/// Returns the number of assignments of a request for each role and state.
pub async fn counts(
    tx: &mut Tx,
    request: RequestId,
) -> Result<BTreeMap<(String, AssignmentState), i64>, StoreError> {
    let rows = tx
        .rows(
            "SELECT role, state, COUNT(*) AS count FROM assignment WHERE request = $1 GROUP BY role, state ORDER BY role, state",
            &params![request],
        )
        .await?;
    rows.iter()
        .map(|row| Ok(((row.text("role")?, state(&row.text("state")?)?), row.int("count")?)))
        .collect()
}

/// Returns the lowest number, from 1, that no taken place of the role has.
pub async fn free_seat(tx: &mut Tx, request: RequestId, role: &str) -> Result<i64, StoreError> {
    let row = tx
        .row(
            "SELECT COALESCE(MIN(v.seat), 1) AS free FROM (
                SELECT 1 AS seat WHERE NOT EXISTS (SELECT 1 FROM assignment f
                    WHERE f.request = $1 AND f.role = $2 AND f.seat = 1 AND f.state = 'accepted')
                UNION ALL
                SELECT MIN(a.seat) + 1 FROM assignment a WHERE a.request = $1 AND a.role = $2 AND a.state = 'accepted'
                    AND NOT EXISTS (SELECT 1 FROM assignment b WHERE b.request = $1 AND b.role = $2
                        AND b.seat = a.seat + 1 AND b.state = 'accepted')
             ) AS v WHERE v.seat IS NOT NULL",
            &params![request, role],
        )
        .await?;
    row.map_or(Ok(1), |row| row.int("free"))
}

/// Returns the numbers of the taken places of a role.
pub async fn seats(
    tx: &mut Tx,
    request: RequestId,
    role: &str,
) -> Result<BTreeSet<i64>, StoreError> {
    let rows = tx
        .rows(
            "SELECT seat FROM assignment WHERE request = $1 AND role = $2 AND state = 'accepted' AND seat > 0",
            &params![request, role],
        )
        .await?;
    rows.iter().map(|row| row.int("seat")).collect()
}

/// Inserts or updates assignments.
pub async fn put(
    tx: &mut Tx,
    tenant: &str,
    assignments: &[Assignment],
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut rows = Rows::new(&[
        ("request", ColumnType::Id),
        ("person", ColumnType::Id),
        ("role", ColumnType::Text),
        ("state", ColumnType::Text),
        ("seat", ColumnType::Int),
        ("version", ColumnType::Int),
        ("ord", ColumnType::Int),
        ("accepted_at", ColumnType::Int),
    ]);
    for assignment in assignments {
        rows.push([
            assignment.request.into(),
            assignment.person.into(),
            Param::from(&assignment.role),
            assignment.state.as_str().into(),
            assignment.seat.into(),
            assignment.version.into(),
            assignment.ord.into(),
            assignment.accepted_at.into(),
        ]);
    }
    if rows.is_empty() {
        return Ok(());
    }
    tx.bulk(
        "INSERT INTO assignment (request, person, role, tenant, state, seat, version, ord, accepted_at, updated_at)
         SELECT request, person, role, $1, state, seat, version, ord, accepted_at, $2 FROM {rows} WHERE true
         ON CONFLICT (request, person, role) DO UPDATE SET state = excluded.state, seat = excluded.seat,
            version = excluded.version, ord = excluded.ord, accepted_at = excluded.accepted_at, updated_at = excluded.updated_at",
        &params![tenant, now],
        &rows,
    )
    .await
    .map(drop)
}

/// One role of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestRole<'a> {
    /// The id of the request.
    pub request: RequestId,
    /// The name of the role.
    pub role: &'a str,
}

/// Sets the assignments of these people for a role to `invited`. Inserts missing assignments.
pub async fn invite(
    tx: &mut Tx,
    tenant: &str,
    invited_to: RequestRole<'_>,
    people: &[PersonId],
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.bulk(
        "INSERT INTO assignment (request, person, role, tenant, state, updated_at)
         SELECT $1, id, $2, $3, 'invited', $4 FROM {rows} WHERE true
         ON CONFLICT (request, person, role) DO UPDATE SET state = 'invited', seat = NULL, version = NULL, ord = NULL,
            accepted_at = NULL, updated_at = excluded.updated_at",
        &params![invited_to.request, invited_to.role, tenant, now],
        &Rows::ids(people),
    )
    .await
    .map(drop)
}

/// Sets the assignments of these people and roles to `state`, which must be a state without a place.
/// Assignments that are not `invited` stay unchanged.
pub async fn uninvite(
    tx: &mut Tx,
    request: RequestId,
    people: &[(PersonId, &str)],
    state: AssignmentState,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut by_role: BTreeMap<&str, Vec<PersonId>> = BTreeMap::new();
    for (person, role) in people {
        by_role.entry(role).or_default().push(*person);
    }
    for (role, people) in by_role {
        tx.bulk(
            "UPDATE assignment SET state = $3, updated_at = $4
             WHERE request = $1 AND role = $2 AND person IN (SELECT id FROM {rows}) AND state = 'invited'",
            &params![request, role, state.as_str(), now],
            &Rows::ids(&people),
        )
        .await?;
    }
    Ok(())
}

/// An assignment for a future service, with the person's newest offer for the role.
#[derive(Debug, Clone)]
pub struct OpenAssignment {
    /// The assignment.
    pub assignment: Assignment,
    /// When the service begins.
    pub service_time: Timestamp,
    /// The status of the request.
    pub status: RequestStatus,
    /// The person's newest offer for the role; `None` if the person had no offer for it.
    pub newest_offer: Option<NewestOffer>,
}

/// The newest offer to a person for a role of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewestOffer {
    /// The id of the offer.
    pub id: OfferId,
    /// The current state of the offer.
    pub state: OfferState,
}

/// Returns all assignments of these people for services that begin after the time `now`.
/// Assignments of older requests come first.
pub async fn future_assignments(
    tx: &mut Tx,
    people: &[PersonId],
    now: Timestamp,
) -> Result<Vec<OpenAssignment>, StoreError> {
    let rows = tx
        .bulk(
            // `role || ''` keeps a server from the index of all offers of a role.
            "SELECT a.request, a.person, a.role, a.state, a.seat, a.version, a.ord, a.accepted_at,
                q.service_time, q.status, o.id AS offer, o.state AS offer_state
             FROM assignment a JOIN request q ON q.id = a.request
             LEFT JOIN offer o ON o.id = (SELECT n.id FROM offer n WHERE n.request = a.request
                AND n.person = a.person AND n.role || '' = a.role ORDER BY n.ordinal DESC LIMIT 1)
             WHERE a.person IN (SELECT id FROM {rows}) AND q.service_time > $1 ORDER BY a.request, a.person, a.role",
            &params![now],
            &Rows::ids(people),
        )
        .await?;
    rows.iter()
        .map(|row| {
            let newest_offer = match row.opt_id("offer")? {
                Some(id) => {
                    Some(NewestOffer { id, state: offer_state(&row.text("offer_state")?)? })
                }
                None => None,
            };
            Ok(OpenAssignment {
                assignment: read(row)?,
                service_time: row.at("service_time")?,
                status: request_status(&row.text("status")?)?,
                newest_offer,
            })
        })
        .collect()
}
