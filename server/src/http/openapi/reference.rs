//! The reference of the HTTP API in `docs/http-api.md`, written from the description.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value};

/// How the names of pages begin.
const PAGE: &str = "Page_";

/// Problems of the middleware, which any operation may answer: told once for all of them.
const SHARED: [&str; 11] = [
    "unauthorized",
    "forbidden",
    "bad_tenant",
    "not_json",
    "body_incomplete",
    "too_large",
    "schema",
    "key_clash",
    "internal",
    "database_unavailable",
    "overloaded",
];

/// Writes the whole page.
fn page(document: &Value) -> String {
    let mut page = format!(
        "# HTTP API\n\n*Written from the description of the API, which a server gives at \
         `GET /openapi.json`.*\n\n{}\n\n{}\n",
        text(&document["info"]["description"]),
        shared(document),
    );
    for tag in document["tags"].as_array().into_iter().flatten() {
        let name = text(&tag["name"]);
        let _ = write!(page, "\n## {}\n\n{}\n", title(name), text(&tag["description"]));
        for (path, item) in members(&document["paths"]) {
            let own = members(item).filter(|(_, operation)| operation["tags"][0] == *name);
            for (method, operation) in own {
                let route = format!("{} {path}", method.to_uppercase());
                page.push_str(&section(document, &route, operation));
            }
        }
    }
    page.push_str("\n## Objects\n\nA member with `?` may be absent.\n");
    let shown = bodies(document);
    for (name, schema) in members(&document["components"]["schemas"]) {
        if !name.starts_with(PAGE) && !shown.contains(name.as_str()) {
            page.push_str(&object(name, schema));
        }
    }
    page
}

/// Writes what all operations share: headers and problems.
fn shared(document: &Value) -> String {
    let headers = members(&document["components"]["parameters"]).map(|(_, parameter)| {
        format!("* `{}`: {}", text(&parameter["name"]), text(&parameter["description"]))
    });
    let headers: Vec<String> = headers.collect();
    let codes: Vec<String> = SHARED.iter().map(|code| linked(code)).collect();
    format!(
        "Requests take `Authorization: Bearer TOKEN`, and these headers:\n\n{}\n\n\
         Any operation may answer {}; below, each lists only the others.",
        headers.join("\n"),
        codes.join(", "),
    )
}

/// Writes the section of an operation.
fn section(document: &Value, route: &str, operation: &Value) -> String {
    let mut out = format!("\n### `{route}`\n\n{}.", text(&operation["summary"]));
    if let Some(description) = operation["description"].as_str().filter(|text| !text.is_empty()) {
        let _ = write!(out, " {}", line(description));
    }
    out.push_str("\n\n");
    out.push_str(&parameters(operation));
    if let Some(schema) = body(operation) {
        let one = schema.get("items").unwrap_or(schema);
        let many = if schema.get("items").is_some() { ", a list of" } else { "" };
        let named = resolved(document, one);
        let _ = write!(out, "Body{many}: {}\n{}\n", line(text(&named["description"])), rows(named));
    }
    let answers: Vec<(&String, &Value)> = members(&operation["responses"]).collect();
    for (status, answer) in answers.iter().filter(|(status, _)| status.starts_with('2')) {
        let described = text(&answer["description"]);
        let _ = writeln!(out, "Answer {status}{}: {described}\n", contents(answer));
    }
    let refused = answers.iter().filter(|(status, _)| !status.starts_with('2'));
    let refused: Vec<String> =
        refused.filter_map(|(status, answer)| refusal(status, answer)).collect();
    if !refused.is_empty() {
        let _ = write!(out, "Errors: {}.\n\n", refused.join("; "));
    }
    out + &curl(document, route, operation)
}

/// The schema of an operation's body.
fn body(operation: &Value) -> Option<&Value> {
    operation.pointer("/requestBody/content/application~1json/schema")
}

/// The names of the schemas that are shown as bodies of operations.
fn bodies(document: &Value) -> BTreeSet<&str> {
    let operations = members(&document["paths"]).flat_map(|(_, item)| members(item));
    let bodies = operations.filter_map(|(_, operation)| body(operation));
    bodies.filter_map(|schema| target(schema.get("items").unwrap_or(schema))).collect()
}

fn parameters(operation: &Value) -> String {
    let mut rows = String::new();
    let own = operation["parameters"].as_array().into_iter().flatten();
    for parameter in own.filter(|parameter| parameter.get("$ref").is_none()) {
        let required = if parameter["required"] == true { ", required" } else { "" };
        let _ = writeln!(
            rows,
            "| `{}` | {}{required} | {} | {} |",
            text(&parameter["name"]),
            text(&parameter["in"]),
            kind(&parameter["schema"]),
            line(text(&parameter["description"])),
        );
    }
    if rows.is_empty() {
        return rows;
    }
    format!("| Parameter | In | Type | Meaning |\n| --- | --- | --- | --- |\n{rows}\n")
}

/// Writes what an answer holds, by media type.
fn contents(answer: &Value) -> String {
    let kinds = members(&answer["content"]).map(|(media, content)| match media.as_str() {
        "application/json" => kind(&content["schema"]),
        media => format!("`{media}`"),
    });
    let kinds: Vec<String> = kinds.collect();
    if kinds.is_empty() { String::new() } else { format!(", {}", kinds.join(" or ")) }
}

/// Writes the codes of a status that not all operations share.
fn refusal(status: &str, answer: &Value) -> Option<String> {
    let codes = answer["x-problem-codes"].as_array().into_iter().flatten().map(text);
    let codes: Vec<String> = codes.filter(|code| !SHARED.contains(code)).map(linked).collect();
    (!codes.is_empty()).then(|| format!("{status} {}", codes.join(", ")))
}

fn linked(code: &str) -> String {
    format!("[`{code}`](errors/{code}.md)")
}

/// Writes a call of the operation, with its example as the body.
fn curl(document: &Value, route: &str, operation: &Value) -> String {
    let (method, path) = route.split_once(' ').unwrap_or_default();
    let mut path = path.to_owned();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let parameter = resolved(document, parameter);
        if parameter["in"] == "path" {
            let schema = resolved(document, &parameter["schema"]);
            let example = parameter.get("example").unwrap_or(&schema["examples"][0]);
            let shown = example.as_str().map_or_else(|| example.to_string(), str::to_owned);
            path = path.replace(&format!("{{{}}}", text(&parameter["name"])), &shown);
        }
    }
    let order = if method == "GET" { String::new() } else { format!(" -X {method}") };
    let mut out = format!("```sh\ncurl -s{order} \"$ABIDE{path}\"");
    if operation.get("security").is_none() {
        out.push_str(" -H \"Authorization: Bearer $TOKEN\"");
    }
    if let Some(body) = operation.pointer("/requestBody/content/application~1json/example") {
        let _ = write!(out, " \\\n  -H 'Content-Type: application/json' -d '{body}'");
    }
    out.push_str("\n```\n");
    out
}

/// Writes the section of a schema: its members, or its values.
fn object(name: &str, schema: &Value) -> String {
    let mut out = format!("\n### {name}\n\n{}\n", line(text(&schema["description"])));
    let parts = schema["allOf"].as_array().into_iter().flatten();
    for part in parts.filter(|part| part.get("properties").is_none()) {
        let _ = write!(out, "\nHas the members of {}.\n", kind(part));
    }
    let rows = rows(schema);
    if rows.is_empty() && schema.get("allOf").is_none() {
        let _ = write!(out, "\nIs {}.\n", kind(schema));
    }
    out + &rows
}

/// Writes the members of a schema as a table, nothing if it has none.
fn rows(schema: &Value) -> String {
    let mut rows = String::new();
    let parts = schema["allOf"].as_array().into_iter().flatten();
    for schema in std::iter::once(schema).chain(parts) {
        let required = schema["required"].as_array();
        for (name, member) in members(&schema["properties"]) {
            let always = required.is_some_and(|names| names.iter().any(|known| known == name));
            let sign = if always { "" } else { "?" };
            let meaning = line(text(&member["description"]));
            let _ = writeln!(rows, "| `{name}`{sign} | {} | {meaning} |", kind(member));
        }
    }
    if rows.is_empty() {
        return rows;
    }
    format!("\n| Member | Type | Meaning |\n| --- | --- | --- |\n{rows}")
}

/// Names the type of a schema.
fn kind(schema: &Value) -> String {
    if let Some(name) = target(schema) {
        let (before, name) = name.strip_prefix(PAGE).map_or(("", name), |item| ("page of ", item));
        return format!("{before}[{name}](#{})", name.to_lowercase());
    }
    for join in ["oneOf", "anyOf", "allOf"] {
        if let Some(kinds) = schema[join].as_array() {
            let word = if join == "allOf" { " with " } else { " or " };
            return kinds.iter().map(kind).collect::<Vec<_>>().join(word);
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().map(|value| format!("`{}`", text(value)));
        return values.collect::<Vec<_>>().join(", ");
    }
    match &schema["type"] {
        Value::String(one) => typed(one, schema),
        Value::Array(several) => {
            let kinds = several.iter().map(|one| typed(text(one), schema));
            kinds.collect::<Vec<_>>().join(" or ")
        }
        _ => "any value".to_owned(),
    }
}

fn typed(name: &str, schema: &Value) -> String {
    match name {
        "array" => format!("list of {}", kind(&schema["items"])),
        "object" => match schema.get("additionalProperties") {
            Some(values) if values.is_object() => format!("map to {}", kind(values)),
            _ => inline(schema),
        },
        "string" => match (schema["format"].as_str(), schema["pattern"].as_str()) {
            (Some("date-time"), _) => "time".to_owned(),
            (_, Some(pattern)) => format!("text `{}`", pattern.replace('|', "\\|")),
            _ => "text".to_owned(),
        },
        other => other.to_owned(),
    }
}

/// Names the members of an object that has no name.
fn inline(schema: &Value) -> String {
    let all = members(&schema["properties"]);
    let all: Vec<String> =
        all.map(|(name, member)| format!("`{name}`: {}", kind(member))).collect();
    if all.is_empty() { "object".to_owned() } else { format!("object ({})", all.join(", ")) }
}

/// The name of the schema that a reference leads to.
fn target(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

fn resolved<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    let target = value["$ref"].as_str().and_then(|target| document.pointer(&target[1..]));
    target.unwrap_or(value)
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A text in one line, for a cell of a table.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn title(name: &str) -> String {
    name[..1].to_uppercase() + &name[1..]
}

/// A page that is out of date is renewed on the spot, and the test fails once.
#[test]
fn the_reference_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/http-api.md");
    let page = page(&super::document());
    if std::fs::read_to_string(&file).unwrap_or_default() == page {
        return;
    }
    std::fs::write(&file, page).expect("the reference is written");
    panic!(
        "docs/http-api.md was out of date and is renewed: read the difference, then run the test again"
    );
}
