//! Checks responses against the description of the API.
//! Each response in the tests of the routes is checked.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};

use jsonschema::Validator;
use serde_json::{Value, json};

static DOCUMENT: LazyLock<Value> = LazyLock::new(super::document);
/// Validators of schemas, by the JSON pointer to each schema.
static VALIDATORS: Mutex<BTreeMap<String, &'static Validator>> = Mutex::new(BTreeMap::new());

/// Checks that the response of a route matches the description.
/// A path that is not described must be answered with status 404 or 405.
#[track_caller]
pub(in crate::http) fn check(method: &str, target: &str, status: u16, body: &[u8]) {
    let path = target.split('?').next().unwrap_or_default();
    let Some((route, operation)) = operation(method, path) else {
        assert!([404, 405].contains(&status), "{method} {path}: no route, but {status}");
        return;
    };
    let called = format!("{method} {route}");
    let answer = &operation["responses"][status.to_string()];
    assert!(answer.is_object(), "{called}: the description lacks the status {status}");
    let Some((media, _)) = answer["content"].as_object().and_then(|all| all.iter().next()) else {
        return;
    };
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return };
    if status >= 400 {
        let codes = answer["x-problem-codes"].as_array().expect("the codes");
        assert!(codes.contains(&body["code"]), "{called}: the description lacks the code: {body}");
    }
    let pointer = format!(
        "/paths/{}/{}/responses/{status}/content/{}/schema",
        escaped(&route),
        method.to_lowercase(),
        escaped(media),
    );
    if let Err(faults) = validate(&pointer, &body) {
        panic!("{called} {status} is not as described:\n{faults}\n{body:#}");
    }
}

/// Validates a value against the schema to which a JSON pointer into the description points.
pub(super) fn validate(pointer: &str, value: &Value) -> Result<(), String> {
    let validator = validator(pointer);
    let faults: Vec<String> =
        validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

fn validator(pointer: &str) -> &'static Validator {
    let mut validators = VALIDATORS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    validators.entry(pointer.to_owned()).or_insert_with(|| {
        let mut schema = DOCUMENT.pointer(pointer).expect("a schema").clone();
        schema["components"] = json!({"schemas": closed(&DOCUMENT["components"]["schemas"])});
        let options = jsonschema::draft202012::options().should_validate_formats(true);
        let validator = options.build(&schema).unwrap_or_else(|e| panic!("{pointer}: {e}"));
        Box::leak(Box::new(validator))
    })
}

/// Returns a copy of the schemas that forbids every field that is not described. So a response with such
/// a field is not valid.
fn closed(schemas: &Value) -> Value {
    let mut schemas = schemas.clone();
    for (name, schema) in schemas.as_object_mut().expect("schemas") {
        let is_part = PARTS.contains(&name.as_str());
        let has_members = schema.get("properties").is_some() || schema.get("allOf").is_some();
        if has_members && !is_part {
            schema["unevaluatedProperties"] = false.into();
        }
    }
    schemas
}

/// Names of schemas that other schemas extend with further fields.
/// So these schemas must not forbid further fields.
const PARTS: [&str; 3] = ["GraphStep", "MethodView", "VersionView"];

/// Returns the route and the operation that serve a path.
/// If several routes fit, the one with the fewest parameters is chosen.
fn operation(method: &str, path: &str) -> Option<(String, &'static Value)> {
    let paths = DOCUMENT["paths"].as_object().expect("paths");
    let fits = |route: &str| {
        let (route, path) = (route.split('/'), path.split('/'));
        route.clone().count() == path.clone().count()
            && route.zip(path).all(|(wanted, given)| wanted.starts_with('{') || wanted == given)
    };
    let routes = paths.iter().filter(|(route, _)| fits(route));
    let (route, item) = routes.min_by_key(|(route, _)| route.matches('{').count())?;
    Some((route.clone(), item.get(method.to_lowercase())?))
}

/// Escapes a name for use in a JSON pointer.
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
