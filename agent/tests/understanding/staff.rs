//! Texts of staff.

use abide_agent::church::ChurchWords;
use abide_agent::staff::read;
use jiff::Timestamp;
use serde_json::Value;

use super::confusion::Confusion;
use super::{lines, text};

/// The members of a reading that are compared.
const SLOTS: [&str; 9] =
    ["intent", "of", "role", "count", "delta", "time", "date", "targets", "missing"];
/// The least share of intents and of whole readings that must be understood.
const INTENTS_AT_LEAST: f64 = 0.80;
const FRAMES_AT_LEAST: f64 = 0.70;

/// What was understood of one half: the intents, and the whole readings.
struct Understood {
    intents: Confusion,
    frames: Confusion,
}

fn understood(half: &str) -> Understood {
    let church = ChurchWords::demo();
    let (mut intents, mut frames) = (Confusion::default(), Confusion::default());
    for line in lines("staff", half) {
        let now: Timestamp = text(&line, "now").parse().expect("an instant");
        let found = read(text(&line, "text"), &now.to_zoned(church.zone.clone()), &church);
        let found = serde_json::to_value(found).expect("JSON");
        intents.add(text(&line, "text"), text(&line, "intent"), text(&found, "intent"));
        let wrong: Vec<&str> =
            SLOTS.into_iter().filter(|slot| found.get(*slot) != line.get(*slot)).collect();
        frames.add(&shown(&line, &found), "", &wrong.join(" "));
    }
    Understood { intents, frames }
}

fn shown(wanted: &Value, found: &Value) -> String {
    format!("{}: {found}", text(wanted, "text"))
}

#[test]
fn texts_of_staff_are_understood() {
    for (half, with_texts) in [("seen", true), ("held", false)] {
        let Understood { intents, frames } = understood(half);
        intents.print(&format!("intents of staff, {half}"), with_texts);
        frames.print(&format!("whole readings, {half}"), with_texts);
        assert!(intents.share() >= INTENTS_AT_LEAST && frames.share() >= FRAMES_AT_LEAST);
    }
}
