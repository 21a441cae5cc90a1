//! The time zone of a tenant: that of its church, or else that of its policy.

use abide_engine::policy::Settings;
use jiff::tz::TimeZone;

/// Returns the IANA name of the tenant's time zone.
#[must_use]
pub fn name(settings: &Settings) -> &str {
    settings.domain_time_zone.as_deref().unwrap_or(&settings.time_zone)
}

/// Returns the tenant's time zone; UTC if its name is unknown.
#[must_use]
pub fn of(settings: &Settings) -> TimeZone {
    TimeZone::get(name(settings)).unwrap_or(TimeZone::UTC)
}
