//! Rows of a tenant's church: its name, its time zone and its weekly services.

use abide_engine::params;
use abide_engine::store::{ColumnType, Param, Rows, StoreError, Tx};

/// The name and the time zone of a tenant's church.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Church {
    /// Name of the church.
    pub name: String,
    /// IANA time zone of the church, such as `America/Chicago`.
    pub time_zone: String,
}

/// A service that is held every week.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceRow {
    /// The day of the week: 1 is Monday, 7 is Sunday.
    pub weekday: i64,
    /// The time at which the service begins, in minutes since local midnight.
    pub minute: i64,
    /// Name of the service.
    pub name: String,
}

/// Returns the tenant's church; `None` if none is stored.
pub async fn find(tx: &mut Tx, tenant: &str) -> Result<Option<Church>, StoreError> {
    tx.row("SELECT name, time_zone FROM church WHERE tenant = $1", &params![tenant])
        .await?
        .map(|row| Ok(Church { name: row.text("name")?, time_zone: row.text("time_zone")? }))
        .transpose()
}

/// Inserts or updates the tenant's church.
pub async fn put(tx: &mut Tx, tenant: &str, church: &Church) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO church (tenant, name, time_zone) VALUES ($1, $2, $3)
         ON CONFLICT (tenant) DO UPDATE SET name = excluded.name, time_zone = excluded.time_zone",
        &params![tenant, &church.name, &church.time_zone],
    )
    .await
    .map(drop)
}

/// Returns the tenant's weekly services, from Monday to Sunday.
pub async fn services(tx: &mut Tx, tenant: &str) -> Result<Vec<ServiceRow>, StoreError> {
    let rows = tx
        .rows(
            "SELECT weekday, minute, name FROM service WHERE tenant = $1 ORDER BY weekday, minute, name",
            &params![tenant],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(ServiceRow {
                weekday: row.int("weekday")?,
                minute: row.int("minute")?,
                name: row.text("name")?,
            })
        })
        .collect()
}

/// Inserts the given services, except those that the tenant already has.
pub async fn add_services(
    tx: &mut Tx,
    tenant: &str,
    services: &[ServiceRow],
) -> Result<(), StoreError> {
    let mut rows = Rows::new(&[
        ("weekday", ColumnType::Int),
        ("minute", ColumnType::Int),
        ("name", ColumnType::Text),
    ]);
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
