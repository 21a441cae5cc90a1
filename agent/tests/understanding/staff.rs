//! Texts of staff.

use abide_agent::church::ChurchWords;
use abide_agent::staff::{Intents, read};
use jiff::Timestamp;
use serde_json::Value;

use super::confusion::Confusion;
use super::{lines, text};

/// The members of a reading that are compared.
const SLOTS: [&str; 9] =
    ["intent", "of", "role", "count", "delta", "time", "date", "targets", "missing"];
/// Further members, of which only the seen half names all that its texts say.
const FURTHER: [&str; 7] =
    ["prefer", "exclude", "minimum", "skill", "deadline", "also", "requires_approval"];
/// The least share of intents and of whole readings that must be understood.
const INTENTS_AT_LEAST: f64 = 0.92;
const FRAMES_AT_LEAST: f64 = 0.90;

/// What was understood of one half: the intents, and the whole readings.
struct Understood {
    intents: Confusion,
    frames: Confusion,
}

/// Returns a reading without its confidence, and without that of each further request in it.
fn without_confidence(mut reading: Value) -> Value {
    if let Some(members) = reading.as_object_mut() {
        members.remove("confidence");
    }
    if let Some(further) = reading.get_mut("also").and_then(Value::as_array_mut) {
        further.iter_mut().for_each(|request| *request = without_confidence(request.take()));
    }
    reading
}

fn understood(half: &str, further: &[&str]) -> Understood {
    let church = ChurchWords::demo();
    let (mut intents, mut frames) = (Confusion::default(), Confusion::default());
    for line in lines("staff", half) {
        let now: Timestamp = text(&line, "now").parse().expect("an instant");
        let found = read(
            text(&line, "text"),
            &now.to_zoned(church.zone.clone()),
            &church,
            Intents::builtin(),
        );
        let found = without_confidence(serde_json::to_value(found).expect("JSON"));
        intents.add(text(&line, "text"), text(&line, "intent"), text(&found, "intent"));
        let slots = SLOTS.iter().chain(further).copied();
        let wrong: Vec<&str> = slots.filter(|slot| found.get(*slot) != line.get(*slot)).collect();
        frames.add(&shown(&line, &found), "", &wrong.join(" "));
    }
    Understood { intents, frames }
}

fn shown(wanted: &Value, found: &Value) -> String {
    format!("{}: {found}", text(wanted, "text"))
}

#[test]
fn texts_of_staff_are_understood() {
    let none: &[&str] = &[];
    for (half, with_texts, further) in [("seen", true, &FURTHER[..]), ("held", false, none)] {
        let Understood { intents, frames } = understood(half, further);
        intents.print(&format!("intents of staff, {half}"), with_texts);
        frames.print(&format!("whole readings, {half}"), with_texts);
        assert!(intents.share() >= INTENTS_AT_LEAST && frames.share() >= FRAMES_AT_LEAST);
    }
}
