//! A tenant's name, time zone and weekly services.

use abide_engine::params;
use abide_engine::store::{Kind, Param, Rows, StoreError, Tx};

/// Who the tenant is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Church {
    /// As people call it.
    pub name: String,
    /// IANA zone of its clock times.
    pub time_zone: String,
}

/// What is held every week.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceRow {
    /// 1 is Monday, 7 is Sunday.
    pub weekday: i64,
    /// Minutes since local midnight.
    pub minute: i64,
    /// As people call it.
    pub name: String,
}

/// The tenant, if it was ever described.
pub async fn find(tx: &mut Tx, tenant: &str) -> Result<Option<Church>, StoreError> {
    tx.row("SELECT name, time_zone FROM church WHERE tenant = $1", &params![tenant])
        .await?
        .map(|row| Ok(Church { name: row.text(0)?, time_zone: row.text(1)? }))
        .transpose()
}

/// Describes the tenant; a second time replaces the first.
pub async fn put(tx: &mut Tx, tenant: &str, church: &Church) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO church (tenant, name, time_zone) VALUES ($1, $2, $3)
         ON CONFLICT (tenant) DO UPDATE SET name = excluded.name, time_zone = excluded.time_zone",
        &params![tenant, &church.name, &church.time_zone],
    )
    .await
    .map(drop)
}

/// The tenant's week.
pub async fn services(tx: &mut Tx, tenant: &str) -> Result<Vec<ServiceRow>, StoreError> {
    let rows = tx
        .rows(
            "SELECT weekday, minute, name FROM service WHERE tenant = $1 ORDER BY weekday, minute, name",
            &params![tenant],
        )
        .await?;
    rows.iter()
        .map(|row| Ok(ServiceRow { weekday: row.int(0)?, minute: row.int(1)?, name: row.text(2)? }))
        .collect()
}

/// Adds services that are not there yet.
pub async fn add_services(
    tx: &mut Tx,
    tenant: &str,
    services: &[ServiceRow],
) -> Result<(), StoreError> {
    let mut rows =
        Rows::new(&[("weekday", Kind::Int), ("minute", Kind::Int), ("name", Kind::Text)]);
    for service in services {
        rows.push([service.weekday.into(), service.minute.into(), Param::from(&service.name)]);
    }
    tx.bulk(
        "INSERT INTO service (tenant, weekday, minute, name)
         SELECT $1, weekday, minute, name FROM {rows} WHERE true ON CONFLICT DO NOTHING",
        &params![tenant],
        &rows,
    )
    .await
    .map(drop)
}
