//! The JSON Schema of a method file, for editors, generated from the keys that the parser knows.
//!
//! The schema describes the keys, their values and their meaning.
//! Rules that depend on the contracts, the templates or the whole method are left to the checker.

use serde_json::{Map, Value, json};

use super::parse::keys::{self, Keys};
use super::retry::Backoff;
use crate::base::limits;

/// Returns the JSON Schema (draft 2020-12) of a method file.
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

/// Returns the schema of a mapping that may have exactly the keys of `keys`.
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

/// Returns the schema of a step, which has exactly one of the keys that name an action.
fn step() -> Value {
    let mut step = mapping(&keys::STEP, &[]);
    let actions = keys::ACTIONS.iter().map(|action| json!({ "required": [action] }));
    step.insert("oneOf".into(), actions.collect());
    let mut belongs = Map::new();
    for key in keys::OF_A_CALL {
        belongs.insert((*key).to_owned(), json!(["call"]));
    }
    belongs.insert("join".into(), json!(["parallel"]));
    belongs.insert("concurrency".into(), json!(["foreach"]));
    step.insert("dependentRequired".into(), Value::Object(belongs));
    Value::Object(step)
}

/// Returns the schema of the value of a key, with the description of the key.
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

/// Describes the top-level keys of the file.
fn of_the_whole(key: &str) -> Described {
    Some(match key {
        "method" => ("Name of the method.", refer("name")),
        "description" => ("Purpose of the method, in one sentence.", json!({ "type": "string" })),
        "applicable_if" => {
            ("Condition that a goal must meet for the method to apply.", refer("condition"))
        }
        "inputs" => {
            ("JSON Schema of `goal`, checked when a run starts.", json!({ "type": "object" }))
        }
        "success_when" => (
            "Conditions that must all hold for the run to succeed; otherwise fallbacks are tried.",
            json!({ "anyOf": [refer("condition"), { "type": "array", "items": refer("condition") }] }),
        ),
        "fallbacks" => (
            "Fallbacks, tried in order while `success_when` does not hold.",
            json!({ "type": "array", "items": mapping(&keys::FALLBACK, &["if", "then"]) }),
        ),
        "on_cancel" => (
            "Steps executed when the run is cancelled, after everything else has stopped.",
            refer("steps"),
        ),
        _ => return None,
    })
}

/// Describes the keys of the mappings inside a step, and the keys of a fallback.
fn inside(keys: &Keys, key: &str) -> Described {
    Some(match (keys.what, key) {
        (_, "if") => ("Condition under which the steps are executed.", refer("condition")),
        (_, "then") => ("Steps executed if the condition holds.", refer("steps")),
        (_, "else") => ("Steps executed if no earlier case holds.", refer("steps")),
        (what, "until") if what == keys::AWAIT.what => (
            "Instant at which the wait ends: an expression, or a time with an offset.",
            json!({ "type": "string", "pattern": r"\{\{|^[0-9]{4}-" }),
        ),
        (_, "at_most") => ("Longest time to wait, if the end depends on data.", refer("duration")),
        (_, "until") => {
            ("Condition that ends the loop, evaluated after each round.", refer("condition"))
        }
        (_, "signal") => ("Name of the signal.", refer("label")),
        (_, "max_duration") => {
            ("Maximum time from start to end, including waits.", refer("duration"))
        }
        (_, "max_messages") => {
            ("Maximum number of messages to people.", count(limits::METHOD_MESSAGES_MAX))
        }
        (_, "max_tool_calls") => {
            ("Maximum number of calls of tools.", count(limits::METHOD_CALLS_MAX))
        }
        (_, "attempts") => {
            ("Maximum number of attempts, including the first.", count(limits::ATTEMPTS_MAX.into()))
        }
        (_, "backoff") => (
            "How the pauses between attempts grow.",
            json!({ "enum": [Backoff::Fixed, Backoff::Exponential] }),
        ),
        (_, "first") => ("Pause before the second attempt.", refer("duration")),
        (_, "on") => (
            "Failures that are retried: `transient`, or problem codes.",
            json!({ "type": "array", "items": { "type": "string" } }),
        ),
        (what, "max") if what == keys::REPEAT.what => {
            ("Maximum number of rounds.", count(limits::REPEAT_ROUNDS_MAX.into()))
        }
        (_, "max") => ("Maximum pause.", refer("duration")),
        _ => return None,
    })
}

/// Describes the keys of a call.
fn of_a_call(key: &str) -> Described {
    Some(match key {
        "call" => ("Name of a verb, or of another method.", json!({ "type": "string" })),
        "args" => ("Arguments of the verb; `{{…}}` is an expression.", json!({ "type": "object" })),
        "with" => (
            "Goal and variables of the called method.",
            json!({ "type": "object", "properties": { "goal": {}, "vars": {} }, "additionalProperties": false }),
        ),
        "out" => ("Variable that the result is bound to.", refer("variable")),
        "retry" => ("When and how often a failed call is retried.", refer("retry")),
        "timeout" => ("Maximum duration of the call or the wait.", refer("duration")),
        "occasion" => ("Distinguishes this message from an earlier one.", refer("label")),
        "compensate" => (
            "Call that undoes this one if the run fails or is cancelled later.",
            Value::Object(mapping(&keys::COMPENSATE, &["call"])),
        ),
        _ => return None,
    })
}

/// Describes the keys that every step may have, and the keys that name an action.
fn of_a_step(key: &str) -> Described {
    Some(match key {
        "id" => ("Id of the step; by default the name of what it does.", refer("label")),
        "when" => ("Condition that must hold, otherwise the step is skipped.", refer("condition")),
        "foreach" => (
            "Repeats the step for each item of a list: `person in accepted`.",
            json!({ "type": "string" }),
        ),
        "concurrency" => {
            ("Number of items processed at a time.", count(limits::CONCURRENCY_MAX.into()))
        }
        "set" => ("Assigns variables, in order.", json!({ "type": "object" })),
        "await" => (
            "Waits for a signal, for the first of several signals, or for time to pass.",
            json!({ "anyOf": [refer("awaited"), { "type": "array", "items": refer("awaited") }] }),
        ),
        "switch" => (
            "Executes the first case whose condition holds.",
            json!({ "type": "array", "items": case() }),
        ),
        "repeat" => {
            ("Repeats its steps.", Value::Object(mapping(&keys::REPEAT, &["max", "steps"])))
        }
        "parallel" => (
            "Executes branches concurrently, each a list of steps.",
            json!({ "type": "array", "maxItems": limits::BRANCHES_MAX, "items": refer("steps") }),
        ),
        "join" => (
            "Number of branches that must complete.",
            json!({ "anyOf": [{ "enum": ["all", "any"] }, count(limits::BRANCHES_MAX as u64)] }),
        ),
        "steps" => ("Steps executed one after another.", refer("steps")),
        "limits" => {
            ("Limits on duration and messages, including everything inside.", refer("limits"))
        }
        "on_error" => (
            "Steps executed when the step has failed permanently; the run then continues.",
            refer("steps"),
        ),
        _ => return None,
    })
}

/// Returns the schema of a case: `if` with `then`, or `else` alone.
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
            "{ await: { signal: a, until: 3h, at_most: 4h } }",
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
