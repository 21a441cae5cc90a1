//! Builds the JSON Schema of scenario files, for editors, from the keys that the reader knows.
//!
//! The schema covers keys and the types of values. It cannot cover
//! the names of people and runs, which only [`super::read`] checks.

use abide_verbs::api::people::PERSON_FIELDS;
use serde_json::{Map, Value, json};

use super::words::{
    ASSIGNMENT_STATES, AUDITS, CRASH_POINTS, DELIVERY_STATES, DEMOS, GOAL_TYPES, OPERATOR_MODES,
    OUTCOMES, PUBLISH_KEYS, RECEIPT_STATUSES, REQUEST_STATUSES, SHADOW, Words,
};
use super::{ExpectationKind, StepKind, expect, step};

/// Builds the JSON Schema (draft 2020-12) of scenario files.
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
            "step": one_of(&step::COMMON_KEYS, steps()),
            "expectation": one_of(&expect::COMMON_KEYS, expectations()),
        },
    })
}

fn text(description: &str) -> Value {
    json!({ "type": ["string", "number", "boolean"], "description": description })
}

/// Returns a schema that accepts a string,
/// and the number or boolean that YAML reads from an unquoted string.
fn plain() -> Value {
    json!({ "$ref": "#/$defs/text" })
}

fn word<T: Copy>(words: &Words<T>) -> Value {
    json!({ "enum": words.texts() })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

/// Returns a schema that accepts a mapping with only these members.
/// The schema also accepts null if no member is required.
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
    let demo =
        [("demo", word(&DEMOS)), ("also", list.clone()), ("many", mapping(&["count"], &many))];
    json!({ "description": "The directory of people.", "oneOf": [list, mapping(&[], &demo)] })
}

/// A member that a mapping can have. [`one_of`] gets several of
/// these members; the mapping must have exactly one of them.
struct Choice {
    key: &'static str,
    about: &'static str,
    schema: Value,
}

/// Returns a schema that accepts a mapping with exactly one of the members in `choices`.
/// The mapping may also have the members in `common`.
fn one_of(common: &[&'static str], choices: Vec<Choice>) -> Value {
    let keys: Vec<&str> = choices.iter().map(|choice| choice.key).collect();
    let members = choices.into_iter().map(|Choice { key, about, mut schema }| {
        schema["description"] = json!(about);
        (key, schema)
    });
    let members: Vec<(&str, Value)> =
        common.iter().map(|name| (*name, plain())).chain(members).collect();
    let mut schema = mapping(&[], &members);
    schema["type"] = json!("object");
    schema["oneOf"] = keys.iter().map(|key| json!({ "required": [key] })).collect();
    schema
}

fn steps() -> Vec<Choice> {
    let choice =
        |kind: &StepKind| Choice { key: kind.as_str(), about: kind.about(), schema: step(*kind) };
    StepKind::ALL.iter().map(choice).collect()
}

fn step(kind: StepKind) -> Value {
    match kind {
        StepKind::Text => written(plain()),
        StepKind::Reply => {
            let list = json!({ "type": "array", "items": plain(), "minItems": 1 });
            written(json!({ "anyOf": [plain(), list] }))
        }
        StepKind::Start => mapping(
            &["method", "goal"],
            &[
                ("method", plain()),
                ("goal", json!({})),
                ("vars", json!({ "type": "object" })),
                ("dry_run", json!({ "type": "boolean" })),
                ("as", plain()),
            ],
        ),
        StepKind::Signal => mapping(
            &["name"],
            &[("run", plain()), ("name", plain()), ("data", json!({})), ("key", plain())],
        ),
        StepKind::Cancel | StepKind::Pause | StepKind::Resume => mapping(&[], &[("run", plain())]),
        StepKind::Approve | StepKind::Deny | StepKind::Clock => {
            mapping(&["by"], &[("by", plain())])
        }
        StepKind::Roles => {
            let roles = json!({ "type": "array", "items": plain() });
            mapping(&["of", "are"], &[("of", plain()), ("are", roles)])
        }
        StepKind::Status => mapping(
            &["to", "template"],
            &[
                ("to", plain()),
                ("template", plain()),
                ("code", plain()),
                ("state", word(&DELIVERY_STATES)),
            ],
        ),
        StepKind::Crash => mapping(
            &["at"],
            &[
                ("at", word(&CRASH_POINTS)),
                ("nth", json!({ "type": "integer", "minimum": 1 })),
                ("down", plain()),
            ],
        ),
        StepKind::Config => json!({ "type": "object" }),
        StepKind::Capacity => mapping(&["key", "total"], &[("key", plain()), ("total", count())]),
        StepKind::Operator => operator(),
        StepKind::Ask => ask(),
        StepKind::Publish => {
            let texts = PUBLISH_KEYS.texts().into_iter().map(|key| (key, plain()));
            let shadow = (SHADOW, json!({ "type": "boolean" }));
            let keys: Vec<_> = texts.chain([shadow]).collect();
            mapping(&[], &keys)
        }
        StepKind::Advance => plain(),
    }
}

fn operator() -> Value {
    let members = [
        ("from", plain()),
        ("message", plain()),
        ("mode", word(&OPERATOR_MODES)),
        ("explicit_approval", json!({ "type": "boolean" })),
        ("context", json!({ "type": "object" })),
        ("session", plain()),
        ("key", plain()),
        ("node", node()),
        ("as", plain()),
    ];
    mapping(&["from", "message"], &members)
}

fn ask() -> Value {
    let members = [
        ("from", plain()),
        ("text", plain()),
        ("session", plain()),
        ("key", plain()),
        ("node", node()),
    ];
    mapping(&["from", "text"], &members)
}

fn node() -> Value {
    json!({ "type": "integer", "minimum": 1 })
}

/// Returns the schema of a `text` or `reply` step. `from` is the schema of its member `from`.
fn written(from: Value) -> Value {
    let members = [
        ("from", from),
        ("body", plain()),
        ("id", plain()),
        ("received_at", plain()),
        ("as", plain()),
    ];
    mapping(&["from", "body"], &members)
}

fn expectations() -> Vec<Choice> {
    let choice = |kind: &ExpectationKind| Choice {
        key: kind.as_str(),
        about: kind.about(),
        schema: expectation(*kind),
    };
    ExpectationKind::ALL.iter().map(choice).collect()
}

fn expectation(kind: ExpectationKind) -> Value {
    match kind {
        ExpectationKind::Counts => {
            let states: Vec<_> =
                ASSIGNMENT_STATES.texts().into_iter().map(|state| (state, count())).collect();
            json!({
                "type": "object",
                "minProperties": 1,
                "additionalProperties": mapping(&[], &states),
            })
        }
        ExpectationKind::Messages | ExpectationKind::WouldSend => mapping(
            &["times"],
            &[("to", plain()), ("template", plain()), ("contains", plain()), ("times", count())],
        ),
        ExpectationKind::Outcome => word(&OUTCOMES),
        ExpectationKind::RequestStatus => word(&REQUEST_STATUSES),
        ExpectationKind::Receipts => mapping(
            &["tool", "times"],
            &[
                ("tool", plain()),
                ("status", word(&RECEIPT_STATUSES)),
                ("idempotency_hit", json!({ "type": "boolean" })),
                ("times", count()),
            ],
        ),
        ExpectationKind::Holds => mapping(
            &["person", "role"],
            &[("person", plain()), ("role", plain()), ("state", word(&ASSIGNMENT_STATES))],
        ),
        ExpectationKind::Answers => mapping(
            &["times"],
            &[
                ("to", plain()),
                ("contains", plain()),
                ("verified", json!({ "type": "boolean" })),
                ("times", count()),
            ],
        ),
        ExpectationKind::Goals => {
            let are = json!({ "type": "array", "items": word(&GOAL_TYPES) });
            mapping(&["of", "are"], &[("of", plain()), ("session", plain()), ("are", are)])
        }
        ExpectationKind::Stuck => {
            json!({ "anyOf": [count(), { "type": "boolean" }, { "const": "none" }] })
        }
        ExpectationKind::Audit => word(&AUDITS),
    }
}
