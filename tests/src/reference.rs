//! The reference documents every function and every key. The failure matrix names only tests that exist.

use abide_engine::expr::functions::all;

use crate::support::{read, root};

fn reference() -> String {
    read("docs/method-language.md")
}

#[test]
fn every_function_is_in_the_reference_with_its_signature() {
    let rows: Vec<String> =
        all().map(|f| format!("| `{}` | {} |", f.signature().replace('|', "\\|"), f.doc)).collect();
    let reference = reference();
    let missing: Vec<&String> = rows.iter().filter(|row| !reference.contains(*row)).collect();
    assert!(missing.is_empty(), "write these rows:\n{}", rows.join("\n"));
}

#[test]
fn every_key_is_in_the_reference() {
    let reference = reference();
    let schema = abide_engine::method::schema();
    for keys in [&schema["properties"], &schema["$defs"]["step"]["properties"]] {
        for key in keys.as_object().expect("keys").keys() {
            assert!(reference.contains(&format!("`{key}`")), "`{key}` is missing");
        }
    }
}

/// Returns the names in the last column of the failure matrix. They are test modules and scenarios.
fn named_tests(page: &str) -> Vec<&str> {
    let matrix =
        page.split("\n## ").find(|part| part.starts_with("What fails")).unwrap_or_default();
    let rows = matrix.lines().filter(|line| line.starts_with("| ") && line.ends_with(" |"));
    let last = rows.filter_map(|row| row.trim_end_matches(" |").rsplit_once("| "));
    let names = last.flat_map(|(_, names)| names.split('`').skip(1).step_by(2));
    names.collect()
}

#[test]
fn every_line_of_the_failure_matrix_names_existing_tests() {
    let page = read("docs/reliability.md");
    let names = named_tests(&page);
    assert!(names.len() > 20, "{names:?}");
    let is_there = |name: &str| {
        let module = name.replace("::", "/");
        [
            format!("simulator/scenarios/{name}.yaml"),
            format!("tests/src/{module}.rs"),
            format!("tests/src/{module}/mod.rs"),
        ]
        .iter()
        .any(|path| root().join(path).is_file())
    };
    let missing: Vec<&str> = names.into_iter().filter(|name| !is_there(name)).collect();
    assert!(missing.is_empty(), "no test and no scenario is called {missing:?}");
}

#[test]
fn the_generated_pages_are_up_to_date() {
    let docs = root().join("docs");
    for page in abide_server::docs::reference_pages() {
        let file = docs.join(format!("{}.md", page.name));
        let written = std::fs::read_to_string(&file).unwrap_or_default();
        let first = page.text.lines().zip(written.lines()).find(|(now, then)| now != then);
        assert!(
            written == page.text,
            "docs/{}.md is out of date at {first:?}: run `cargo run -- docs --out docs`",
            page.name
        );
    }
}
