//! The time zone of a tenant: that of its church, or else that of its policy. The engine puts it into the settings.

use abide_engine::policy::Settings;
use jiff::tz::TimeZone;

/// Returns the tenant's time zone; UTC if its name is unknown.
#[must_use]
pub fn of(settings: &Settings) -> TimeZone {
    TimeZone::get(&settings.time_zone).unwrap_or(TimeZone::UTC)
}
