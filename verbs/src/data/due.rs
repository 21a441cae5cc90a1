//! Queries for changes that become due at a certain time, such as the expiry of an offer:
//! when the next change is due, and which requests have due changes.

use std::collections::BTreeMap;

use abide_engine::base::{PersonId, RequestId, Timestamp};
use abide_engine::params;
use abide_engine::planted::PlantedFault;
use abide_engine::store::{ColumnType, ContactId, Row, Rows, StoreError, Tx};

/// Returns for each tenant the earliest time at which a change is due. A change is due
/// when an open offer or question expires, when the service of a request begins (unless the request is
/// closed or cancelled), when people must be notified that their offer was withdrawn, and when staff are to be
/// told of new entries of their inbox.
/// Leaves out tenants without such changes, and tenants whose kill switch is on.
pub async fn next(tx: &mut Tx) -> Result<Vec<(String, Timestamp)>, StoreError> {
    let swept = i64::from(PlantedFault::SweepWhilePaused.is_active());
    let rows = tx
        .rows(
            "SELECT t.id,
                (SELECT o.expires_at FROM offer o WHERE o.tenant = t.id AND COALESCE(o.state, o.tenant) = 'pending'
                    ORDER BY o.expires_at LIMIT 1) AS offer_due,
                (SELECT a.expires_at FROM ask a WHERE a.tenant = t.id AND a.state = 'open'
                    ORDER BY a.expires_at LIMIT 1) AS ask_due,
                (SELECT r.service_time FROM request r WHERE r.tenant = t.id
                    AND r.status IN ('draft', 'open', 'partially_filled', 'filled')
                    ORDER BY r.service_time LIMIT 1) AS request_due,
                (SELECT n.ended_at FROM offer n WHERE n.tenant = t.id AND {n.notice} = 1
                    ORDER BY n.ended_at LIMIT 1) AS notice_due,
                (SELECT s.due_at FROM inbox_notice s WHERE s.tenant = t.id
                    ORDER BY s.due_at LIMIT 1) AS staff_due
             FROM tenant t WHERE t.paused <= $1 ORDER BY t.id",
            &params![swept],
        )
        .await?;
    let mut due = Vec::new();
    for row in &rows {
        let mut first = None;
        for column in ["offer_due", "ask_due", "request_due", "notice_due", "staff_due"] {
            first = first.into_iter().chain(row.opt_at(column)?).min();
        }
        if let Some(at) = first {
            due.push((row.text("id")?, at));
        }
    }
    Ok(due)
}

/// Returns the requests of a tenant for which a change is due at the time `by` or earlier.
/// Requests with people to notify come first. The others are sorted by the time of their earliest change.
pub async fn requests(
    tx: &mut Tx,
    tenant: &str,
    by: Timestamp,
    limit: i64,
) -> Result<Vec<RequestId>, StoreError> {
    let mut due: BTreeMap<RequestId, Timestamp> = BTreeMap::new();
    for sql in [
        "SELECT request, expires_at AS due_at FROM offer WHERE tenant = $1 AND COALESCE(state, tenant) = 'pending' AND expires_at <= $2
         ORDER BY expires_at LIMIT $3",
        "SELECT request, expires_at AS due_at FROM ask WHERE tenant = $1 AND state = 'open' AND expires_at <= $2
         ORDER BY expires_at LIMIT $3",
        "SELECT id AS request, service_time AS due_at FROM request WHERE tenant = $1 AND service_time <= $2
            AND status IN ('draft', 'open', 'partially_filled', 'filled')
         ORDER BY service_time LIMIT $3",
    ] {
        for row in tx.rows(sql, &params![tenant, by, limit]).await? {
            note_earliest(&mut due, row.id("request")?, row.at("due_at")?);
        }
    }
    let to_notify = tx
        .rows(
            "SELECT request FROM offer WHERE tenant = $1 AND {notice} = 1 AND ended_at <= $2
             ORDER BY request LIMIT $3",
            &params![tenant, by, limit],
        )
        .await?;
    for row in &to_notify {
        note_earliest(&mut due, row.id("request")?, Timestamp::EPOCH);
    }
    let mut due: Vec<(Timestamp, RequestId)> = due.into_iter().map(|(id, at)| (at, id)).collect();
    due.sort_unstable();
    Ok(due.into_iter().map(|(_, id)| id).collect())
}

fn note_earliest(due: &mut BTreeMap<RequestId, Timestamp>, request: RequestId, at: Timestamp) {
    let first = due.entry(request).or_insert(at);
    *first = (*first).min(at);
}

/// Whether a person with one of these contacts has an open offer or question in one of these requests.
pub async fn awaits_answer(
    tx: &mut Tx,
    tenant: &str,
    senders: &[ContactId],
    requests: &[RequestId],
) -> Result<bool, StoreError> {
    if senders.is_empty() || requests.is_empty() {
        return Ok(false);
    }
    let mut rows = Rows::new(&[("contact", ColumnType::Bytes)]);
    for sender in senders {
        rows.push([(*sender).into()]);
    }
    let reached = "SELECT p.id FROM person p WHERE p.tenant || '' = $1 AND p.contact IN (SELECT contact FROM {rows})";
    let people = tx.bulk(reached, &params![tenant], &rows).await?;
    let people = people.iter().map(|row| row.id("id")).collect::<Result<Vec<PersonId>, _>>()?;
    if people.is_empty() {
        return Ok(false);
    }
    let ids = Rows::ids(&people);
    for sql in [
        "SELECT o.request FROM offer o WHERE o.person IN (SELECT id FROM {rows}) AND {o.state} = 'pending'",
        "SELECT a.request FROM ask a WHERE a.person IN (SELECT id FROM {rows}) AND {a.state} = 'open'",
    ] {
        let open = tx.bulk(sql, &[], &ids).await?;
        let open: Vec<RequestId> =
            open.iter().map(|row: &Row| row.id("request")).collect::<Result<_, _>>()?;
        if open.iter().any(|request| requests.contains(request)) {
            return Ok(true);
        }
    }
    Ok(false)
}
