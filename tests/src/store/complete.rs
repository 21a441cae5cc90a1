//! Every public function of a store is tested by a law in this folder.

use std::collections::BTreeSet;

use crate::tidy::Tree;

const STORE: &str = "engine/src/store/";
const LAWS: &str = "tests/src/store/";

/// Returns the names of all public functions that the store's files declare in `impl Tx` and `impl Store`.
fn questions(tree: &Tree) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in tree.rust_in(STORE) {
        let mut inside = false;
        for (_, line) in file.code().production_lines() {
            match line.trim_end() {
                "impl Tx {" | "impl Store {" => inside = true,
                "}" => inside = false,
                line if inside => found.extend(declared(line)),
                _ => {}
            }
        }
    }
    found
}

/// Returns the name of the public function that a line declares, or `None` if it declares none.
fn declared(line: &str) -> Option<String> {
    let rest = line.strip_prefix("    pub ")?;
    let rest = rest.strip_prefix("async ").unwrap_or(rest).strip_prefix("fn ")?;
    Some(rest.split(['(', '<']).next().unwrap_or(rest).to_owned())
}

#[test]
fn every_public_function_of_a_store_has_a_law() {
    let tree = Tree::repository();
    let questions = questions(tree);
    assert!(questions.len() > 100 && questions.contains("insert_runs"), "{questions:?}");
    let asked = |question: &String| {
        let call = format!(".{question}(");
        let of_all = format!("::{question}(");
        tree.rust_in(LAWS)
            .any(|file| file.code().all.contains(&call) || file.code().all.contains(&of_all))
    };
    let open: Vec<&String> = questions.iter().filter(|question| !asked(question)).collect();
    assert!(open.is_empty(), "no law in `{LAWS}` calls {open:?}");
}

#[test]
fn only_public_functions_of_a_transaction_or_a_store_need_a_law() {
    let text = "impl Tx {\n    /// Doc.\n    pub async fn ask<T>(&mut self) {}\n    pub(super) fn own() {}\n    \
                async fn inner() {}\n}\nimpl Row {\n    pub fn int(&self) {}\n}\n";
    let tree = Tree::of(&[("engine/src/store/x.rs", text)]);
    assert_eq!(questions(&tree), BTreeSet::from(["ask".to_owned()]));
}
