//! Every crate uses each of its dependencies. An unused dependency has no benefit, but takes time to
//! build.

use super::layers::{CRATES, dependencies};
use super::tree::{Fault, Tree};

/// Dependencies that no source names. A manifest lists such a crate only to choose its version, because
/// another dependency needs the crate.
const VERSION_ONLY: [&str; 1] = ["idna_adapter"];

/// Checks that the sources of a crate name every dependency in the manifest of the crate.
pub(crate) fn used(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (folder, name) in CRATES {
        let Some(manifest) = tree.get(&format!("{folder}/Cargo.toml")) else { continue };
        let inner = format!("{folder}/");
        for (line, dependency) in dependencies(&manifest.text) {
            let word = dependency.replace('-', "_");
            let used = tree.rust_in(&inner).any(|file| file.text.contains(&word));
            if !used && !VERSION_ONLY.contains(&dependency) {
                faults.push(manifest.fault(line, format!("`{name}` does not use `{dependency}`")));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::super::{accepts, holds, rejects};
    use super::*;

    #[test]
    fn every_dependency_is_used() {
        holds(used);
        let manifest = "[dependencies]\nserde.workspace = true\ntower-http.workspace = true\n";
        let rust = "use serde::Serialize;\nuse tower_http::trace;";
        accepts(used, &[("verbs/Cargo.toml", manifest), ("verbs/src/lib.rs", rust)]);
        let files = [("verbs/Cargo.toml", manifest), ("verbs/src/lib.rs", "use serde::Serialize;")];
        rejects(used, &files, &["`abide-verbs` does not use `tower-http`"]);
    }
}
