//! Completes the OpenAPI description with the parameters, headers and problem codes that routes share.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::limits::KEY_BYTES_MAX;
use serde_json::{Map, Value, json};

use super::BEARER;
use crate::http::access::{Access, RULES, RouteRule, rule_of};
use crate::http::idempotency::REPLAYED;
use crate::problem;

/// Example requests and responses, by the id of the operation.
const EXAMPLES: &str = include_str!("examples.json");
/// The OpenAPI extension in which a handler lists its problem codes.
/// In the finished description, each response with an error status has the extension.
const CODES: &str = "x-problem-codes";

/// Adds to each operation the parameters, headers, problem codes and examples
/// that its handler does not declare.
pub(super) fn complete(document: &mut Value) {
    let examples: Value = serde_json::from_str(EXAMPLES).unwrap_or_default();
    refer(document);
    for schema in members(&mut document["components"]["schemas"]) {
        leave_out(schema);
    }
    let components = &mut document["components"];
    components["parameters"] =
        json!({"IdempotencyKey": key_parameter(), "Tenant": tenant_parameter()});
    components["headers"] = json!({"IdempotencyReplayed": {
        "description": "`true` if the answer is the one given before under this key.",
        "schema": {"type": "string", "enum": ["true"]},
    }});
    for (path, item) in document["paths"].as_object_mut().into_iter().flatten() {
        let Value::Object(item) = item else { continue };
        for (method, operation) in item {
            let rule = rule_of(RULES, &method.to_uppercase(), path);
            operation["security"] = security(rule);
            let id = operation["operationId"].as_str().unwrap_or_default();
            let example = &examples[id];
            show(operation, example);
            if let Some(summary) = operation["summary"].as_str() {
                operation["summary"] = summary.trim_end_matches('.').into();
            }
            finish(operation, method != "get");
        }
    }
}

fn members(object: &mut Value) -> impl Iterator<Item = &mut Value> {
    object.as_object_mut().into_iter().flat_map(Map::values_mut)
}

/// Name by which the description says that a route is for who operates the server.
pub(super) const OPERATOR: &str = "operator";

/// Returns the security requirement of an operation: the scheme, with the role that the client needs.
fn security(rule: Option<&RouteRule>) -> Value {
    match rule.map(|rule| rule.access) {
        Some(Access::Open) => json!([{}]),
        Some(Access::Least(role)) => json!([{BEARER: [role]}]),
        Some(Access::Operator) | None => json!([{BEARER: [OPERATOR]}]),
    }
}

/// Whether an operation needs no token.
pub(super) fn is_open(operation: &Value) -> bool {
    operation["security"] == json!([{}])
}

/// Adds the parameters and problem codes of the middleware to an operation.
fn finish(operation: &mut Value, changes: bool) {
    let is_open = is_open(operation);
    let mut codes = declared(operation);
    if !is_open {
        add_parameter(operation, "Tenant");
        codes.extend(["unauthorized", "too_many_attempts"].map(code));
        codes.extend(["forbidden", "bad_tenant", "unknown_tenant"].map(code));
        codes.insert(code("database_unavailable"));
    }
    if changes {
        add_parameter(operation, "IdempotencyKey");
        codes.extend(["key_clash", "overloaded", "schema"].map(code));
        for answer in members(&mut operation["responses"]) {
            let header = json!({"$ref": "#/components/headers/IdempotencyReplayed"});
            answer["headers"] = json!({REPLAYED: header});
        }
    }
    if let Some(body) = operation.get("requestBody") {
        codes.extend(["body_incomplete", "too_large"].map(code));
        if body["content"].get("application/json").is_some() {
            codes.extend(["not_json", "schema"].map(code));
        }
    }
    if has_query(operation) {
        codes.insert(code("schema"));
    }
    codes.insert(code("internal"));
    let mut by_status: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    for code in codes {
        by_status.entry(status(&code)).or_default().push(code);
    }
    for (status, codes) in by_status {
        operation["responses"][status.to_string()] = refusal(status, &codes);
    }
}

/// Removes from the operation the problem codes that its handler declares, and returns these codes.
fn declared(operation: &mut Value) -> BTreeSet<String> {
    let listed = operation.as_object_mut().and_then(|members| members.remove(CODES));
    let listed = listed.as_ref().and_then(Value::as_array).into_iter().flatten();
    listed.filter_map(Value::as_str).map(code).collect()
}

fn code(code: &str) -> String {
    code.to_owned()
}

/// Returns the HTTP status of a response with this problem code.
/// A code without a fixed status gets 422, which means that the client has to correct the request.
fn status(code: &str) -> u16 {
    problem::status_of(code).unwrap_or(422)
}

fn refusal(status: u16, codes: &[String]) -> Value {
    let listed: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
    json!({
        "description": format!("{}: {}.", problem::title(status), listed.join(", ")),
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
        CODES: codes,
    })
}

fn add_parameter(operation: &mut Value, name: &str) {
    let parameter = json!({"$ref": format!("#/components/parameters/{name}")});
    match operation["parameters"].as_array_mut() {
        Some(parameters) => parameters.push(parameter),
        None => operation["parameters"] = json!([parameter]),
    }
}

fn has_query(operation: &Value) -> bool {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    parameters.into_iter().any(|parameter| parameter["in"] == "query")
}

fn key_parameter() -> Value {
    json!({
        "name": "Idempotency-Key", "in": "header", "required": false,
        "description": "The same key and body give the same answer again, for 24 hours; the same key with \
            another body is 409 `key_clash`.",
        "schema": {"type": "string", "minLength": 1, "maxLength": KEY_BYTES_MAX},
        "example": "fill-nursery-2025-10-05",
    })
}

fn tenant_parameter() -> Value {
    json!({
        "name": "Abide-Tenant", "in": "header", "required": false,
        "description": "The tenant that the request is about, by default that of the token. A client with a \
            token can name no other tenant than its own.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$", "default": "default"},
    })
}

/// Adds the example of an operation to its request body and to its responses. An operation that may also
/// answer before its work is done has an example of that answer, too.
fn show(operation: &mut Value, example: &Value) {
    const JSON: &str = "/content/application~1json";
    let body = operation.pointer_mut(&format!("/requestBody{JSON}"));
    if let (Some(body), Some(request)) = (body, example.get("request")) {
        body["example"] = request.clone();
    }
    let Some(response) = example.get("response") else { return };
    for (status, answer) in operation["responses"].as_object_mut().into_iter().flatten() {
        let early = example.get("accepted").filter(|_| status == "202");
        if let Some(content) = answer.pointer_mut(JSON) {
            content["example"] = early.unwrap_or(response).clone();
        }
    }
}

/// Replaces copies of a named schema by references to it. The derived schema of a generic type, such as
/// `Page<T>`, contains a copy of the schema of `T`.
fn refer(document: &mut Value) {
    let named: Vec<(String, Value)> = document["components"]["schemas"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, schema)| schema.get("properties").is_some() || schema.get("allOf").is_some())
        .map(|(name, schema)| (name.clone(), schema.clone()))
        .collect();
    for schema in members(&mut document["components"]["schemas"]) {
        for part in parts(schema) {
            refer_in(part, &named);
        }
    }
}

fn refer_in(schema: &mut Value, named: &[(String, Value)]) {
    if let Some((name, _)) = named.iter().find(|(_, known)| known == schema) {
        *schema = json!({"$ref": format!("#/components/schemas/{name}")});
        return;
    }
    for part in parts(schema) {
        refer_in(part, named);
    }
}

/// Returns the values that a list or an object directly contains.
fn parts(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(members) => members.values_mut().collect(),
        _ => Vec::new(),
    }
}

/// Removes null from the schemas of optional fields. The derived schema allows null, but the API
/// leaves out a field without a value.
fn leave_out(schema: &mut Value) {
    for part in schema.get_mut("allOf").and_then(Value::as_array_mut).into_iter().flatten() {
        leave_out(part);
    }
    let required = schema["required"].clone();
    let is_required = |name: &str| {
        required.as_array().is_some_and(|names| names.iter().any(|known| known == name))
    };
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        if !is_required(name) {
            drop_null(property);
        }
    }
}

/// Removes null from the schema of a field.
fn drop_null(property: &mut Value) {
    if let Some(kinds) = property.get_mut("type").and_then(Value::as_array_mut) {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            property["type"] = kind.clone();
        }
    }
    if let Some(kinds) = property.get("oneOf").and_then(Value::as_array)
        && kinds.iter().any(|kind| kind["type"] == "null")
    {
        let kind = kinds.iter().find(|kind| kind["type"] != "null").cloned();
        *property = kind.unwrap_or_default();
    }
}
