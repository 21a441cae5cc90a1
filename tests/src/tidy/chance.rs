//! A seed determines a whole simulation. So every random choice of the engine must come from the seed.

use super::tree::{Fault, Tree};

const ENGINE: &str = "engine/src/";
const RACE: &str = "select!";

/// Checks that every `select!` of the engine begins with `biased;`.
/// Such a `select!` takes the first branch that is ready, while any other `select!` chooses at random.
pub(crate) fn races(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in tree.rust_in(ENGINE).filter(|file| !file.is_test()) {
        let lines: Vec<(usize, &str)> = file.code().production_lines().collect();
        for (ix, (line, code)) in lines.iter().enumerate() {
            let behind = lines[ix..].iter().take(2).map(|(_, code)| *code).collect::<String>();
            if code.contains(RACE) && !behind.contains("biased;") {
                faults.push(file.fault(*line, "a race without `biased;`: chance decides it"));
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
    fn races_are_biased() {
        holds(races);
        let path = "engine/src/driver/a.rs";
        accepts(races, &[(path, "tokio::select! {\n    biased;\n    () = a() => {}\n}")]);
        accepts(races, &[("server/src/a.rs", "tokio::select! {\n    () = a() => {}\n}")]);
        let chance = "fn f() {\n    tokio::select! {\n        () = a() => {}\n    }\n}";
        rejects(races, &[(path, chance)], &["without `biased;`"]);
    }
}
