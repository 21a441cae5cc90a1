//! Builds wrong inputs of a tool: each differs from a valid input in one member.

use abide_engine::base::Value;
use abide_engine::contract::{Contract, Schema};
use serde_json::json;

use super::input::{candidates, types};

/// An input that the tool must refuse.
pub(super) struct WrongInput {
    /// The member that the refusal must name.
    pub(super) member: String,
    /// What is wrong with the member.
    pub(super) what: String,
    pub(super) input: Value,
}

/// A value that a schema must refuse.
struct WrongValue {
    what: String,
    value: Value,
}

/// A member that no tool has.
const UNKNOWN: &str = "favourite_colour";

/// Texts of which some fit no pattern.
const ODD_TEXTS: [&str; 3] = ["§ 7 §", "A\nB", "§"];

/// Returns the wrong inputs that differ in one member from a valid input with all members.
pub(super) fn inputs(contract: &Contract, valid: &Value) -> Vec<WrongInput> {
    let schema = contract.input.value();
    let mut all = vec![with(valid, UNKNOWN, WrongValue::of("is unknown", json!("red")))];
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    all.extend(required.map(|member| without(valid, member)));
    let linked = schema["dependentRequired"].as_object().into_iter().flatten();
    for others in linked.filter_map(|(_, others)| others.as_array()) {
        all.extend(others.iter().filter_map(Value::as_str).map(|other| without(valid, other)));
    }
    for member in contract.input.members() {
        let Some(schema) = contract.input.member(member) else { continue };
        let wrong = values(schema, &valid[member]);
        all.extend(wrong.into_iter().map(|value| with(valid, member, value)));
    }
    all
}

fn with(valid: &Value, member: &str, wrong: WrongValue) -> WrongInput {
    let mut input = valid.clone();
    input[member] = wrong.value;
    WrongInput { member: member.to_owned(), what: wrong.what, input }
}

fn without(valid: &Value, member: &str) -> WrongInput {
    let mut input = valid.clone();
    if let Some(members) = input.as_object_mut() {
        members.remove(member);
    }
    WrongInput { member: member.to_owned(), what: "is missing".to_owned(), input }
}

impl WrongValue {
    fn of(what: impl Into<String>, value: Value) -> Self {
        Self { what: what.into(), value }
    }
}

/// Returns the values that a schema must refuse. `valid` is a value that it allows, if one is known.
fn values(schema: &Value, valid: &Value) -> Vec<WrongValue> {
    let mut all = of_other_types(schema);
    if !schema["enum"].is_null() || !schema["const"].is_null() {
        all.push(WrongValue::of("is not one of the words", json!("no_such_word")));
        return all;
    }
    all.extend(numbers(schema));
    all.extend(texts(schema));
    all.extend(arrays(schema, valid));
    all.extend(objects(schema, valid));
    all
}

/// Returns a value of another type, and null if the schema does not allow null.
fn of_other_types(schema: &Value) -> Vec<WrongValue> {
    let allowed = types(schema);
    let kinds = [
        ("boolean", json!(true)),
        ("array", json!([])),
        ("object", json!({})),
        ("string", json!("seven")),
        ("number", json!(7.5)),
        ("null", json!(null)),
    ];
    let allows = |kind: &str| allowed.contains(&kind);
    let kinds = kinds.into_iter().filter(|(kind, _)| !allows(kind));
    kinds.map(|(kind, value)| WrongValue::of(format!("is of type {kind}"), value)).collect()
}

fn numbers(schema: &Value) -> Vec<WrongValue> {
    let mut all = Vec::new();
    if let Some(least) = schema["minimum"].as_f64() {
        all.push(WrongValue::of("is too small", json!(least - 1.0)));
    }
    if let Some(most) = schema["maximum"].as_f64() {
        all.push(WrongValue::of("is too large", json!(most + 1.0)));
    }
    if types(schema).contains(&"integer") {
        all.extend(whole(schema));
    }
    all
}

/// Returns whole numbers just beyond the bounds.
fn whole(schema: &Value) -> Vec<WrongValue> {
    let below = schema["minimum"].as_i64().map(|least| least - 1);
    let above = schema["maximum"].as_i64().map(|most| most + 1);
    let beyond = below.into_iter().chain(above);
    beyond.map(|number| WrongValue::of("is beyond a bound", json!(number))).collect()
}

fn texts(schema: &Value) -> Vec<WrongValue> {
    let length = |bound: &str| schema[bound].as_u64().and_then(|it| usize::try_from(it).ok());
    let mut all = Vec::new();
    if let Some(least) = length("minLength").filter(|least| *least > 0) {
        all.push(WrongValue::of("is too short", "a".repeat(least - 1).into()));
    }
    if let Some(most) = length("maxLength") {
        all.push(WrongValue::of("is too long", "a".repeat(most + 1).into()));
    }
    for rule in ["pattern", "format"] {
        if schema[rule].is_string() {
            let alone = json!({ "type": "string", rule: schema[rule] });
            let alone = Schema::compile(alone).expect("part of a schema");
            let mut odd = ODD_TEXTS.into_iter().chain(candidates()).map(Value::from);
            let odd = odd.find(|text| alone.check(text).is_err()).expect("no pattern allows all");
            all.push(WrongValue::of(format!("violates its {rule}"), odd));
        }
    }
    all
}

fn arrays(schema: &Value, valid: &Value) -> Vec<WrongValue> {
    if !types(schema).contains(&"array") {
        return Vec::new();
    }
    let item = valid.get(0).cloned().unwrap_or_default();
    let count = |bound: &str| schema[bound].as_u64().and_then(|it| usize::try_from(it).ok());
    let mut all = Vec::new();
    if let Some(least) = count("minItems").filter(|least| *least > 0) {
        all.push(WrongValue::of("has too few items", vec![item.clone(); least - 1].into()));
    }
    if let Some(most) = count("maxItems") {
        all.push(WrongValue::of("has too many items", vec![item.clone(); most + 1].into()));
    }
    if schema["uniqueItems"] == true {
        all.push(WrongValue::of("has an item twice", json!([item, item])));
    }
    let items = values(&schema["items"], &item).into_iter();
    all.extend(
        items.map(|it| WrongValue::of(format!("has an item that {}", it.what), json!([it.value]))),
    );
    all
}

fn objects(schema: &Value, valid: &Value) -> Vec<WrongValue> {
    let mut all = Vec::new();
    if let Some(most) = schema["maxProperties"].as_u64() {
        let members = (0..=most).map(|nth| (format!("member_{nth}"), json!(nth)));
        all.push(WrongValue::of("has too many members", Value::Object(members.collect())));
    }
    let Some(properties) = schema["properties"].as_object() else { return all };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let lacking = without(valid, name);
        all.push(WrongValue::of(format!("lacks `{name}`"), lacking.input));
    }
    if schema["additionalProperties"] == false {
        let unknown = WrongValue::of("", json!("red"));
        all.push(WrongValue::of("has an unknown member", with(valid, UNKNOWN, unknown).input));
    }
    for (name, schema) in properties {
        for wrong in values(schema, &valid[name]) {
            let what = format!("has a `{name}` that {}", wrong.what);
            all.push(WrongValue::of(what, with(valid, name, wrong).input));
        }
    }
    all
}
