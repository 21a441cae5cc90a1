//! Rows of requests, and of their histories: one row for each change of a request.

use std::collections::BTreeMap;

use abide_engine::base::{RequestId, Timestamp, TypedId as _};
use abide_engine::params;
use abide_engine::store::{Param, Row, Rows, StoreError, Tx};

use crate::request::{Request, RequestCause, RequestStatus, Targets};

/// A filter for the requests of a tenant.
#[derive(Debug, Clone, Default)]
pub struct RequestFilter {
    /// Selects requests with this status.
    pub status: Option<RequestStatus>,
    /// Selects services that begin at this time or later.
    pub from: Option<Timestamp>,
    /// Selects services that begin before this time.
    pub to: Option<Timestamp>,
    /// Selects requests of this campus.
    pub campus: Option<String>,
    /// Selects requests whose id is greater than this one.
    pub after: Option<RequestId>,
    /// Maximum number of rows.
    pub limit: i64,
}

macro_rules! select_request {
    ($rest:literal) => {
        concat!(
            "SELECT id, tenant, campus, service_time, ends_at, moved_from, targets, status, version, created_at, updated_at \
             FROM request ",
            $rest
        )
    };
}

fn read(row: &Row) -> Result<Request, StoreError> {
    let corrupt = |what: &str| StoreError::Corrupt(format!("request: {what}"));
    Ok(Request {
        id: row.id("id")?,
        tenant: row.text("tenant")?,
        campus: row.text("campus")?,
        service_time: row.at("service_time")?,
        ends_at: row.at("ends_at")?,
        moved_from: row.opt_at("moved_from")?,
        targets: Targets::from_value(&row.json("targets")?).map_err(|e| corrupt(&e.message))?,
        status: RequestStatus::parse(&row.text("status")?).ok_or_else(|| corrupt("status"))?,
        version: row.int("version")?,
        created_at: row.at("created_at")?,
        updated_at: row.at("updated_at")?,
    })
}

/// Returns the request with this id, whichever tenant owns it; `None` if there is none.
pub async fn by_id(tx: &mut Tx, id: RequestId) -> Result<Option<Request>, StoreError> {
    tx.row(select_request!("WHERE id = $1"), &params![id]).await?.map(|row| read(&row)).transpose()
}

/// Returns the requests with these ids, whichever tenant owns them.
pub async fn by_ids(
    tx: &mut Tx,
    ids: &[RequestId],
) -> Result<BTreeMap<RequestId, Request>, StoreError> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows = Rows::ids(ids);
    let found = tx.bulk(select_request!("WHERE id IN (SELECT id FROM {rows})"), &[], &rows).await?;
    found.iter().map(|row| read(row).map(|request| (request.id, request))).collect()
}

/// Returns at most `limit` requests for services after this time that are neither closed nor cancelled, the earliest
/// service first.
pub async fn ahead(
    tx: &mut Tx,
    tenant: &str,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<Request>, StoreError> {
    let rows = tx
        .rows(
            select_request!(
                "WHERE tenant = $1 AND service_time > $2
                 AND status IN ('draft', 'open', 'partially_filled', 'filled')
                 ORDER BY service_time, id LIMIT $3"
            ),
            &params![tenant, after, limit],
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Returns the request of this campus at this time; `None` if there is none.
/// Ignores closed and cancelled requests. A unique index permits at most one request of the campus
/// at that time that is neither closed nor cancelled.
pub async fn live_at(
    tx: &mut Tx,
    tenant: &str,
    campus: &str,
    time: Timestamp,
) -> Result<Option<Request>, StoreError> {
    tx.row(
        select_request!(
            "WHERE tenant = $1 AND campus = $2 AND service_time = $3
             AND status IN ('draft', 'open', 'partially_filled', 'filled')"
        ),
        &params![tenant, campus, time],
    )
    .await?
    .map(|row| read(&row))
    .transpose()
}

/// Builds a query of the next `$3` requests after the request `$2` for which a condition holds. Their services begin at
/// `$4` or later and before `$5`, unless these are NULL.
macro_rules! page_of_requests {
    ($which:literal) => {
        concat!(
            select_request!("WHERE "),
            $which,
            " AND {id} > $2 AND (CAST($4 AS BIGINT) IS NULL OR service_time >= $4)
             AND (CAST($5 AS BIGINT) IS NULL OR service_time < $5) ORDER BY {id} LIMIT $3"
        )
    };
}

/// Returns a page of requests, oldest first.
pub async fn list(
    tx: &mut Tx,
    tenant: &str,
    filter: &RequestFilter,
) -> Result<Vec<Request>, StoreError> {
    let sql = match (filter.status, &filter.campus) {
        (None, None) => page_of_requests!("tenant = $1"),
        (Some(_), None) => page_of_requests!("tenant = $1 AND status = $6"),
        (None, Some(_)) => page_of_requests!("tenant = $1 AND campus = $6"),
        (Some(_), Some(_)) => page_of_requests!("tenant = $1 AND campus = $6 AND status = $7"),
    };
    let after = filter.after.unwrap_or(RequestId::from_uuid(uuid::Uuid::nil()));
    let mut params = params![tenant, after, filter.limit, filter.from, filter.to].to_vec();
    params.extend(filter.campus.as_deref().map(Param::from));
    params.extend(filter.status.map(|status| Param::from(status.as_str())));
    let rows = tx.rows(sql, &params).await?;
    rows.iter().map(read).collect()
}

/// Inserts a request and the first row of its history. Returns false and inserts nothing
/// if the campus already has a request at that time that is not closed or cancelled.
pub async fn insert(
    tx: &mut Tx,
    request: &Request,
    cause: RequestCause,
) -> Result<bool, StoreError> {
    let written = tx.execute(
        "INSERT INTO request (id, tenant, campus, service_time, targets, status, version, created_at, updated_at, ends_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9) ON CONFLICT DO NOTHING",
        &params![
            request.id,
            &request.tenant,
            &request.campus,
            request.service_time,
            request.targets.to_value().to_string(),
            request.status.as_str(),
            request.version,
            request.created_at,
            request.ends_at
        ],
    )
    .await?;
    if written == 1 {
        record_change(tx, request, None, cause).await?;
    }
    Ok(written == 1)
}

/// Replaces the previous version of a request with `request`, whose version number is one higher.
/// Returns false and writes nothing if another transaction has changed the request in the meantime.
pub async fn update(
    tx: &mut Tx,
    request: &Request,
    was: RequestStatus,
    cause: RequestCause,
) -> Result<bool, StoreError> {
    let changed = tx
        .execute(
            "UPDATE request SET service_time = $2, targets = $3, status = $4, version = $5, updated_at = $6,
                ends_at = $7, moved_from = $8
             WHERE id = $1 AND version = $5 - 1",
            &params![
                request.id,
                request.service_time,
                request.targets.to_value().to_string(),
                request.status.as_str(),
                request.version,
                request.updated_at,
                request.ends_at,
                request.moved_from
            ],
        )
        .await?;
    if changed == 1 {
        record_change(tx, request, Some(was), cause).await?;
    }
    Ok(changed == 1)
}

async fn record_change(
    tx: &mut Tx,
    request: &Request,
    was: Option<RequestStatus>,
    cause: RequestCause,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO request_change (request, version, was, cause, became, targets, changed_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &params![
            request.id,
            request.version,
            was.map(RequestStatus::as_str),
            cause.as_str(),
            request.status.as_str(),
            request.targets.to_value().to_string(),
            request.updated_at
        ],
    )
    .await
    .map(drop)
}
