//! Checks the laws of methods. A YAML source is compiled to a checked
//! method with a graph; a proof and drawings are made from the graph.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use abide_engine::diagnostic::Diagnostic;
use abide_engine::drawing::{self, DrawingFormat, Marks};
use abide_engine::library::{Library, Sources};
use abide_engine::method::{self, CheckedMethod, Definitions, Graph};
use abide_engine::policy::Settings;
use abide_engine::proof::{self, Given};
use abide_engine::yaml;

use crate::places;

/// The built-in library: the verbs, templates and methods that a method under test can refer to.
static HOME: LazyLock<Library> = LazyLock::new(|| Library::compile(Sources::builtin()));

const FILE: &str = "method.yaml";

pub(crate) fn hold(bytes: &[u8]) {
    let text = match yaml::text_of(FILE, bytes) {
        Ok(text) => text,
        Err(finding) => {
            assert!(finding.is_error() && finding.hint.is_some(), "{finding:?}");
            return;
        }
    };
    let (method, findings) = compiled(text);
    assert_eq!((&method, &findings), (&again(text).0, &again(text).1), "compiled twice");
    let faulty = findings.iter().any(Diagnostic::is_error);
    assert_eq!(method.is_none(), faulty, "a method if and only if there is no error: {findings:?}");
    places::hold(text, &findings);
    if let Some(method) = method {
        sound(&method, text);
    }
}

fn again(text: &str) -> (Option<CheckedMethod>, Vec<Diagnostic>) {
    compiled(text)
}

fn compiled(text: &str) -> (Option<CheckedMethod>, Vec<Diagnostic>) {
    let mut methods = HOME.signatures();
    methods.extend(method::read_signature(FILE, text));
    let world = Definitions { contracts: &HOME.contracts, templates: &HOME.templates, methods };
    method::compile(FILE, text, &world)
}

/// Checks the laws of a method that compiled without errors.
fn sound(method: &CheckedMethod, text: &str) {
    assert_eq!(method.text(), text, "runs are pinned to the text as written");
    let graph = method.graph();
    let stored = serde_json::to_string(graph).expect("a graph serialises");
    let back: Graph = serde_json::from_str(&stored).expect("a stored graph deserialises");
    assert_eq!(&back, graph, "a stored graph is the same");
    let mut methods: BTreeMap<&str, &Graph> =
        HOME.methods.iter().map(|(name, bundle)| (name.as_str(), &bundle.graph)).collect();
    methods.insert(method.name(), graph);
    let world =
        proof::ProofDefinitions { contracts: &HOME.contracts, templates: &HOME.templates, methods };
    let proof = proof::prove(graph, &world, &Given::of(&Settings::default()));
    let figures = proof::figures(&proof);
    for format in ["svg", "dot", "mermaid", "json"] {
        let format: DrawingFormat = format.parse().expect("a format");
        let marks = Marks { figures: figures.clone(), ..Marks::default() };
        assert!(!drawing::draw(graph, format, &marks).is_empty(), "{format:?}");
    }
}
