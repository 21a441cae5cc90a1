//! Determines the tenant's time zone: from the key `time_zone`,
//! or from the offset of `start` if the scenario has no such key.

use abide_engine::base::Timestamp;
use abide_engine::diagnostic::codes;
use jiff::tz::{Offset, TimeZone};

use super::reader::{MappingFields, ScenarioReader};

/// The time zone of the demo church.
/// A scenario without `time_zone` gets this zone if the offset
/// that is written in `start` is the zone's offset at that instant.
const CUSTOMARY: &str = "America/Chicago";

/// Returns the IANA name of the scenario's time zone. Records an error if no time zone can be determined.
pub(super) fn of(
    reader: &mut ScenarioReader<'_>,
    fields: &MappingFields<'_>,
    start: Option<Timestamp>,
) -> Option<String> {
    if let Some(node) = fields.get("time_zone") {
        let name = reader.text(node)?;
        if TimeZone::get(&name).is_ok() {
            return Some(name);
        }
        let hint = "give an IANA name such as `America/Chicago`".to_owned();
        let message = format!("`{name}` is not a time zone");
        reader.error(&node.at, codes::WRONG_VALUE, message, hint);
        return None;
    }
    let node = fields.get("start")?;
    let start = start?;
    let zone = offset_of(node.text()?).and_then(|offset| named(offset, start));
    if zone.is_none() {
        let hint = "add `time_zone`, for example `time_zone: Asia/Kolkata`".to_owned();
        let message = "the offset of `start` does not determine a time zone";
        reader.error(&node.at, codes::WRONG_VALUE, message, hint);
    }
    zone
}

/// Returns the offset at the end of an RFC 3339 timestamp; `None` if the timestamp has no offset.
fn offset_of(instant: &str) -> Option<Offset> {
    let parsed: jiff::fmt::temporal::Pieces<'_> =
        jiff::fmt::temporal::Pieces::parse(instant).ok()?;
    parsed.to_numeric_offset()
}

/// Returns [`CUSTOMARY`] if that time zone has this offset at the instant `at`.
/// Otherwise returns a zone with this fixed offset, or `None` if the offset is not a whole number of hours.
fn named(offset: Offset, at: Timestamp) -> Option<String> {
    let customary = TimeZone::get(CUSTOMARY).ok()?;
    if customary.to_offset(at.to_jiff()) == offset {
        return Some(CUSTOMARY.to_owned());
    }
    let seconds = offset.seconds();
    let hours = seconds / 3600;
    match (seconds % 3600, hours) {
        (0, 0) => Some("UTC".to_owned()),
        // The sign in the name of a fixed zone is inverted: UTC-5 is `Etc/GMT+5`.
        (0, _) => Some(format!("Etc/GMT{:+}", -hours)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(start: &str) -> Option<String> {
        named(offset_of(start)?, start.parse().ok()?)
    }

    #[test]
    fn an_offset_names_a_zone() {
        let cases = [
            ("2025-09-30T14:20:00-05:00", Some("America/Chicago")),
            ("2025-12-30T14:20:00-06:00", Some("America/Chicago")),
            ("2025-12-30T14:20:00-05:00", Some("Etc/GMT+5")),
            ("2025-09-30T14:20:00+10:00", Some("Etc/GMT-10")),
            ("2025-09-30T14:20:00Z", Some("UTC")),
            ("2025-09-30T14:20:00+00:00", Some("UTC")),
            ("2025-09-30T14:20:00+05:30", None),
        ];
        for (start, expected) in cases {
            assert_eq!(zone(start).as_deref(), expected, "{start}");
            if let Some(name) = expected {
                assert!(TimeZone::get(name).is_ok(), "{name}");
            }
        }
    }
}
