//! The JSON Schema of a file of contracts, for editors.
//!
//! The schema describes the keys, their values and their meaning. Rules that depend on several keys, on the
//! built-in contracts or on the tables are left to the loader.

use serde_json::{Map, Value, json};

use super::data::DataAction;
use super::terms::{Idempotency, Risk};

/// Returns the JSON Schema (draft 2020-12) of a file of contracts.
#[must_use]
pub fn file_schema() -> Value {
    let tools = json!({
        "description": "The contracts, each under the name of its tool: the domain, a dot, and what it does.",
        "type": "object",
        "propertyNames": { "pattern": r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$", "maxLength": super::NAME_CHARS_MAX },
        "additionalProperties": { "$ref": "#/$defs/contract" },
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Contracts of tools of abide",
        "type": "object",
        "properties": {
            "belongs_to": described("Domain that a tenant must have to call those tools of the file that name none; not for a home.", text()),
            "risk": described("Risk of those tools of the file that state none.", risk()),
            "tools": tools,
            "verbs": { "description": "The older word for `tools`.", "$ref": "#/properties/tools" },
        },
        "anyOf": [{ "required": ["tools"] }, { "required": ["verbs"] }],
        "additionalProperties": false,
        "$defs": { "contract": contract(), "data": data(), "one_of": one_of() },
    })
}

/// Returns the schema of a contract. A home that tightens a built-in contract writes only what it changes,
/// so no key is required.
fn contract() -> Value {
    let mut keys = terms();
    keys.extend(promises());
    json!({ "type": "object", "properties": keys, "additionalProperties": false })
}

/// The keys that say what a call takes, does and returns.
fn terms() -> Map<String, Value> {
    let mode = json!({ "enum": with_former(Idempotency::ALL.iter().map(|mode| mode.as_str())) });
    let keyed = json!({
        "type": "object",
        "properties": {
            "mode": mode,
            "key_field": described("Input member whose value is the key of a call that gives none.", text()),
        },
        "required": ["mode"],
        "additionalProperties": false,
    });
    let schema = json!({ "type": "object" });
    let missing = json!({
        "type": "object",
        "properties": {
            "reason": described("What is missing, in one sentence.", text()),
            "required_env": described("Environment variables that the tool would need.", texts()),
            "next_steps": described("What a person can do about it.", texts()),
        },
        "required": ["reason"],
        "additionalProperties": false,
    });
    let version = json!({ "type": "integer", "minimum": 1 });
    let effect = json!({ "enum": ["pure", "read", "write", "wait", "external"] });
    let handler = json!({ "enum": ["code", "data", "remote", "not_configured"] });
    keys([
        ("version", "Version of the contract, from 1.", version),
        ("description", "What the tool does, in one sentence.", text()),
        ("summary", "The older word for `description`.", text()),
        ("effect", "How a call acts on the world.", effect),
        ("idempotency", "What a second call does.", json!({ "anyOf": [mode, keyed] })),
        ("risk", "How much harm a call can do, from T0 to T4.", risk()),
        ("belongs_to", "Domain that a tenant must have to call the tool; not for a home.", text()),
        ("timeout", "Time limit of a call, such as `10s`.", text()),
        ("timeout_ms", "The same in milliseconds.", json!({ "type": "integer", "minimum": 1 })),
        ("handler", "What carries out the calls; `code` if left out.", handler),
        ("data", "What a call does to the rows of one table.", json!({ "$ref": "#/$defs/data" })),
        ("remote", "The server of the home that carries out the calls.", remote()),
        ("not_configured", "Why the tool cannot do anything yet.", missing),
        ("input_schema", "JSON Schema of the input.", schema.clone()),
        ("args", "The older word for `input_schema`.", schema.clone()),
        ("output_schema", "JSON Schema of the result.", schema.clone()),
        ("result", "The older word for `output_schema`.", schema),
    ])
}

/// The keys that people and planners read, and those of the verbs of methods.
fn promises() -> Map<String, Value> {
    let share = json!({ "type": "number", "minimum": 0, "maximum": 1 });
    let object = json!({ "type": "object" });
    let permission =
        json!({ "type": "array", "items": { "type": "string", "pattern": "^[a-z]+:[a-z]+$" } });
    let paths = json!({ "type": "array", "items": { "type": "string", "pattern": r"^(result|effects)\." } });
    let flag = json!({ "type": "boolean" });
    let approvers = json!({
        "type": "array",
        "items": {
            "type": "object",
            "required": ["role"],
            "properties": { "role": text(), "n": { "type": "integer", "minimum": 1 } },
            "additionalProperties": false,
        },
    });
    keys([
        ("permissions", "What a caller must be allowed to do, such as `write:db`.", permission),
        (
            "receipt_fields",
            "Members of the receipt that prove the call: `result.…`, `effects.…`.",
            paths,
        ),
        ("consumes", "What a call needs to know.", texts()),
        ("produces", "What a call finds out or makes.", texts()),
        ("satisfies", "Obligations that a call meets.", texts()),
        ("breaks", "Obligations that a call can break, such as `AVOID(ball.touch_wall)`.", texts()),
        ("preconditions", "What must hold before a call.", texts()),
        ("postconditions", "What holds after a call.", texts()),
        ("cost", "What a call costs.", json!({ "type": "number", "minimum": 0 })),
        ("reliability", "Share of the calls that succeed.", share),
        ("latency", "How long a call usually takes, such as `200ms`.", text()),
        ("safer", "Tool that does less harm and often serves the purpose too.", text()),
        (
            "approvers",
            "Who must approve a call, in turn and no one twice; one supervisor if left out.",
            approvers,
        ),
        ("compensated_by", "Tool that makes up for a call.", text()),
        ("irreversible", "Whether nothing makes up for a call.", flag.clone()),
        (
            "value",
            "Member of the result that `out` is bound to; the whole result if left out.",
            text(),
        ),
        ("at_most", "Argument that limits the number of items in the result.", text()),
        ("implies", "Variable that a step assigns besides its `out`.", object.clone()),
        ("answered_later", "Whether a signal answers the call after it has ended.", flag.clone()),
        ("sets_timers", "Whether a call starts runs later.", flag),
        ("sends", "Messages that a call sends.", object.clone()),
        (
            "follow_ups",
            "Messages that a call can cause later.",
            json!({ "type": "array", "items": object }),
        ),
    ])
}

/// Returns the schema of the key `data`.
fn data() -> Value {
    let action =
        json!({ "enum": DataAction::ALL.iter().map(|action| action.as_str()).collect::<Vec<_>>() });
    let names = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let conditions =
        json!({ "type": "object", "additionalProperties": { "$ref": "#/$defs/one_of" } });
    let promised = json!({
        "type": "object",
        "required": ["from", "until", "while"],
        "properties": {
            "from": text(), "until": text(), "whose": text(),
            "while": { "type": "object", "additionalProperties": { "$ref": "#/$defs/one_of" } },
        },
        "additionalProperties": false,
    });
    let keys = keys([
        ("table", "Table of the program with the rows.", text()),
        ("collection", "Collection of the home with the rows; it needs no table.", text()),
        ("action", "What a call does.", action),
        (
            "id",
            "Member that names the row: of the result of `create`, of the input otherwise.",
            text(),
        ),
        ("record", "Member of the result with the row, or with the rows of a list.", text()),
        ("columns", "Columns of those members that have another name.", names),
        (
            "set",
            "Columns that a call sets to constants; `now` is the time of the call.",
            json!({ "type": "object" }),
        ),
        ("only_if", "What the columns of a row must hold before an update.", conditions.clone()),
        ("where", "What the columns of the listed rows hold.", conditions),
        (
            "promised",
            "Period that a row promises to people: moving it, or adding to it, needs an approval.",
            promised,
        ),
        (
            "period",
            "Column that `since` and `until` of a list compare; `created_at` if left out.",
            text(),
        ),
    ]);
    json!({
        "type": "object",
        "properties": keys,
        "required": ["action"],
        "oneOf": [{ "required": ["table"] }, { "required": ["collection"] }],
        "additionalProperties": false,
    })
}

/// Returns the schema of the key `remote`.
fn remote() -> Value {
    let variable = json!({ "type": "string", "pattern": "^[A-Z][A-Z0-9_]*$" });
    let url = json!({ "type": "string", "pattern": "^https?://" });
    let keys = keys([
        ("url", "Address to which calls are posted.", url),
        ("secret_env", "Environment variable with the secret that signs the calls.", variable),
        (
            "complete_within",
            "How long the server may take to complete a call that it has accepted; a day if left out.",
            text(),
        ),
    ]);
    json!({
        "type": "object",
        "properties": keys,
        "required": ["url", "secret_env"],
        "additionalProperties": false,
    })
}

/// Returns the schema of a value, or of a list of values; null is a missing value.
fn one_of() -> Value {
    let scalar = json!({ "type": ["string", "number", "boolean", "null"] });
    json!({ "anyOf": [scalar, { "type": "array", "minItems": 1, "items": scalar }] })
}

/// Adds the older spelling of `safe-retry`.
fn with_former(words: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    words.chain(["safe_retry"]).collect()
}

fn risk() -> Value {
    json!({ "enum": [Risk::T0, Risk::T1, Risk::T2, Risk::T3, Risk::T4] })
}

fn text() -> Value {
    json!({ "type": "string", "minLength": 1 })
}

fn texts() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

fn described(about: &str, mut schema: Value) -> Value {
    schema["description"] = about.into();
    schema
}

/// A key, its meaning, and the schema of its value.
type Key = (&'static str, &'static str, Value);

fn keys<const N: usize>(keys: [Key; N]) -> Map<String, Value> {
    keys.into_iter()
        .map(|(key, about, schema)| (key.to_owned(), described(about, schema)))
        .collect()
}
