//! Nothing can be asked of a store without a law about it.

use std::collections::BTreeSet;

use crate::tidy::Tree;

const STORE: &str = "engine/src/store/";
const LAWS: &str = "tests/src/store/";

/// The questions that can be put to a store: the public functions that its files declare inside the
/// types that a transaction and a store are.
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

/// The function that a line declares for everybody.
fn declared(line: &str) -> Option<String> {
    let rest = line.strip_prefix("    pub ")?;
    let rest = rest.strip_prefix("async ").unwrap_or(rest).strip_prefix("fn ")?;
    Some(rest.split(['(', '<']).next().unwrap_or(rest).to_owned())
}

#[test]
fn each_question_to_a_store_has_a_law() {
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
    assert!(open.is_empty(), "no law in `{LAWS}` asks a store for {open:?}");
}

#[test]
fn a_question_is_a_public_function_of_a_transaction_or_a_store() {
    let text = "impl Tx {\n    /// Doc.\n    pub async fn ask<T>(&mut self) {}\n    pub(super) fn own() {}\n    \
                async fn inner() {}\n}\nimpl Row {\n    pub fn int(&self) {}\n}\n";
    let tree = Tree::of(&[("engine/src/store/x.rs", text)]);
    assert_eq!(questions(&tree), BTreeSet::from(["ask".to_owned()]));
}
