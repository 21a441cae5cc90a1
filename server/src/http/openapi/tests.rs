//! Tests that the OpenAPI description is complete and correct.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::complete::is_open;
use super::contract::{escaped, validate};
use super::document;
use crate::http::testing::{TestApi, TestClock, send_request};

/// One operation of the description.
struct Operation<'d> {
    method: &'d str,
    path: &'d str,
    about: &'d Value,
}

impl Operation<'_> {
    fn pointer(&self) -> String {
        format!("/paths/{}/{}", escaped(self.path), self.method)
    }

    /// Returns the problem codes that are listed for a status.
    fn codes(&self, status: &str) -> BTreeSet<&str> {
        let codes = self.about["responses"][status]["x-problem-codes"].as_array();
        codes.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Returns the responses of the operation that have a JSON body, each as its status and its content.
    fn answers(&self) -> impl Iterator<Item = (&String, &Value)> {
        let answers = self.about["responses"].as_object().expect("answers");
        answers.iter().filter_map(|(status, answer)| {
            answer.pointer("/content/application~1json").map(|content| (status, content))
        })
    }
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let paths = document["paths"].as_object().expect("paths");
    let each = paths.iter().flat_map(|(path, item)| {
        let item = item.as_object().expect("operations");
        item.iter().map(move |(method, about)| Operation { method, path, about })
    });
    each.collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Calls the function `see` with a JSON value, and with each value that it contains, at any depth.
fn walk(value: &Value, see: &mut impl FnMut(&Value)) {
    see(value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, see)),
        Value::Object(members) => members.values().for_each(|member| walk(member, see)),
        _ => {}
    }
}

#[tokio::test]
async fn every_operation_is_a_route() {
    let api = TestApi::empty(TestClock::Virtual).await;
    for operation in operations(&document()) {
        let method = operation.method.to_uppercase();
        let path = operation.path.replace("{version}", "1").replace(['{', '}'], "");
        let (status, body) = send_request(&api.routes, &method, &path, "", "[").await;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        let served = status != 405 && answer["code"] != "unknown_route";
        assert!(served, "{method} {path}: {status} {answer}");
    }
}

#[test]
fn every_route_is_an_operation() {
    let folder = root().join("server/src/http");
    for file in ["routes/mod.rs", "routes/runs/mod.rs", "app.rs"] {
        let source = std::fs::read_to_string(folder.join(file)).expect("a source");
        assert!(
            !source.contains(".route("),
            "{file}: register routes with `routes!`, which describes them"
        );
    }
}

#[test]
fn every_operation_has_a_name_a_summary_and_a_tag() {
    let document = document();
    let tags: Vec<&Value> =
        document["tags"].as_array().into_iter().flatten().map(|tag| &tag["name"]).collect();
    let mut names = BTreeSet::new();
    for operation in operations(&document) {
        let (path, about) = (operation.path, operation.about);
        assert!(names.insert(about["operationId"].to_string()), "{path}: its id is used twice");
        assert!(
            about["summary"].as_str().is_some_and(|text| !text.ends_with('.')),
            "{path}: {about}"
        );
        assert!(tags.contains(&&about["tags"][0]), "{path}: {}", about["tags"]);
    }
}

#[test]
fn every_parameter_of_a_path_is_described() {
    for operation in operations(&document()) {
        let in_path = operation.path.split(['{', '}']).skip(1).step_by(2);
        let parameters = operation.about["parameters"].as_array().cloned().unwrap_or_default();
        let described = parameters.iter().filter(|parameter| parameter["in"] == "path");
        let described: Vec<&str> = described.filter_map(|one| one["name"].as_str()).collect();
        assert_eq!(described, in_path.collect::<Vec<_>>(), "{}", operation.path);
        for parameter in parameters.iter().filter(|one| one.get("$ref").is_none()) {
            assert!(parameter["description"].is_string(), "{}: {parameter}", operation.path);
        }
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_schema_is_used() {
    let document = document();
    let mut used = BTreeSet::new();
    walk(&document, &mut |value| {
        if let Some(target) = value.get("$ref").and_then(Value::as_str) {
            let pointer = target.trim_start_matches('#');
            assert!(document.pointer(pointer).is_some(), "{target} leads nowhere");
            used.insert(pointer.rsplit('/').next().unwrap_or_default().to_owned());
        }
    });
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    let unused: Vec<&String> = schemas.keys().filter(|name| !used.contains(*name)).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn every_schema_and_every_member_is_described() {
    let document = document();
    let mut missing = Vec::new();
    for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
        if schema.get("description").is_none() {
            missing.push(name.clone());
        }
        let members = schema["properties"].as_object().into_iter().flatten();
        for (member, about) in members.filter(|(_, about)| about.get("description").is_none()) {
            missing.push(format!("{name}.{member}: {about}"));
        }
    }
    assert!(missing.is_empty(), "write doc comments:\n{}", missing.join("\n"));
}

#[test]
fn every_operation_lists_the_problems_that_apply() {
    let document = document();
    for operation in operations(&document) {
        let lists = |status: &str, code: &str| {
            let listed = operation.codes(status).contains(code);
            assert!(listed, "{} {}: {status} {code}", operation.method, operation.path);
        };
        lists("500", "internal");
        if !is_open(operation.about) {
            lists("401", "unauthorized");
            lists("429", "too_many_attempts");
            lists("403", "forbidden");
            lists("404", "unknown_tenant");
            lists("422", "bad_tenant");
        }
        if let Some(body) = operation.about.get("requestBody") {
            lists("400", "body_incomplete");
            lists("413", "too_large");
            if body["content"].get("application/json").is_some() {
                lists("400", "not_json");
                lists("422", "schema");
            }
        }
        if operation.method != "get" {
            lists("409", "key_clash");
        }
        if operation.path.contains("{id}") && operation.path != "/v1/kb/{id}" {
            assert!(!operation.codes("404").is_empty(), "{}", operation.path);
        }
    }
}

#[test]
fn every_code_has_its_page() {
    for operation in operations(&document()) {
        for status in operation.about["responses"].as_object().expect("answers").keys() {
            for code in operation.codes(status) {
                let page = root().join(format!("docs/errors/{code}.md"));
                assert!(page.is_file(), "{}: `{code}` has no page", operation.path);
            }
        }
    }
}

#[test]
fn every_body_and_every_answer_has_an_example_that_fits() {
    let document = document();
    let mut faults = Vec::new();
    let mut check = |what: String, pointer: String, content: &Value| match content.get("example") {
        None => faults.push(format!("{what} has no example in `openapi/examples.json`")),
        Some(example) => {
            if let Err(fault) = validate(&format!("{pointer}/schema"), example) {
                faults.push(format!("the example of {what}: {fault}"));
            }
        }
    };
    for operation in operations(&document) {
        let id = operation.about["operationId"].as_str().expect("an id");
        let body = "/requestBody/content/application~1json";
        if let Some(content) = operation.about.pointer(body) {
            check(format!("the body of {id}"), format!("{}{body}", operation.pointer()), content);
        }
        for (status, content) in operation.answers().filter(|_| id != "describe_api") {
            let at = format!("/responses/{status}/content/application~1json");
            check(format!("the answer of {id}"), operation.pointer() + &at, content);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test]
async fn the_description_is_served_without_a_token() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let (status, served) = api.get("/openapi.json").await;
    assert_eq!(status, 200);
    assert_eq!(served, document());
    assert_eq!(served["openapi"], "3.1.0");
}
