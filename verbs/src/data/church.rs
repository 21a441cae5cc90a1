//! Rows of a tenant's church: its name and its time zone.

use abide_engine::params;
use abide_engine::store::{StoreError, Tx};

/// The name and the time zone of a tenant's church.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Church {
    /// Name of the church.
    pub name: String,
    /// IANA time zone of the church, such as `America/Chicago`.
    pub time_zone: String,
}

/// Returns the tenant's church; `None` if none is stored.
pub async fn find(tx: &mut Tx, tenant: &str) -> Result<Option<Church>, StoreError> {
    tx.row("SELECT name, time_zone FROM church WHERE tenant = $1", &params![tenant])
        .await?
        .map(|row| Ok(Church { name: row.text("name")?, time_zone: row.text("time_zone")? }))
        .transpose()
}

/// Inserts or updates the tenant's church, whose time zone is among the tenant's settings.
pub async fn put(tx: &mut Tx, tenant: &str, church: &Church) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO church (tenant, name, time_zone) VALUES ($1, $2, $3)
         ON CONFLICT (tenant) DO UPDATE SET name = excluded.name, time_zone = excluded.time_zone",
        &params![tenant, &church.name, &church.time_zone],
    )
    .await?;
    tx.bump_tenant_version(tenant).await
}
