//! Rows of offers. Inviting a person again inserts another row.

use std::collections::BTreeMap;

use abide_engine::base::{OfferId, PersonId, RequestId, Span, Timestamp};
use abide_engine::params;
use abide_engine::store::{ColumnType, Param, Row, Rows, StoreError, Tx};

use crate::offer::{Offer, OfferCause, OfferState};

macro_rules! select_offer {
    ($rest:literal) => {
        concat!(
            "SELECT o.id, o.request, o.person, o.role, o.wave, o.ordinal, o.state, o.cause, o.run_id, \
             o.planned_at, o.expires_at FROM offer o ",
            $rest
        )
    };
}

fn read(row: &Row) -> Result<Offer, StoreError> {
    let corrupt = |what: &str| StoreError::Corrupt(format!("offer: {what}"));
    let cause = row
        .opt_text("cause")?
        .map(|text| OfferCause::parse(&text).ok_or_else(|| corrupt("cause")))
        .transpose()?;
    Ok(Offer {
        id: row.id("id")?,
        request: row.id("request")?,
        person: row.id("person")?,
        role: row.text("role")?,
        wave: row.int("wave")?,
        ordinal: row.int("ordinal")?,
        state: OfferState::parse(&row.text("state")?).ok_or_else(|| corrupt("state"))?,
        cause,
        run: row.opt_id("run_id")?,
        planned_at: row.at("planned_at")?,
        expires_at: row.at("expires_at")?,
    })
}

/// Returns the offer with this id, whatever its state; `None` if there is none.
pub async fn by_id(tx: &mut Tx, id: OfferId) -> Result<Option<Offer>, StoreError> {
    tx.row(select_offer!("WHERE o.id = $1"), &params![id]).await?.map(|row| read(&row)).transpose()
}

/// Returns the offers with these ids, whatever their states.
pub async fn by_ids(
    tx: &mut Tx,
    offers: &[OfferId],
) -> Result<BTreeMap<OfferId, Offer>, StoreError> {
    let rows = Rows::ids(offers);
    let found = tx.bulk(select_offer!("WHERE o.id IN (SELECT id FROM {rows})"), &[], &rows).await?;
    found.iter().map(|row| read(row).map(|offer| (offer.id, offer))).collect()
}

/// Returns the tenant that owns an offer; `None` if there is no offer with this id.
pub async fn tenant_of(tx: &mut Tx, id: OfferId) -> Result<Option<String>, StoreError> {
    let row = tx.row("SELECT tenant FROM offer WHERE id = $1", &params![id]).await?;
    row.map(|row| row.text("tenant")).transpose()
}

/// Returns the newest offer to a person in a request; `None` if the person has had no offer in it.
pub async fn newest(
    tx: &mut Tx,
    request: RequestId,
    person: PersonId,
) -> Result<Option<Offer>, StoreError> {
    tx.row(
        select_offer!("WHERE o.request = $1 AND o.person = $2 ORDER BY o.ordinal DESC LIMIT 1"),
        &params![request, person],
    )
    .await?
    .map(|row| read(&row))
    .transpose()
}

/// Returns the open offers of a role in one wave, or in all waves if `wave` is 0, oldest first.
pub async fn pending_in(
    tx: &mut Tx,
    request: RequestId,
    role: &str,
    wave: i64,
) -> Result<Vec<Offer>, StoreError> {
    let rows = tx
        .rows(
            select_offer!(
                "WHERE o.request = $1 AND o.role = $2 AND ($3 = 0 OR o.wave = $3) AND o.state = 'pending'
                 ORDER BY o.id"
            ),
            &params![request, role, wave],
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Returns the open offers of a request, oldest first.
pub async fn pending_of_request(tx: &mut Tx, request: RequestId) -> Result<Vec<Offer>, StoreError> {
    let rows = tx
        .rows(
            select_offer!("WHERE o.request = $1 AND o.state = 'pending' ORDER BY o.id"),
            &params![request],
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Returns the open offers to these people, oldest first.
pub async fn pending_of_people(tx: &mut Tx, people: &[PersonId]) -> Result<Vec<Offer>, StoreError> {
    let rows = tx
        .bulk(
            select_offer!(
                "WHERE o.person IN (SELECT id FROM {rows}) AND {o.state} = 'pending' ORDER BY o.id"
            ),
            &[],
            &Rows::ids(people),
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Returns the open offers of a request to these people, oldest first.
pub async fn pending_of_request_people(
    tx: &mut Tx,
    request: RequestId,
    people: &[PersonId],
) -> Result<Vec<Offer>, StoreError> {
    let rows = tx
        .bulk(
            select_offer!(
                "WHERE o.request = $1 AND o.person IN (SELECT id FROM {rows}) AND o.state || '' = 'pending' ORDER BY o.id"
            ),
            &params![request],
            &Rows::ids(people),
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Returns the number of the latest wave of a role; 0 if the role has had no wave.
pub async fn last_wave(tx: &mut Tx, request: RequestId, role: &str) -> Result<i64, StoreError> {
    tx.row(
        "SELECT COALESCE(MAX(wave), 0) AS wave FROM offer WHERE request = $1 AND role = $2",
        &params![request, role],
    )
    .await?
    .map_or(Ok(0), |row| row.int("wave"))
}

/// Returns for each of these people how many offers the person has had in a request,
/// and whether one of the offers is open. Leaves out people without offers.
pub async fn asked(
    tx: &mut Tx,
    request: RequestId,
    people: &[PersonId],
) -> Result<BTreeMap<PersonId, (i64, bool)>, StoreError> {
    let rows = tx
        .bulk(
            "SELECT o.person, MAX(o.ordinal) AS times,
                MAX(CASE WHEN o.state = 'pending' THEN 1 ELSE 0 END) AS pending
             FROM offer o WHERE o.request = $1 AND o.person IN (SELECT id FROM {rows}) GROUP BY o.person",
            &params![request],
            &Rows::ids(people),
        )
        .await?;
    rows.iter()
        .map(|row| Ok((row.id("person")?, (row.int("times")?, row.flag("pending")?))))
        .collect()
}

/// Inserts offers. An offer that is not pending counts as ended at `now`.
pub async fn insert(
    tx: &mut Tx,
    tenant: &str,
    offers: &[Offer],
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut rows = Rows::new(&[
        ("id", ColumnType::Id),
        ("request", ColumnType::Id),
        ("person", ColumnType::Id),
        ("role", ColumnType::Text),
        ("wave", ColumnType::Int),
        ("ordinal", ColumnType::Int),
        ("state", ColumnType::Text),
        ("cause", ColumnType::Text),
        ("run_id", ColumnType::Id),
        ("planned_at", ColumnType::Int),
        ("expires_at", ColumnType::Int),
        ("ended_at", ColumnType::Int),
    ]);
    for offer in offers {
        let ended = (offer.state != OfferState::Pending).then_some(now);
        rows.push([
            offer.id.into(),
            offer.request.into(),
            offer.person.into(),
            Param::from(&offer.role),
            offer.wave.into(),
            offer.ordinal.into(),
            offer.state.as_str().into(),
            offer.cause.map(OfferCause::as_str).into(),
            offer.run.into(),
            offer.planned_at.into(),
            offer.expires_at.into(),
            ended.into(),
        ]);
    }
    tx.bulk(
        "INSERT INTO offer (id, tenant, request, person, role, wave, ordinal, state, cause, notice, run_id,
            planned_at, expires_at, created_at, ended_at)
         SELECT id, $1, request, person, role, wave, ordinal, state, cause, 0, run_id,
            planned_at, expires_at, $2, ended_at FROM {rows} WHERE true",
        &params![tenant, now],
        &rows,
    )
    .await
    .map(drop)
}

/// The state in which open offers end, with the cause and the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfferEnd {
    /// The final state of the offers.
    pub state: OfferState,
    /// Why the offers end.
    pub cause: OfferCause,
    /// Whether the recipients of the offers must still be notified.
    pub notify: bool,
    /// The time at which the offers end.
    pub at: Timestamp,
}

/// Ends these offers. Does not change the offers among them that have ended already.
pub async fn end(tx: &mut Tx, offers: &[OfferId], end: OfferEnd) -> Result<(), StoreError> {
    let rows = Rows::ids(offers);
    tx.bulk(
        "UPDATE offer SET state = $1, cause = $2, notice = $3, ended_at = $4
         WHERE id IN (SELECT id FROM {rows}) AND state || '' = 'pending'",
        &params![end.state.as_str(), end.cause.as_str(), end.notify, end.at],
        &rows,
    )
    .await
    .map(drop)
}

/// Returns offers that were withdrawn at the time `by` or earlier and whose recipients
/// must still be notified, oldest first.
pub async fn to_notify(
    tx: &mut Tx,
    request: RequestId,
    by: Timestamp,
    limit: i64,
) -> Result<Vec<Offer>, StoreError> {
    let rows = tx
        .rows(
            select_offer!(
                "WHERE o.request = $1 AND o.notice = 1 AND o.ended_at <= $2 ORDER BY o.id LIMIT $3"
            ),
            &params![request, by, limit],
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Records that the recipients of these offers need not be notified any more.
pub async fn mark_notified(tx: &mut Tx, offers: &[OfferId]) -> Result<(), StoreError> {
    if offers.is_empty() {
        return Ok(());
    }
    let rows = Rows::ids(offers);
    tx.bulk("UPDATE offer SET notice = 0 WHERE id IN (SELECT id FROM {rows})", &[], &rows)
        .await
        .map(drop)
}

/// Returns open offers of a request that expire at the time `by` or earlier.
/// The offer that expires first comes first.
pub async fn due_of(
    tx: &mut Tx,
    request: RequestId,
    by: Timestamp,
    limit: i64,
) -> Result<Vec<Offer>, StoreError> {
    let rows = tx
        .rows(
            select_offer!(
                "WHERE o.state = 'pending' AND o.expires_at <= $1 AND o.request = $2
                 ORDER BY o.expires_at, o.id LIMIT $3"
            ),
            &params![by, request, limit],
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Records that the invitations of these offers will be sent at `planned_at`. Changes only open offers
/// whose invitation was planned for an earlier time, and postpones their expiry by the same delay.
pub async fn postpone(
    tx: &mut Tx,
    offers: &[OfferId],
    planned_at: Timestamp,
) -> Result<(), StoreError> {
    let rows = Rows::ids(offers);
    tx.bulk(
        "UPDATE offer SET expires_at = expires_at + ($1 - planned_at), planned_at = $1
         WHERE id IN (SELECT id FROM {rows}) AND state || '' = 'pending' AND planned_at < $1",
        &params![planned_at],
        &rows,
    )
    .await
    .map(drop)
}

/// Moves the expiry of the open offers of a request.
pub async fn move_expiry(tx: &mut Tx, request: RequestId, by: Span) -> Result<(), StoreError> {
    let sql =
        "UPDATE offer SET expires_at = expires_at + $2 WHERE request = $1 AND state = 'pending'";
    tx.execute(sql, &params![request, by.micros()]).await.map(drop)
}

/// Returns which of these offers are open.
pub async fn still_open(
    tx: &mut Tx,
    offers: &[OfferId],
) -> Result<std::collections::BTreeSet<OfferId>, StoreError> {
    let rows = Rows::ids(offers);
    let found = tx
        .bulk(
            "SELECT o.id FROM offer o WHERE o.id IN (SELECT id FROM {rows}) AND o.state || '' = 'pending'",
            &[],
            &rows,
        )
        .await?;
    found.iter().map(|row| row.id("id")).collect()
}
