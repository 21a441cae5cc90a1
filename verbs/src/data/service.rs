//! Rows of a tenant's weekly services.

use abide_engine::base::Span;
use abide_engine::params;
use abide_engine::store::{ColumnType, Param, Row, Rows, StoreError, Tx};

use crate::service::{Service, ServiceKey, TimeOfDay, Weekday};

fn read(row: &Row) -> Result<Service, StoreError> {
    let (weekday, aliases) = (row.int("weekday")?, row.text("aliases")?);
    let corrupt =
        |member: &str, found: &str| StoreError::Corrupt(format!("service.{member} is `{found}`"));
    Ok(Service {
        key: ServiceKey {
            name: row.text("name")?,
            weekday: Weekday::from_number(weekday)
                .ok_or_else(|| corrupt("weekday", &weekday.to_string()))?,
            time: TimeOfDay { minute: row.int("minute")? },
        },
        aliases: serde_json::from_str(&aliases).map_err(|_| corrupt("aliases", &aliases))?,
        duration: Span::from_micros(row.int("duration")?),
        time_zone: row.opt_text("time_zone")?,
        campus: row.opt_text("campus")?,
    })
}

/// Returns the aliases of a service as they are stored: as a JSON list.
fn aliases(service: &Service) -> String {
    serde_json::json!(service.aliases).to_string()
}

/// Returns the tenant's weekly services, from Monday to Sunday.
pub async fn list(tx: &mut Tx, tenant: &str) -> Result<Vec<Service>, StoreError> {
    let rows = tx
        .rows(
            "SELECT weekday, minute, name, aliases, duration, time_zone, campus FROM service
             WHERE tenant = $1 ORDER BY weekday, minute, name",
            &params![tenant],
        )
        .await?;
    rows.iter().map(read).collect()
}

/// Inserts the given services, except those that the tenant already has.
pub async fn add(tx: &mut Tx, tenant: &str, services: &[Service]) -> Result<(), StoreError> {
    let mut rows = Rows::new(&[
        ("weekday", ColumnType::Int),
        ("minute", ColumnType::Int),
        ("name", ColumnType::Text),
        ("aliases", ColumnType::Text),
        ("duration", ColumnType::Int),
    ]);
    for service in services {
        rows.push([
            service.key.weekday.number().into(),
            service.key.time.minute.into(),
            Param::from(&service.key.name),
            Param::from(&aliases(service)),
            service.duration.micros().into(),
        ]);
    }
    tx.bulk(
        "INSERT INTO service (tenant, weekday, minute, name, aliases, duration)
         SELECT $1, weekday, minute, name, aliases, duration FROM {rows} WHERE true
         ON CONFLICT DO NOTHING",
        &params![tenant],
        &rows,
    )
    .await
    .map(drop)
}

/// Inserts a service, or updates the service with the same key.
pub async fn put(tx: &mut Tx, tenant: &str, service: &Service) -> Result<(), StoreError> {
    let Service { key, duration, time_zone, campus, .. } = service;
    tx.execute(
        "INSERT INTO service (tenant, weekday, minute, name, aliases, duration, time_zone, campus)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (tenant, weekday, minute, name) DO UPDATE SET aliases = excluded.aliases,
            duration = excluded.duration, time_zone = excluded.time_zone, campus = excluded.campus",
        &params![
            tenant,
            key.weekday.number(),
            key.time.minute,
            &key.name,
            aliases(service),
            duration.micros(),
            time_zone.as_deref(),
            campus.as_deref()
        ],
    )
    .await
    .map(drop)
}

/// Removes a service.
pub async fn remove(tx: &mut Tx, tenant: &str, key: &ServiceKey) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM service WHERE tenant = $1 AND weekday = $2 AND minute = $3 AND name = $4",
        &params![tenant, key.weekday.number(), key.time.minute, &key.name],
    )
    .await
    .map(drop)
}
