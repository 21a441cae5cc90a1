//! The JSON Schema of a method file, for editors: made from the keys that the parser knows.
//!
//! It says which keys there are, what each takes and what it means. What needs the contracts, the
//! templates or the whole method is the checker's.

use serde_json::{Map, Value, json};

use super::parse::keys::{self, Keys};
use super::retry::Backoff;
use crate::base::limits;

/// The schema, draft 2020-12.
#[must_use]
pub fn schema() -> Value {
    let mut root = mapping(&keys::METHOD, &["method", "steps"]);
    root.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("title".into(), json!("A method of abide"));
    root.insert(
        "$defs".into(),
        json!({
            "steps": { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/step" } },
            "step": step(),
            "condition": { "type": ["string", "boolean"] },
            "duration": { "type": "string", "minLength": 2, "examples": ["30s", "6h", "2days 3h"] },
            "variable": { "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "maxLength": 60 },
            "label": { "type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]*$", "maxLength": 60 },
            "name": { "type": "string", "pattern": "^[a-z][a-z0-9_]*$", "maxLength": 60 },
            "limits": mapping(&keys::LIMITS, &[]),
            "retry": mapping(&keys::RETRY, &[]),
            "awaited": mapping(&keys::AWAIT, &[]),
        }),
    );
    Value::Object(root)
}

/// A mapping with these keys and no others.
fn mapping(keys: &Keys, required: &[&str]) -> Map<String, Value> {
    let properties: Map<String, Value> =
        keys.known.iter().map(|key| ((*key).to_owned(), described(keys, key))).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), Value::Object(properties));
    schema.insert("required".into(), json!(required));
    schema.insert("additionalProperties".into(), json!(false));
    schema
}

/// A step does one thing: it has one of the keys that say what.
fn step() -> Value {
    let mut step = mapping(&keys::STEP, &[]);
    let acts = keys::ACTS.iter().map(|act| json!({ "required": [act] }));
    step.insert("oneOf".into(), acts.collect());
    let mut belongs = Map::new();
    for key in keys::OF_A_CALL {
        belongs.insert((*key).to_owned(), json!(["call"]));
    }
    belongs.insert("join".into(), json!(["parallel"]));
    belongs.insert("concurrency".into(), json!(["foreach"]));
    step.insert("dependentRequired".into(), Value::Object(belongs));
    Value::Object(step)
}

/// What one key takes, and what it is for.
fn described(keys: &Keys, key: &str) -> Value {
    let (doc, value) = of_the_whole(key)
        .filter(|_| keys.what == keys::METHOD.what)
        .or_else(|| inside(keys, key))
        .or_else(|| of_a_call(key))
        .or_else(|| of_a_step(key))
        .unwrap_or_default();
    let mut schema = value;
    if let Some(members) = schema.as_object_mut() {
        members.insert("description".into(), json!(doc));
    }
    schema
}

type Described = Option<(&'static str, Value)>;

fn refer(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn count(max: u64) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": max })
}

/// The keys at the top of the file.
fn of_the_whole(key: &str) -> Described {
    Some(match key {
        "method" => ("The method's name.", refer("name")),
        "description" => ("What it is for, in one sentence.", json!({ "type": "string" })),
        "applicable_if" => ("The goals it is for.", refer("condition")),
        "inputs" => ("A JSON Schema of `goal`, checked at the start.", json!({ "type": "object" })),
        "success_when" => (
            "All of them hold when the steps are done: `succeeded`, else the fallbacks.",
            json!({ "anyOf": [refer("condition"), { "type": "array", "items": refer("condition") }] }),
        ),
        "fallbacks" => (
            "Tried in order while `success_when` does not hold.",
            json!({ "type": "array", "items": mapping(&keys::FALLBACK, &["if", "then"]) }),
        ),
        "on_cancel" => ("Done when the run is cancelled, after all else.", refer("steps")),
        _ => return None,
    })
}

/// The keys of mappings inside a step.
fn inside(keys: &Keys, key: &str) -> Described {
    Some(match (keys.what, key) {
        (_, "if") => ("Done if this holds.", refer("condition")),
        (_, "then") => ("What is done then.", refer("steps")),
        (_, "else") => ("Done where no case before it held.", refer("steps")),
        (_, "until") => ("Looked at after each round.", refer("condition")),
        (_, "signal") => ("The name of the message.", refer("label")),
        (_, "max_duration") => ("From its start to its end.", refer("duration")),
        (_, "max_messages") => ("Messages to people.", count(limits::METHOD_MESSAGES_MAX)),
        (_, "attempts") => ("Tries in all.", count(limits::ATTEMPTS_MAX.into())),
        (_, "backoff") => {
            ("How pauses grow.", json!({ "enum": [Backoff::Fixed, Backoff::Exponential] }))
        }
        (_, "first") => ("The first pause.", refer("duration")),
        (_, "on") => (
            "`transient`, or codes of problems.",
            json!({ "type": "array", "items": { "type": "string" } }),
        ),
        (what, "max") if what == keys::REPEAT.what => {
            ("Rounds at most.", count(limits::REPEAT_ROUNDS_MAX.into()))
        }
        (_, "max") => ("The longest pause.", refer("duration")),
        _ => return None,
    })
}

/// The keys of a call.
fn of_a_call(key: &str) -> Described {
    Some(match key {
        "call" => ("A verb, or another method.", json!({ "type": "string" })),
        "args" => ("What the verb takes; `{{…}}` is an expression.", json!({ "type": "object" })),
        "with" => (
            "What a method begins with.",
            json!({ "type": "object", "properties": { "goal": {}, "vars": {} }, "additionalProperties": false }),
        ),
        "out" => ("The variable that takes the result.", refer("variable")),
        "retry" => ("How a failed call is tried again.", refer("retry")),
        "timeout" => ("How long it may take.", refer("duration")),
        "occasion" => ("Tells this message from an earlier one.", refer("label")),
        "compensate" => (
            "Undoes the call when the run fails or is cancelled later.",
            Value::Object(mapping(&keys::COMPENSATE, &["call"])),
        ),
        _ => return None,
    })
}

/// The keys that every step may have, and those that say what it does.
fn of_a_step(key: &str) -> Described {
    Some(match key {
        "id" => ("Its name; what it does otherwise.", refer("label")),
        "when" => ("Skipped unless this holds.", refer("condition")),
        "foreach" => ("`person in accepted`: once for each item.", json!({ "type": "string" })),
        "concurrency" => ("So many items at a time.", count(limits::CONCURRENCY_MAX.into())),
        "set" => ("Variables and their values, in order.", json!({ "type": "object" })),
        "await" => (
            "Waits for a signal, the first of several, or time.",
            json!({ "anyOf": [refer("awaited"), { "type": "array", "items": refer("awaited") }] }),
        ),
        "switch" => {
            ("Does the first case that holds.", json!({ "type": "array", "items": case() }))
        }
        "repeat" => (
            "Does its steps again and again.",
            Value::Object(mapping(&keys::REPEAT, &["max", "steps"])),
        ),
        "parallel" => (
            "Branches side by side, each a list of steps.",
            json!({ "type": "array", "maxItems": limits::BRANCHES_MAX, "items": refer("steps") }),
        ),
        "join" => (
            "How many branches must come to a good end.",
            json!({ "anyOf": [{ "enum": ["all", "any"] }, count(limits::BRANCHES_MAX as u64)] }),
        ),
        "steps" => ("Done one after another.", refer("steps")),
        "limits" => ("What may be used up, waits included.", refer("limits")),
        "on_error" => ("Done when it has failed for good; the run goes on.", refer("steps")),
        _ => return None,
    })
}

/// `if` with `then`, or `else` alone.
fn case() -> Value {
    let mut case = mapping(&keys::CASE, &[]);
    case.insert(
        "oneOf".into(),
        json!([{ "required": ["if", "then"] }, { "required": ["else"], "maxProperties": 1 }]),
    );
    Value::Object(case)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Schema;
    use crate::diagnostic::Source;
    use crate::yaml;

    fn check(text: &str) -> Result<(), String> {
        let root = yaml::read(&Source::new("m.yaml", text)).0.expect("YAML");
        Schema::compile(schema()).expect("a schema").check(&root.to_value())
    }

    #[test]
    fn every_key_of_the_parser_is_described() {
        let all = [
            &keys::METHOD,
            &keys::STEP,
            &keys::CASE,
            &keys::REPEAT,
            &keys::AWAIT,
            &keys::COMPENSATE,
            &keys::FALLBACK,
            &keys::LIMITS,
            &keys::RETRY,
        ];
        for keys in all {
            for key in keys.known {
                let doc = described(keys, key)["description"].clone();
                assert!(doc.as_str().is_some_and(|doc| !doc.is_empty()), "{}: {key}", keys.what);
            }
        }
    }

    #[test]
    fn what_the_parser_takes_is_taken_and_other_keys_are_not() {
        let method = |step: &str| check(&format!("method: m\nsteps:\n  - {step}\n"));
        let good = include_str!("cases/good/blocks.yaml");
        assert_eq!(check(good), Ok(()));
        assert_eq!(check(include_str!("cases/good/every_part.yaml")), Ok(()));
        assert_eq!(method("{ repeat: { max: 3, steps: [ { set: { a: 1 } } ] } }"), Ok(()));
        for step in [
            "{ cal: notify }",
            "{ call: notify, set: { a: 1 } }",
            "{ set: { a: 1 }, out: b }",
            "{ call: notify, concurrency: 3 }",
            "{ await: { signal: a, until: 3h } }",
            "{ repeat: { max: 3h, steps: [ { set: { a: 1 } } ] } }",
            "{ call: notify, retry: { max: 3 } }",
            "{ parallel: [ [ { set: { a: 1 } } ] ], join: some }",
            "{ switch: [ { if: a, else: [ { set: { a: 1 } } ] } ] }",
            "{ steps: [ ] }",
            "{ call: notify, args: { a: 1 }, compensate: { call: notify, foreach: a in b } }",
        ] {
            assert!(method(step).is_err(), "{step}");
        }
        assert!(check("method: m\nsteps: [ { set: { a: 1 } } ]\non_timeout: []\n").is_err());
    }
}
