//! Checks literal values against a schema, and describes schemas in words.

use crate::base::{PersonId, Span, Timestamp, Value};
use crate::contract::XType;
use crate::expr::Type;
use crate::yaml::{YamlKind, YamlNode};

/// A fault of a literal value: a description of the fault, and a hint.
pub(super) struct Fault {
    pub what: String,
    pub hint: String,
}

/// Returns the alternatives of a schema (`anyOf` or `oneOf`). Beside a `type`, they are no alternatives but
/// conditions, such as which of several members is required; only the call itself checks those.
fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    if schema.get("type").is_some() {
        return None;
    }
    schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array)
}

/// Returns the first alternative of a schema that admits the node's type; `None` if no alternative admits
/// it. If the schema has no alternatives, returns the schema itself.
pub(super) fn alternative<'s>(schema: &'s Value, node: &YamlNode) -> Option<&'s Value> {
    match alternatives(schema) {
        Some(all) => all.iter().find(|one| admits(one, node)),
        None => Some(schema),
    }
}

/// Whether a schema admits values of the JSON type `json_type`.
pub(super) fn takes(schema: &Value, json_type: &str) -> bool {
    if let Some(all) = alternatives(schema) {
        return all.iter().any(|one| takes(one, json_type));
    }
    match &schema["type"] {
        Value::String(one) => one == json_type || (one == "number" && json_type == "integer"),
        Value::Array(many) => many.iter().any(|one| one == json_type),
        _ => true,
    }
}

/// Whether a schema admits values of the node's JSON type.
pub(super) fn admits(schema: &Value, node: &YamlNode) -> bool {
    match &node.kind {
        YamlKind::Null => takes(schema, "null"),
        YamlKind::Bool(_) => takes(schema, "boolean"),
        YamlKind::Number(number) => {
            takes(schema, "number") || (takes(schema, "integer") && !number.is_f64())
        }
        YamlKind::Text(_) => takes(schema, "string"),
        YamlKind::List(_) => takes(schema, "array"),
        YamlKind::Map(_) => takes(schema, "object"),
    }
}

/// Whether a schema admits values of the static type `ty`.
pub(super) fn accepts(schema: &Value, ty: &Type) -> bool {
    if let Some(all) = alternatives(schema) {
        return all.iter().any(|one| accepts(one, ty));
    }
    if schema["type"].is_array() {
        let json_type = match ty {
            Type::Any | Type::Null => return true,
            Type::Bool => "boolean",
            Type::Number => "number",
            Type::Text | Type::Instant | Type::Duration | Type::Person => "string",
            Type::List(_) => "array",
            Type::Object { .. } | Type::Offers => "object",
        };
        return takes(schema, json_type);
    }
    Type::of_schema(schema).accepts(ty)
}

/// Describes in words the values that a schema admits, such as `a whole number`.
pub(super) fn described(schema: &Value) -> String {
    if let Some(all) = alternatives(schema) {
        return all.iter().map(described).collect::<Vec<_>>().join(" or ");
    }
    if let Some(choices) = schema["enum"].as_array() {
        return choices.iter().map(|choice| format!("`{choice}`")).collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::Array(types) => types
            .iter()
            .filter_map(Value::as_str)
            .map(|name| Type::of_schema(&serde_json::json!({ "type": name })).to_string())
            .collect::<Vec<_>>()
            .join(" or "),
        Value::String(one) if one == "integer" => "a whole number".into(),
        _ => Type::of_schema(schema).to_string(),
    }
}

/// Returns a hint for writing the value of a member, taken from the schema of the member.
pub(super) fn hint_for(schema: Option<&Value>, name: &str) -> String {
    let Some(schema) = schema else { return format!("add `{name}`") };
    match schema["description"].as_str() {
        Some(text) => format!("`{name}`: {}", text.trim_end_matches('.')),
        None => format!("`{name}` is {}", described(schema)),
    }
}

/// Formats bounds as `from 1 to 5`, `at least 1` or `at most 5`.
pub(super) fn range(least: Option<u64>, most: Option<u64>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!("from {least} to {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => "any number".into(),
    }
}

/// Returns the fault of a value that has the right type; `None` if the schema admits the value.
pub(super) fn fault(schema: &Value, value: &Value) -> Option<Fault> {
    if let Some(choices) = schema["enum"].as_array()
        && !choices.contains(value)
    {
        return Some(Fault {
            what: "is not one of the allowed values".into(),
            hint: described(schema),
        });
    }
    if let Some(constant) = schema.get("const")
        && constant != value
    {
        return Some(Fault {
            what: "has the wrong value".into(),
            hint: format!("write `{constant}`"),
        });
    }
    match value {
        Value::Number(number) => out_of_bounds(schema, number.as_f64()?),
        Value::String(text) => wrong_text(schema, text),
        _ => None,
    }
}

fn out_of_bounds(schema: &Value, number: f64) -> Option<Fault> {
    let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
    let low = least.is_some_and(|least| number < least);
    let high = most.is_some_and(|most| number > most);
    (low || high).then(|| {
        let bounds = range(schema["minimum"].as_u64(), schema["maximum"].as_u64());
        Fault {
            what: format!("is out of range: {number}"),
            hint: format!("allowed range: {bounds}"),
        }
    })
}

fn wrong_text(schema: &Value, text: &str) -> Option<Fault> {
    let chars = text.chars().count() as u64;
    let (least, most) = (schema["minLength"].as_u64(), schema["maxLength"].as_u64());
    if least.is_some_and(|least| chars < least) {
        return Some(Fault { what: "is empty".into(), hint: "write a text".into() });
    }
    if most.is_some_and(|most| chars > most) {
        let hint = format!("use {} characters", range(least, most));
        return Some(Fault { what: "is too long".into(), hint });
    }
    match XType::of(schema)? {
        XType::Instant => text.parse::<Timestamp>().err().map(|error| Fault {
            what: format!("is not valid: {error}"),
            hint: "write an instant with an offset, or an expression such as `{{now + 24h}}`"
                .into(),
        }),
        XType::Duration => text.parse::<Span>().err().map(|error| Fault {
            what: format!("is not valid: {error}"),
            hint: "write a number with a unit, such as `30s`, `6h` or `2days 3h`".into(),
        }),
        XType::Person => text.parse::<PersonId>().err().map(|error| Fault {
            what: format!("is not valid: {error}"),
            hint: "write an expression such as `{{person}}`".into(),
        }),
        XType::People | XType::Offers | XType::Template | XType::Role | XType::Start => None,
    }
}
