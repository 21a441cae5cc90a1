//! The helpers of Spanish templates, as Latin America writes.

use jiff::Zoned;
use jiff::civil::Weekday;
use serde_json::Value;

use super::helpers::{listed, local};
use crate::base::calendar::MONTHS_IN_SPANISH;

/// Formats an instant as `domingo 5 de octubre a las 9:00 a. m.`.
pub(super) fn when(values: &[&Value], zone: Option<&str>) -> Option<String> {
    let at = local(values, zone)?;
    let article = if at.hour() % 12 == 1 { "a la" } else { "a las" };
    Some(format!("{} {article} {}", date(&at), time(&at)))
}

/// Formats an instant as `domingo 5 de octubre`.
pub(super) fn day(values: &[&Value], zone: Option<&str>) -> Option<String> {
    Some(date(&local(values, zone)?))
}

/// Formats an instant as `9:00 a. m.`.
pub(super) fn clock(values: &[&Value], zone: Option<&str>) -> Option<String> {
    Some(time(&local(values, zone)?))
}

fn date(at: &Zoned) -> String {
    let weekday = match at.weekday() {
        Weekday::Monday => "lunes",
        Weekday::Tuesday => "martes",
        Weekday::Wednesday => "miércoles",
        Weekday::Thursday => "jueves",
        Weekday::Friday => "viernes",
        Weekday::Saturday => "sábado",
        Weekday::Sunday => "domingo",
    };
    let month = usize::try_from(at.month() - 1).ok().and_then(|month| MONTHS_IN_SPANISH.get(month));
    format!("{weekday} {} de {}", at.day(), month.unwrap_or(&""))
}

fn time(at: &Zoned) -> String {
    let hour = match at.hour() % 12 {
        0 => 12,
        hour => hour,
    };
    let half = if at.hour() < 12 { "a. m." } else { "p. m." };
    format!("{hour}:{:02} {half}", at.minute())
}

/// Joins names as `Ana`, `Ana y Ben`, `Hana e Ivan`, or `Ana, Ben y Carla`.
pub(super) fn list(values: &[&Value], _: Option<&str>) -> Option<String> {
    listed(values, |last| {
        let last = last.to_lowercase();
        let sounds_like_i = last.starts_with(['i', 'í']) || last.starts_with("hi");
        if sounds_like_i && !last.starts_with("hie") { "e" } else { "y" }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn instants_and_lists_read_like_speech() {
        let zone = Some("America/Chicago");
        let at = |time: &str| when(&[&json!(time)], zone).expect("an instant");
        assert_eq!(at("2025-10-05T14:00:00Z"), "domingo 5 de octubre a las 9:00 a. m.");
        assert_eq!(at("2025-10-04T18:05:00Z"), "sábado 4 de octubre a la 1:05 p. m.");
        assert_eq!(at("2026-01-01T06:00:00Z"), "jueves 1 de enero a las 12:00 a. m.");
        assert_eq!(clock(&[&json!("2025-10-05T17:30:00Z")], zone).expect("a time"), "12:30 p. m.");
        let names = |names: &[&str]| list(&[&json!(names)], None).expect("names");
        assert_eq!(names(&["Ana"]), "Ana");
        assert_eq!(names(&["Ana", "Ben", "Carla"]), "Ana, Ben y Carla");
        assert_eq!(names(&["Hana", "Ivan"]), "Hana e Ivan");
        assert_eq!(names(&["Ana", "Hilda"]), "Ana e Hilda");
        assert_eq!(names(&["agua", "hielo"]), "agua y hielo");
    }
}
