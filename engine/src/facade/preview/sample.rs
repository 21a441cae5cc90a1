//! Makes up a value that fits a JSON schema.

use crate::base::Value;

/// Returns a value of the type that a schema asks for, with the required members of objects. The value may still
/// break rules about the contents of strings and numbers; the contract judges that.
pub(super) fn sample(schema: &Value) -> Value {
    if let Some(constant) = schema.get("const") {
        return constant.clone();
    }
    if let Some(first) = schema["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.first().and_then(Value::as_str),
        kind => kind.as_str(),
    };
    match kind {
        Some("string") => "preview".into(),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| 0.into()),
        Some("boolean") => true.into(),
        Some("array") => Value::Array(Vec::new()),
        Some("object") => {
            let required = schema["required"].as_array().into_iter().flatten();
            let names = required.filter_map(Value::as_str);
            names.map(|name| (name.to_owned(), sample(&schema["properties"][name]))).collect()
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sample_fits_its_schema() {
        let schema = json!({
            "type": "object",
            "required": ["id", "state", "count", "parts", "done", "inner"],
            "properties": {
                "id": {"type": "string"},
                "note": {"type": "string"},
                "state": {"enum": ["new", "old"]},
                "count": {"type": "integer", "minimum": 1},
                "parts": {"type": "array"},
                "done": {"type": ["boolean", "null"]},
                "inner": {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "x"}}},
            },
        });
        let made = sample(&schema);
        let expected = json!({"id": "preview", "state": "new", "count": 1, "parts": [], "done": true, "inner": {"kind": "x"}});
        assert_eq!(made, expected);
        assert!(jsonschema::is_valid(&schema, &made));
    }
}
