//! Loads all files of contracts: those of the program first, then those of the home over them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::builtin;
use crate::contract::Contracts;
use crate::diagnostic::Diagnostic;
use crate::method::Graph;

/// The prefix of the names of a home's files of contracts, which distinguishes such a file from a file of
/// the program with the same name.
const HOME: &str = "home/";

/// Returns the name under which the sources keep a home's file of contracts.
pub(super) fn name_in_home(file: &str) -> String {
    format!("{HOME}{file}")
}

/// A loaded file of contracts.
struct Loaded {
    text: &'static str,
    contracts: Contracts,
    findings: Vec<Diagnostic>,
}

/// The files that are compiled into the program, by name. They are loaded once, because tests and simulations
/// open many engines in one process, and a hundred contracts take longer to compile than a short run lasts.
static BUILTIN: LazyLock<BTreeMap<&str, Loaded>> = LazyLock::new(|| {
    let files = builtin::CONTRACTS.iter().map(|&(file, text)| {
        let (contracts, findings) = Contracts::load(text, file);
        (file, Loaded { text, contracts, findings })
    });
    files.collect()
});

/// Loads files of contracts, given by name. A home's file may add tools, and tighten the others.
pub(super) fn load(files: &BTreeMap<String, String>) -> (Contracts, Vec<Diagnostic>) {
    let mut contracts = Contracts::default();
    let mut findings = Vec::new();
    let (home, builtin): (Vec<_>, Vec<_>) = files.iter().partition(|(file, _)| is_of_home(file));
    for (file, text) in builtin {
        let (own, found) = match BUILTIN.get(file.as_str()).filter(|known| known.text == text) {
            Some(known) => (known.contracts.clone(), known.findings.clone()),
            None => Contracts::load(text, file),
        };
        contracts.extend(own);
        findings.extend(found);
    }
    for (file, text) in home {
        let (own, found) = Contracts::load_over(&contracts, text, file);
        contracts.extend(own);
        findings.extend(found);
    }
    (contracts, findings)
}

fn is_of_home(file: &str) -> bool {
    file.starts_with(HOME)
}

/// Returns the files that define the contracts of the tools that a method calls.
pub(super) fn files_of<'a>(graph: &Graph, contracts: &'a Contracts) -> BTreeSet<&'a str> {
    let called = graph.calls().filter_map(|call| contracts.get(&call.verb));
    called.flat_map(|contract| contract.files().iter().map(String::as_str)).collect()
}
