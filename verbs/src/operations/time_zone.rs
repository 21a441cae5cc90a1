//! The time zone of a tenant: that of its church, or else that of its settings.

use abide_engine::policy::Settings;
use abide_engine::store::{StoreError, Tx};
use jiff::tz::TimeZone;

use crate::data;

/// Returns the IANA name of the tenant's time zone.
///
/// # Errors
/// Returns errors from the store.
pub async fn name(tx: &mut Tx, tenant: &str, settings: &Settings) -> Result<String, StoreError> {
    let church = data::church::find(tx, tenant).await?;
    Ok(church.map_or_else(|| settings.time_zone.clone(), |church| church.time_zone))
}

/// Returns the tenant's time zone; UTC if its name is unknown.
///
/// # Errors
/// Returns errors from the store.
pub async fn of(tx: &mut Tx, tenant: &str, settings: &Settings) -> Result<TimeZone, StoreError> {
    let name = name(tx, tenant, settings).await?;
    Ok(TimeZone::get(&name).unwrap_or(TimeZone::UTC))
}
