use jiff::Zoned;

use super::*;
use crate::church::ChurchWords;
use crate::staff::{StaffText, read};

const CLEAN: &str = "\
intent: deep_clean
risk: T2
description: Get a room cleaned
method: cleaning
slots:
  room:
    values: { kitchen: [galley], fellowship_hall: [hall] }
    ask: Which room is it?
  date: required
  budget: { type: money, required: false }
examples:
- get the kitchen cleaned on Friday
- the hall needs a proper clean before Saturday
- please have someone scrub the kitchen tomorrow
- book the cleaners for the hall on Monday
- the kitchen is filthy, send in the cleaning crew
- can you arrange a deep clean of the hall
";

fn now() -> Zoned {
    let now: jiff::Timestamp = "2025-09-30T14:20:00-05:00".parse().expect("an instant");
    now.to_zoned(ChurchWords::demo().zone)
}

fn load(name: &str, text: &str) -> (Intents, Vec<Diagnostic>) {
    Intents::load(&BTreeMap::from([(name.to_owned(), text.to_owned())]), &|method| {
        method == "cleaning"
    })
}

fn home() -> Intents {
    let (intents, findings) = load("deep_clean.yaml", CLEAN);
    assert_eq!(findings, []);
    intents
}

#[test]
fn texts_nobody_has_seen_mean_the_intent_of_a_home() {
    let (home, church) = (home(), ChurchWords::demo());
    let reading = |text: &str| -> StaffText { read(text, &now(), &church, &home) };
    let friday = reading("could you get the cleaners into the galley on friday? no more than $250");
    let own = friday.own.clone().expect("an intent of the home");
    assert_eq!((friday.intent, own.intent.as_str()), (StaffIntent::Own, "deep_clean"));
    let slots = serde_json::json!(own.slots);
    let named = serde_json::json!({"room": "kitchen", "date": "2025-10-03", "budget": 250});
    assert_eq!(slots, named);

    let open = reading("we should have the fellowship hall cleaned");
    assert_eq!((open.intent, open.of), (StaffIntent::Clarify, Some(StaffIntent::Own)));
    assert_eq!(open.missing, ["date"]);
}

#[test]
fn the_intents_of_the_program_are_read_as_before() {
    let (home, church) = (home(), ChurchWords::demo());
    let cases = [
        ("we need 5 people for nursery on sunday at 9", StaffIntent::FillRole),
        ("how are we doing for sunday", StaffIntent::Status),
        ("cancel the ushers on wednesday", StaffIntent::CancelEvent),
        ("happy birthday!", StaffIntent::Unrelated),
        ("who is on the kitchen team", StaffIntent::List),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text, &now(), &church, &home).intent, expected, "{text}");
    }
}

#[test]
fn a_home_teaches_an_intent_of_the_program_more_wordings() {
    let file = "intent: status\nexamples:\n- wie siehts aus\n- lagebericht bitte\n";
    let (home, findings) = load("status.yaml", file);
    assert_eq!(findings, []);
    assert!(!home.is_builtin());
    let reading = read("lagebericht", &now(), &ChurchWords::demo(), &home);
    assert_eq!(reading.intent, StaffIntent::Status);
}

#[test]
fn the_words_of_a_slot_are_those_that_are_meant() {
    let file = "\
intent: announce
slots: { text: required, phone: optional, count: optional }
examples: [announce it]
";
    let (home, findings) = load("announce.yaml", file);
    assert_eq!(findings, []);
    let intent = home.own("announce").expect("an intent");
    assert_eq!((intent.kind.as_str(), intent.description.as_str()), ("Announce", "announce"));
    let cases = [
        ("announce \"potluck at 6\" please", serde_json::json!({"text": "potluck at 6"})),
        ("announce: potluck moved", serde_json::json!({"text": "potluck moved"})),
        (
            "call 2 helpers on (512) 555-0142: now",
            serde_json::json!({"text": "now", "phone": "(512) 555-0142", "count": 2}),
        ),
    ];
    for (text, expected) in cases {
        let named = intent.named(text, &now(), &ChurchWords::demo());
        assert_eq!(serde_json::json!(named), expected, "{text}");
    }
}

#[test]
fn each_fault_of_a_file_is_found_at_its_place() {
    let cases = [
        ("examples: [a]", "missing-key"),
        ("intent: Deep Clean\nexamples: [a]", "wrong-value"),
        ("intent: a", "missing-key"),
        ("intent: a\nexamples: []", "missing-key"),
        ("intent: a\nexamples: [1]", "wrong-type"),
        ("intent: a\nexamples: [b]\nslot: {}", "unknown-key"),
        ("intent: a\nexamples: [b]\nrisk: T7", "wrong-value"),
        ("intent: a\nexamples: [b]\nslots: {kind: required}", "wrong-value"),
        ("intent: a\nexamples: [b]\nslots: {room: maybe}", "wrong-value"),
        ("intent: a\nexamples: [b]\nslots: {room: {type: colour}}", "wrong-value"),
        ("intent: a\nexamples: [b]\nslots: {room: {type: choice}}", "missing-key"),
        ("intent: a\nexamples: [b]\nmethod: nothing", "unknown-method"),
        ("label: accept\nexamples: {any: [b]}", "wrong-value"),
    ];
    for (file, code) in cases {
        let (intents, findings) = load("a.yaml", file);
        let codes: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [code], "{file}");
        assert!(intents.is_builtin(), "{file}");
    }
}
