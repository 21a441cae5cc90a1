//! Queries for the audit, which compares tables with each other and with the ledger.

use std::collections::BTreeMap;

use abide_engine::base::{MessageId, OfferId, PersonId, RequestId, Timestamp, TypedId as _, Value};
use abide_engine::params;
use abide_engine::store::{KeyRange, StoreError, Tx};
use uuid::Uuid;

use crate::{assignment, offer};

/// One row of a request's tally: the counts for one role, or for one wave of a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TallyCell {
    /// The request of the tally.
    pub request: RequestId,
    /// The name of the row: the role, such as `nursery`, or the role and the wave, such as `nursery#1`.
    pub cell: String,
    /// The counts `[open, yes, no, gone]`: open offers, places taken, offers declined,
    /// and offers that ended in another way.
    pub counts: [i64; 4],
}

/// A place that a person holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenSeat {
    /// The request of the place.
    pub request: RequestId,
    /// The person who holds the place.
    pub person: PersonId,
    /// The role of the place.
    pub role: String,
    /// The number of the place, from 1.
    pub seat: i64,
    /// The number of the request's version at which the person took the place.
    pub version: i64,
}

/// The current status and version of a request, as stored in the table `request`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestHead {
    /// The id of the request.
    pub request: RequestId,
    /// The stored string of the status. The audit checks whether it is valid.
    pub status: String,
    /// The version of the request.
    pub version: i64,
}

/// One change in a request's history.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestChange {
    /// The request that changed.
    pub request: RequestId,
    /// The number of the version that the change made.
    pub version: i64,
    /// The status before the change; `None` for the first version.
    pub was: Option<String>,
    /// The stored string of the change's cause, such as `cancel`.
    pub cause: String,
    /// The status after the change.
    pub became: String,
    /// The targets after the change.
    pub targets: Value,
    /// When the change was made.
    pub changed_at: Timestamp,
}

/// The columns of an offer that the audit compares with the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferRow {
    /// The person asked.
    pub person: PersonId,
    /// The role offered.
    pub role: String,
    /// The number of the wave to which the offer belongs.
    pub wave: i64,
    /// The state of the offer.
    pub state: offer::OfferState,
}

/// The columns of an assignment that the audit compares with the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssignmentRow {
    /// The state of the assignment.
    pub state: assignment::AssignmentState,
    /// The number of the person's place; only while accepted.
    pub seat: Option<i64>,
}

/// Returns all offers of a request.
pub async fn offers_of(
    tx: &mut Tx,
    request: RequestId,
) -> Result<BTreeMap<OfferId, OfferRow>, StoreError> {
    let rows = tx
        .rows(
            "SELECT id, person, role, wave, state FROM offer WHERE request = $1",
            &params![request],
        )
        .await?;
    rows.iter()
        .map(|row| {
            let state = row.text("state")?;
            let state = offer::OfferState::parse(&state)
                .ok_or_else(|| StoreError::Corrupt(format!("offer: state `{state}`")))?;
            let (person, role, wave) = (row.id("person")?, row.text("role")?, row.int("wave")?);
            Ok((row.id("id")?, OfferRow { person, role, wave, state }))
        })
        .collect()
}

/// Returns the person and the expiry of each offer of a request.
pub async fn deadlines_of(
    tx: &mut Tx,
    request: RequestId,
) -> Result<BTreeMap<OfferId, (PersonId, Timestamp)>, StoreError> {
    let sql = "SELECT id, person, expires_at FROM offer WHERE request = $1";
    let rows = tx.rows(sql, &params![request]).await?;
    rows.iter().map(|row| Ok((row.id("id")?, (row.id("person")?, row.at("expires_at")?)))).collect()
}

/// Returns all assignments of a request.
pub async fn assignments_of(
    tx: &mut Tx,
    request: RequestId,
) -> Result<BTreeMap<(PersonId, String), AssignmentRow>, StoreError> {
    let rows = tx
        .rows(
            "SELECT person, role, state, seat FROM assignment WHERE request = $1",
            &params![request],
        )
        .await?;
    rows.iter()
        .map(|row| {
            let state = row.text("state")?;
            let state = assignment::AssignmentState::parse(&state)
                .ok_or_else(|| StoreError::Corrupt(format!("assignment: state `{state}`")))?;
            Ok((
                (row.id("person")?, row.text("role")?),
                AssignmentRow { state, seat: row.opt_int("seat")? },
            ))
        })
        .collect()
}

/// Returns the next range of at most `limit` requests.
pub async fn request_range(tx: &mut Tx, first: Uuid, limit: i64) -> Result<KeyRange, StoreError> {
    let sql = "SELECT id FROM request WHERE id >= $1 ORDER BY id LIMIT 1 OFFSET $2";
    let last = tx.row(sql, &params![first, limit - 1]).await?;
    let last: Option<RequestId> = last.map(|row| row.id("id")).transpose()?;
    Ok(KeyRange { first, last: last.map_or(Uuid::max(), |last| last.uuid()) })
}

/// Returns every place that a person holds, in the requests of a range.
pub async fn seats(tx: &mut Tx, range: KeyRange) -> Result<Vec<TakenSeat>, StoreError> {
    let rows = tx
        .rows(
            "SELECT request, person, role, seat, COALESCE(version, 0) AS version FROM assignment
             WHERE state = 'accepted' AND request BETWEEN $1 AND $2 ORDER BY request, role, seat",
            &params![range.first, range.last],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(TakenSeat {
                request: row.id("request")?,
                person: row.id("person")?,
                role: row.text("role")?,
                seat: row.int("seat")?,
                version: row.int("version")?,
            })
        })
        .collect()
}

/// A person who holds places in two services that overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DoubleBooking {
    /// The person.
    pub person: PersonId,
    /// The request of the service that was made first.
    pub first: RequestId,
    /// The request of the other service.
    pub second: RequestId,
}

/// Returns everybody who holds places in two services of a tenant that overlap, of which the first is in a range.
pub async fn double_bookings(
    tx: &mut Tx,
    range: KeyRange,
) -> Result<Vec<DoubleBooking>, StoreError> {
    let rows = tx
        .rows(
            "SELECT a.person, a.request AS first, b.request AS second FROM assignment a
             CROSS JOIN request q CROSS JOIN assignment b CROSS JOIN request r
             WHERE a.state = 'accepted' AND a.request BETWEEN $1 AND $2 AND q.id = a.request
             AND b.person = a.person AND b.request > a.request AND b.state = 'accepted'
             AND r.id = b.request AND r.tenant = q.tenant AND q.service_time < r.ends_at AND r.service_time < q.ends_at
             ORDER BY a.person, a.request, b.request",
            &params![range.first, range.last],
        )
        .await?;
    rows.iter()
        .map(|row| {
            let (first, second) = (row.id("first")?, row.id("second")?);
            Ok(DoubleBooking { person: row.id("person")?, first, second })
        })
        .collect()
}

/// Returns the history of the requests of a range, sorted by request and version.
pub async fn changes(tx: &mut Tx, range: KeyRange) -> Result<Vec<RequestChange>, StoreError> {
    let rows = tx
        .rows(
            "SELECT request, version, was, cause, became, targets, changed_at FROM request_change
             WHERE request BETWEEN $1 AND $2 ORDER BY request, version",
            &params![range.first, range.last],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(RequestChange {
                request: row.id("request")?,
                version: row.int("version")?,
                was: row.opt_text("was")?,
                cause: row.text("cause")?,
                became: row.text("became")?,
                targets: row.json("targets")?,
                changed_at: row.at("changed_at")?,
            })
        })
        .collect()
}

/// Returns the status and version of the requests of a range.
pub async fn heads(tx: &mut Tx, range: KeyRange) -> Result<Vec<RequestHead>, StoreError> {
    let sql = "SELECT id, status, version FROM request WHERE id BETWEEN $1 AND $2 ORDER BY id";
    let rows = tx.rows(sql, &params![range.first, range.last]).await?;
    rows.iter()
        .map(|row| {
            Ok(RequestHead {
                request: row.id("id")?,
                status: row.text("status")?,
                version: row.int("version")?,
            })
        })
        .collect()
}

/// Computes the tallies of the requests of a range from their assignments and offers,
/// for comparison with the stored tallies.
pub async fn recounted_tallies(tx: &mut Tx, range: KeyRange) -> Result<Vec<TallyCell>, StoreError> {
    let places = tx
        .rows(
            "SELECT request, role, COUNT(*) AS count FROM assignment
             WHERE state = 'accepted' AND request BETWEEN $1 AND $2
             GROUP BY request, role ORDER BY request, role",
            &params![range.first, range.last],
        )
        .await?;
    let mut cells = places
        .iter()
        .map(|row| {
            let counts = [0, row.int("count")?, 0, 0];
            Ok(TallyCell { request: row.id("request")?, cell: row.text("role")?, counts })
        })
        .collect::<Result<Vec<_>, StoreError>>()?;
    // The counts of a wave do not include accepted offers: the role's own row counts their places.
    // So an offer that a late yes created as accepted is not counted here either.
    let offers = tx
        .rows(
            "SELECT request, role, wave, SUM(CASE WHEN state = 'pending' THEN 1 ELSE 0 END) AS pending,
                SUM(CASE WHEN state = 'declined' THEN 1 ELSE 0 END) AS declined,
                SUM(CASE WHEN state IN ('expired', 'withdrawn', 'undeliverable') THEN 1 ELSE 0 END) AS gone
             FROM offer WHERE request BETWEEN $1 AND $2
             GROUP BY request, role, wave ORDER BY request, role, wave",
            &params![range.first, range.last],
        )
        .await?;
    for row in &offers {
        let cell = crate::offer::wave_cell(&row.text("role")?, row.int("wave")?);
        let counts = [row.int("pending")?, 0, row.int("declined")?, row.int("gone")?];
        cells.push(TallyCell { request: row.id("request")?, cell, counts });
    }
    Ok(cells)
}

/// Returns the stored tallies of the requests of a range, for comparison with [`recounted_tallies`].
pub async fn stored_tallies(tx: &mut Tx, range: KeyRange) -> Result<Vec<TallyCell>, StoreError> {
    let rows = tx
        .rows(
            "SELECT t.partition_key, t.cell, t.open, t.yes, t.no, t.gone FROM tally t
             WHERE t.partition_key BETWEEN $1 AND $2 AND EXISTS (SELECT 1 FROM request q WHERE q.id = t.partition_key)
             ORDER BY t.partition_key, t.cell",
            &params![range.first, range.last],
        )
        .await?;
    rows.iter()
        .map(|row| {
            let counts = [row.int("open")?, row.int("yes")?, row.int("no")?, row.int("gone")?];
            Ok(TallyCell { request: row.id("partition_key")?, cell: row.text("cell")?, counts })
        })
        .collect()
}

/// Returns each person who has more than one open offer in the same request of a range, which is a breach.
pub async fn asked_twice(
    tx: &mut Tx,
    range: KeyRange,
) -> Result<Vec<(RequestId, PersonId)>, StoreError> {
    let rows = tx
        .rows(
            "SELECT request, person FROM offer WHERE state = 'pending' AND request BETWEEN $1 AND $2
             GROUP BY request, person HAVING COUNT(*) > 1 ORDER BY request, person",
            &params![range.first, range.last],
        )
        .await?;
    rows.iter().map(|row| Ok((row.id("request")?, row.id("person")?))).collect()
}

/// Returns the people with an open offer but without an invited assignment for its role,
/// and the people with an invited assignment but without an open offer for its role.
pub async fn invitation_mismatches(
    tx: &mut Tx,
    range: KeyRange,
) -> Result<Vec<(RequestId, PersonId)>, StoreError> {
    let rows = tx
        .rows(
            "SELECT o.request, o.person FROM offer o WHERE o.state = 'pending' AND o.request BETWEEN $1 AND $2 AND NOT EXISTS (
                SELECT 1 FROM assignment a WHERE a.request = o.request AND a.person = o.person
                AND a.role = o.role AND a.state = 'invited')
             UNION ALL
             SELECT a.request, a.person FROM assignment a WHERE a.state = 'invited' AND a.request BETWEEN $1 AND $2 AND NOT EXISTS (
                SELECT 1 FROM offer o WHERE o.request = a.request AND o.person = a.person
                AND o.role = a.role AND o.state = 'pending')",
            &params![range.first, range.last],
        )
        .await?;
    rows.iter().map(|row| Ok((row.id("request")?, row.id("person")?))).collect()
}

/// Counts open offers of closed or cancelled requests of a range. There should be none.
pub async fn orphan_offers(tx: &mut Tx, range: KeyRange) -> Result<i64, StoreError> {
    let row = tx
        .row(
            "SELECT COUNT(*) AS count FROM offer o JOIN request q ON q.id = o.request
             WHERE o.state = 'pending' AND o.request BETWEEN $1 AND $2 AND q.status IN ('closed', 'cancelled')",
            &params![range.first, range.last],
        )
        .await?;
    row.map_or(Ok(0), |row| row.int("count"))
}

/// Returns the queued invitations and questions that will be sent later than planned, each with the time
/// at which it may be sent. The time to answer runs from the planned time, so the recipients
/// of such messages would have less time to answer than promised. There should be none.
pub async fn held_past_start(tx: &mut Tx) -> Result<Vec<(MessageId, Timestamp)>, StoreError> {
    let now = tx.now();
    let rows = tx
        .rows(
            "SELECT m.id, m.not_before FROM outbox m JOIN offer o ON o.id = m.cause_id
             WHERE m.state = 'queued' AND m.cause_kind = 'offer' AND m.attempt = 0 AND m.not_before > $1
                AND o.state = 'pending' AND o.planned_at < m.not_before
             UNION ALL
             SELECT m.id, m.not_before FROM outbox m JOIN ask a ON a.id = m.cause_id
             WHERE m.state = 'queued' AND m.cause_kind = 'ask' AND m.attempt = 0 AND m.not_before > $1
                AND a.state = 'open' AND a.planned_at < m.not_before
             ORDER BY 1",
            &params![now],
        )
        .await?;
    rows.iter().map(|row| Ok((row.id("id")?, row.at("not_before")?))).collect()
}
