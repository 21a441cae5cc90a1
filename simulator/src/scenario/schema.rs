//! The JSON Schema of scenario files, for editors, built from the keys that the reader knows.
//!
//! It covers keys and the types of values. [`super::read`] also checks names of people and runs.

use abide_verbs::api::people::PERSON_FIELDS;
use serde_json::{Map, Value, json};

use super::expect::{CLAIMS, OUTCOMES, RECEIPT_STATES, REQUEST_STATES, STATES};
use super::step::{CALLBACKS, POINTS, VERBS};

/// Builds the schema (JSON Schema draft 2020-12).
#[must_use]
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scenario of abide",
        "type": "object",
        "required": ["scenario", "start", "steps"],
        "additionalProperties": false,
        "properties": {
            "scenario": text("The scenario's name."),
            "description": text("One sentence for people."),
            "start": text("Virtual time at which the simulation starts, RFC 3339 with an offset."),
            "time_zone": text("The tenant's time zone, an IANA name."),
            "seed": { "type": "integer", "minimum": 0, "description": "Seed of ids and chance." },
            "people": people(),
            "config": { "type": "object", "description": "Settings that differ from the defaults." },
            "steps": { "type": "array", "items": { "$ref": "#/$defs/step" }, "description": "What happens." },
            "expect": { "type": "array", "items": { "$ref": "#/$defs/expectation" }, "description": "What must be true." },
        },
        "$defs": {
            "text": { "type": ["string", "number", "boolean"] },
            "person": person(),
            "step": one_of(step(), &["at"], VERBS),
            "expectation": one_of(expectation(), &["at", "run"], CLAIMS),
        },
    })
}

fn text(description: &str) -> Value {
    json!({ "type": ["string", "number", "boolean"], "description": description })
}

/// Accepts a text, also one that YAML reads as a number or a boolean.
fn plain() -> Value {
    json!({ "$ref": "#/$defs/text" })
}

fn word(words: &[&str]) -> Value {
    json!({ "enum": words })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

/// Accepts a mapping with only these members, and also null if none is required.
fn mapping(required: &[&str], members: &[(&str, Value)]) -> Value {
    let properties: Map<String, Value> =
        members.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    let kind = if required.is_empty() { json!(["object", "null"]) } else { json!("object") };
    json!({
        "type": kind, "properties": properties, "required": required, "additionalProperties": false,
    })
}

fn person() -> Value {
    let members = PERSON_FIELDS.map(|name| (name, json!({})));
    mapping(&["name", "phone"], &members)
}

fn people() -> Value {
    let list = json!({ "type": "array", "items": { "$ref": "#/$defs/person" } });
    let many = [("count", count()), ("roles", json!({ "type": "array", "items": plain() }))];
    let demo = [
        ("demo", word(&["church", "trade"])),
        ("also", list.clone()),
        ("many", mapping(&["count"], &many)),
    ];
    json!({ "description": "The directory of people.", "oneOf": [list, mapping(&[], &demo)] })
}

/// Accepts a mapping with exactly one of `choices`; the members `beside` are optional.
fn one_of(members: Vec<(&'static str, Value)>, beside: &[&str], choices: &[&str]) -> Value {
    let members: Vec<(&str, Value)> =
        beside.iter().map(|name| (*name, plain())).chain(members).collect();
    let mut schema = mapping(&[], &members);
    schema["type"] = json!("object");
    schema["oneOf"] = choices.iter().map(|choice| json!({ "required": [choice] })).collect();
    schema
}

fn step() -> Vec<(&'static str, Value)> {
    let said = |from: Value| {
        let members = [
            ("from", from),
            ("body", plain()),
            ("id", plain()),
            ("received_at", plain()),
            ("as", plain()),
        ];
        mapping(&["from", "body"], &members)
    };
    let several =
        json!({ "anyOf": [plain(), { "type": "array", "items": plain(), "minItems": 1 }] });
    let of_a_run = || mapping(&[], &[("run", plain())]);
    let by = || mapping(&["by"], &[("by", plain())]);
    let points: Vec<&str> = POINTS.iter().map(|(name, _)| *name).collect();
    let crash = [
        ("at", word(&points)),
        ("nth", json!({ "type": "integer", "minimum": 1 })),
        ("down", plain()),
    ];
    let start = [
        ("method", plain()),
        ("goal", json!({})),
        ("vars", json!({ "type": "object" })),
        ("dry_run", json!({ "type": "boolean" })),
        ("as", plain()),
    ];
    let signal = [("run", plain()), ("name", plain()), ("data", json!({})), ("key", plain())];
    let status =
        [("to", plain()), ("template", plain()), ("code", plain()), ("state", word(CALLBACKS))];
    let publish = mapping(&[], &[("file", plain()), ("yaml", plain())]);
    vec![
        ("text", said(plain())),
        ("reply", said(several)),
        ("start", mapping(&["method", "goal"], &start)),
        ("signal", mapping(&["name"], &signal)),
        ("cancel", of_a_run()),
        ("approve", by()),
        ("deny", by()),
        ("status", mapping(&["to", "template"], &status)),
        ("pause", of_a_run()),
        ("resume", of_a_run()),
        ("crash", mapping(&["at"], &crash)),
        ("clock", mapping(&["by"], &[("by", plain())])),
        ("config", json!({ "type": "object" })),
        ("capacity", mapping(&["key", "total"], &[("key", plain()), ("total", count())])),
        ("publish", publish),
        ("advance", plain()),
    ]
}

fn expectation() -> Vec<(&'static str, Value)> {
    let states = STATES.iter().map(|state| (*state, count())).collect::<Vec<_>>();
    let counts = json!({
        "type": "object", "minProperties": 1, "additionalProperties": mapping(&[], &states),
    });
    let messages =
        [("to", plain()), ("template", plain()), ("contains", plain()), ("times", count())];
    let receipts = [("tool", plain()), ("status", word(RECEIPT_STATES)), ("times", count())];
    let holds = [("person", plain()), ("role", plain()), ("state", word(STATES))];
    vec![
        ("counts", counts),
        ("messages", mapping(&["times"], &messages)),
        ("outcome", word(OUTCOMES)),
        ("request_status", word(REQUEST_STATES)),
        ("receipts", mapping(&["tool", "times"], &receipts)),
        ("holds", mapping(&["person", "role"], &holds)),
        ("stuck", json!({ "anyOf": [count(), { "type": "boolean" }, { "const": "none" }] })),
        ("audit", word(&["clean"])),
    ]
}
