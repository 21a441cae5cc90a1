//! Snapshot tests: methods that compile, with their graphs, and methods with errors, with their findings.
//!
//! To add a case, add a file to `cases/good` or `cases/bad`; `cargo insta` stores the expected result.

mod graph;
mod hostile;
mod large;
mod shipped;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{CheckedMethod, Definitions, Graph, Signature, compile, read_signature};
use crate::contract::Contracts;
use crate::diagnostic::{Diagnostic, codes, render};
use crate::template::Templates;

/// A method that the methods of some test cases start.
const COUNT_CHAIRS: &str = "method: count_chairs
inputs:
  type: object
  required: [kind, rooms]
  additionalProperties: false
  properties:
    kind: { const: CountChairs }
    rooms: { type: integer, minimum: 1, multipleOf: 5 }
    by: { type: string, format: date-time }
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn cases(kind: &str) -> Vec<(String, String)> {
    files(&root().join("language/src/method/cases").join(kind), "yaml")
}

/// Returns the name and the content of each file in
/// `folder` with the extension `extension`, sorted by name.
fn files(folder: &Path, extension: &str) -> Vec<(String, String)> {
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a text"))
        })
        .collect();
    found.sort();
    found
}

/// Calls `action` with the shipped contracts, the templates of `cases/templates` and three methods.
fn with_definitions<T>(action: impl FnOnce(&Definitions<'_>) -> T) -> T {
    let text = std::fs::read_to_string(root().join("contracts/verbs.yaml")).expect("contracts");
    let (contracts, findings) = Contracts::load(&text, "contracts/verbs.yaml");
    assert_eq!(findings, []);
    let folder = root().join("language/src/method/cases/templates");
    let (templates, findings) = Templates::load(files(&folder, "hbs"));
    assert_eq!(findings, []);
    let mut methods = BTreeMap::from(["fill_roles", "rebalance_roles"].map(|name| {
        let calls = BTreeSet::from(["fill_roles".to_owned()]);
        let calls = if name == "fill_roles" { BTreeSet::new() } else { calls };
        (name.to_owned(), Signature { inputs: None, calls })
    }));
    methods.extend(read_signature("count_chairs.yaml", COUNT_CHAIRS));
    action(&Definitions { contracts: &contracts, templates: &templates, methods })
}

/// Compiles a method with the shipped verbs and the templates of the test cases.
fn compiled(file: &str, text: &str) -> (Option<CheckedMethod>, Vec<Diagnostic>) {
    with_definitions(|definitions| compile(file, text, definitions))
}

fn report(file: &str, text: &str) -> String {
    let (method, findings) = compiled(file, text);
    let errors = findings.iter().any(Diagnostic::is_error);
    assert_eq!(method.is_none(), errors, "{file}: compiles if and only if there is no error");
    let rendered: Vec<_> = findings.iter().map(|finding| render(finding, text)).collect();
    rendered.join("\n\n")
}

#[test]
fn bad_methods_are_told_what_is_wrong() {
    let settings = snapshots("bad");
    settings.bind(|| {
        for (file, text) in cases("bad") {
            let name = file.trim_end_matches(".yaml");
            insta::assert_snapshot!(name, report(&file, &text));
        }
    });
}

#[test]
fn good_methods_become_graphs() {
    let settings = snapshots("good");
    settings.bind(|| {
        for (file, text) in cases("good") {
            let (method, findings) = compiled(&file, &text);
            let rendered: Vec<_> = findings.iter().map(|finding| render(finding, &text)).collect();
            let method = method.unwrap_or_else(|| panic!("{file}: {}", rendered.join("\n")));
            let name = file.trim_end_matches(".yaml");
            let said = rendered.join("\n\n");
            insta::assert_snapshot!(name, format!("{said}\n---\n{}", outline(method.graph())));
        }
    });
}

/// Formats a graph with one line per node and fallback, each as its stored JSON.
fn outline(graph: &Graph) -> String {
    let mut value = serde_json::to_value(graph).expect("a graph");
    let members = value.as_object_mut().expect("an object");
    let lists: Vec<_> = ["nodes", "fallbacks"].map(|name| (name, members.remove(name))).into();
    let mut lines = vec![value.to_string()];
    for (name, items) in lists {
        for (ix, item) in items.iter().flat_map(|items| items.as_array()).flatten().enumerate() {
            lines.push(format!("{name}[{ix}] {item}"));
        }
    }
    lines.join("\n")
}

#[test]
fn every_code_is_shown_by_a_bad_method() {
    let mut shown = BTreeSet::new();
    for (file, text) in cases("bad").into_iter().chain(cases("good")) {
        let (_, findings) = compiled(&file, &text);
        shown.extend(findings.into_iter().map(|finding| finding.code));
    }
    let not_of_methods = [codes::YAML_ENCODING, codes::BAD_CONTRACT];
    let missing: Vec<_> = codes::ALL
        .iter()
        .filter(|code| !shown.contains(*code) && !not_of_methods.contains(code))
        .collect();
    assert_eq!(missing, Vec::<&&str>::new(), "no case shows these codes");
    let unlisted: Vec<_> = shown.iter().filter(|code| !codes::ALL.contains(code)).collect();
    assert_eq!(unlisted, Vec::<&&str>::new(), "these codes are not in the table");
}

#[test]
fn every_code_has_a_page() {
    for code in codes::ALL {
        let path = root().join("docs/errors").join(format!("{code}.md"));
        let page = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(page.starts_with(&format!("# {code}\n\n*")), "{}", path.display());
        assert!(page.contains("**Remedy.**"), "{code} has no remedy");
    }
}

#[test]
fn findings_are_json_with_places_in_characters() {
    let text = "method: m\nsteps:\n  - call: serch_people # ñandú\n    args: { filter: { is_active: true } }\n";
    let (_, findings) = compiled("methods/m.yaml", text);
    let json = serde_json::to_value(&findings).expect("JSON");
    let expected = serde_json::json!([{
        "file": "methods/m.yaml", "line": 3, "col": 11, "end_col": 23, "severity": "error",
        "code": "unknown-verb", "message": "there is no verb `serch_people`",
        "hint": "did you mean `search_people`?",
    }]);
    assert_eq!(json, expected);
}

fn snapshots(kind: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("../cases/{kind}/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}
