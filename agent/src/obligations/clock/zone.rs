//! The time zones of cities, and the names of time zones that people use.

use jiff::tz::TimeZone;

use super::cities::CITIES;
use super::everyday::ZONES;
use crate::obligations::people::folded;

/// Maximum length of the name of a city or a zone in bytes: the longest known one has 40.
const NAME_BYTES_MAX: usize = 100;
/// The areas of the zone database, in which the names of many cities are found directly.
const AREAS: [&str; 9] = [
    "America",
    "Europe",
    "Asia",
    "Africa",
    "Australia",
    "Pacific",
    "Atlantic",
    "Indian",
    "America/Argentina",
];

/// Returns the time zone of a city, or of a country that has only one; `None` if it is not known.
#[must_use]
pub fn zone_of_city(city: &str) -> Option<TimeZone> {
    if city.len() > NAME_BYTES_MAX {
        return None;
    }
    let name = folded(city);
    let name = name.strip_prefix("the ").unwrap_or(&name);
    let known = by_name(CITIES, name).or_else(|| by_name(CITIES, name.strip_suffix(" city")?));
    let found = known.and_then(|zone| TimeZone::get(zone).ok()).or_else(|| in_areas(name));
    // "Lisbon, Portugal", "Portland, Oregon"
    found.or_else(|| city.split_once(',').and_then(|(city, _)| zone_of_city(city)))
}

/// Returns the time zone with a name: of the zone database, or one of everyday language such as `pacific`.
#[must_use]
pub fn zone_by_name(name: &str) -> Option<TimeZone> {
    if name.len() > NAME_BYTES_MAX {
        return None;
    }
    let common = by_name(ZONES, &folded(name));
    let exact = || name.contains('/').then(|| TimeZone::get(name).ok()).flatten();
    common.and_then(|zone| TimeZone::get(zone).ok()).or_else(exact)
}

fn by_name(table: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    let row = table.iter().find(|(_, names)| names.split('|').any(|known| known == name));
    row.map(|(zone, _)| *zone)
}

fn in_areas(name: &str) -> Option<TimeZone> {
    if name.is_empty() {
        return None;
    }
    let place = name.replace(' ', "_");
    AREAS.iter().find_map(|area| TimeZone::get(&format!("{area}/{place}")).ok())
}
