//! Tests the shipped methods and templates, and an unchanged
//! copy of the method in the original specification.

use super::{Definitions, files, root};
use crate::contract::Contracts;
use crate::diagnostic::render;
use crate::method::{compile, read_signature};
use crate::template::Templates;

fn findings(file: &str, text: &str) -> (bool, Vec<String>) {
    let contracts =
        std::fs::read_to_string(root().join("contracts/verbs.yaml")).expect("contracts");
    let (contracts, _) = Contracts::load(&contracts, "contracts/verbs.yaml");
    let (templates, found) = Templates::load(files(&root().join("templates"), "hbs"));
    assert_eq!(found, []);
    let methods = files(&root().join("methods"), "yaml");
    let methods = methods.iter().filter_map(|(name, text)| read_signature(name, text)).collect();
    let definitions = Definitions { contracts: &contracts, templates: &templates, methods };
    let (method, found) = compile(file, text, &definitions);
    (method.is_some(), found.iter().map(|finding| render(finding, text)).collect())
}

#[test]
fn shipped_methods_have_no_findings() {
    for (file, text) in files(&root().join("methods"), "yaml") {
        let (_, found) = findings(&file, &text);
        assert!(found.is_empty(), "{file}:\n{}", found.join("\n\n"));
    }
}

#[test]
fn the_seeds_method_compiles_with_the_shipped_messages() {
    let text = include_str!("../cases/good/seed_fill_roles.yaml");
    let (compiled, found) = findings("seed_fill_roles.yaml", text);
    assert!(compiled, "{}", found.join("\n\n"));
}
