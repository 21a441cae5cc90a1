//! Dependencies run in one direction, both between the modules of the engine and between the crates.

use std::collections::BTreeSet;

use super::rust::{line_of, words};
use super::tree::{Fault, File, Tree};

/// A module of the engine, and the modules that it may use. The lowest layers come first in `LAYERS`.
struct Layer {
    module: &'static str,
    may_use: &'static [&'static str],
    pure: bool,
}

const fn pure(module: &'static str, may_use: &'static [&'static str]) -> Layer {
    Layer { module, may_use, pure: true }
}

const fn acts(module: &'static str, may_use: &'static [&'static str]) -> Layer {
    Layer { module, may_use, pure: false }
}

/// The dependencies between modules, as `ARCHITECTURE.md` states them. A new dependency must be added
/// here, with a reason in the message of the commit.
const LAYERS: &[Layer] = &[
    pure("base", &[]),
    pure("diagnostic", &["base"]),
    pure("yaml", &["base", "diagnostic"]),
    pure("expr", &["base"]),
    pure("contract", &["base", "diagnostic", "yaml", "expr"]),
    pure("template", &["base", "diagnostic", "yaml", "expr"]),
    pure("method", &["base", "diagnostic", "yaml", "expr", "contract", "template"]),
    pure("policy", &["base", "contract"]),
    pure("quality", &["base", "contract"]),
    pure("proof", &["base", "expr", "contract", "template", "method", "policy"]),
    pure("drawing", &["base", "expr", "method", "proof"]),
    pure("planning", &["base", "expr", "contract", "method"]),
    acts("clock", &["base"]),
    acts("planted", &[]),
    pure("phone", &["policy"]),
    pure("response", &["base"]),
    pure("erasure", &["base"]),
    pure("ledger", &["base"]),
    pure("run", &["base", "expr", "contract", "template", "method", "policy", "planted", "ledger"]),
    acts("library", &["base", "diagnostic", "expr", "contract", "template", "method"]),
    acts(
        "store",
        &[
            "base", "clock", "planted", "contract", "library", "template", "policy", "response",
            "erasure", "ledger", "run",
        ],
    ),
    acts("archive", &["base", "ledger", "store"]),
    acts("adapter", &["base", "contract", "run"]),
    acts("model", &["base"]),
    acts("verb", &["base", "expr", "contract", "template", "policy", "ledger", "run", "store"]),
    acts(
        "domain",
        &[
            "base", "expr", "contract", "template", "policy", "erasure", "run", "store", "model",
            "verb",
        ],
    ),
    acts("gateway", &["base", "clock", "template", "erasure", "store"]),
    acts(
        "driver",
        &[
            "base", "clock", "planted", "expr", "contract", "template", "method", "policy",
            "proof", "planning", "ledger", "run", "store", "archive", "adapter", "model", "verb",
            "domain", "gateway", "library",
        ],
    ),
    acts(
        "facade",
        &[
            "base",
            "clock",
            "planted",
            "diagnostic",
            "erasure",
            "expr",
            "contract",
            "template",
            "method",
            "policy",
            "quality",
            "ledger",
            "run",
            "store",
            "archive",
            "adapter",
            "model",
            "verb",
            "domain",
            "gateway",
            "library",
            "driver",
        ],
    ),
];

/// Exceptions: files of pure modules, each with the words of `IMPURE` that the file may use.
/// The source of ids may use a random generator, because the seed of the generator is an input.
const OWNERS: &[(&str, &[&str])] = &[("language/src/base/id.rs", &["fastrand"])];

/// Words that are banned in pure modules.
/// Each word is a sign of a clock, of randomness, of IO or of an iteration in an unpredictable sequence.
const IMPURE: &[(&str, &str)] = &[
    ("async", "a pure module waits for nothing"),
    ("tokio", "a pure module waits for nothing"),
    ("sqlx", "only `store` speaks to a database"),
    ("fastrand", "randomness is an input: take a seed or an id"),
    ("SystemTime", "time is an input: take `now`"),
    ("time::Instant", "time is an input: take `now`"),
    ("HashMap", "its order differs from run to run: use `BTreeMap`"),
    ("HashSet", "its order differs from run to run: use `BTreeSet`"),
    ("std::fs", "a pure module does no IO: take the text"),
    ("std::net", "a pure module does no IO"),
    ("std::env", "the environment is read once, by the command line"),
    ("std::process", "a pure module does no IO"),
];

/// The crates from the bottom up. Each crate may use the crates before it in this list.
pub(super) const CRATES: &[(&str, &str)] = &[
    ("language", "abide-language"),
    ("engine", "abide-engine"),
    ("agent", "abide-agent"),
    ("verbs", "abide-verbs"),
    ("trade", "abide-trade"),
    ("adapters", "abide-adapters"),
    ("simulator", "abide-simulator"),
    ("server", "abide-server"),
    ("tests/laws", "abide-laws"),
    ("tests", "abide-tests"),
];

/// Checks that each module of the engine uses only the modules that `LAYERS` allows.
pub(crate) fn modules(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    let known: BTreeSet<&str> = LAYERS.iter().map(|layer| layer.module).collect();
    for file in layered(tree) {
        let module = module_of(&file.path);
        let Some(layer) = LAYERS.iter().find(|layer| layer.module == module) else {
            faults.push(
                file.fault(1, format!("the module `{module}` has no row in the table of layers")),
            );
            continue;
        };
        for (line, used) in arrows(file) {
            if known.contains(used.as_str())
                && used != module
                && !layer.may_use.contains(&used.as_str())
            {
                faults.push(file.fault(line, format!("`{module}` may not use `{used}`")));
            }
        }
    }
    faults
}

/// Checks that pure modules contain none of the words in `IMPURE`, apart from the exceptions in `OWNERS`.
pub(crate) fn purity(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in layered(tree).filter(|file| !file.is_test()) {
        let pure = LAYERS.iter().any(|layer| layer.pure && layer.module == module_of(&file.path));
        if !pure {
            continue;
        }
        let owner = OWNERS.iter().find(|(path, _)| *path == file.path);
        let owned = owner.map_or(&[][..], |(_, words)| words);
        for (line, code) in file.code().production_lines() {
            for (word, why) in IMPURE.iter().filter(|(word, _)| !owned.contains(word)) {
                if words(code, word).next().is_some() {
                    faults.push(file.fault(line, format!("`{word}` in a pure module: {why}")));
                }
            }
        }
    }
    faults
}

/// Domains, which are beside each other: none of them may use another one.
const DOMAINS: [&str; 2] = ["abide-verbs", "abide-trade"];

/// Checks that crates use only the crates below them, and that no domain uses another one.
/// Only the engine, the server's benchmark and the tests may use `sqlx`.
pub(crate) fn crates(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (rank, (folder, name)) in CRATES.iter().enumerate() {
        let path = format!("{folder}/Cargo.toml");
        let Some(file) = tree.get(&path) else {
            faults.push(Fault::of(path, format!("the crate `{name}` is missing")));
            continue;
        };
        for (line, used) in dependencies(&file.text) {
            let above = CRATES.iter().skip(rank).any(|(_, other)| *other == used);
            let beside = DOMAINS.contains(name) && DOMAINS.contains(&used);
            if above || beside {
                faults.push(file.fault(line, format!("`{name}` may not use `{used}`")));
            } else if *folder == "language" && ["sqlx", "tokio"].contains(&used) {
                faults.push(file.fault(line, format!("`{name}` may not use `{used}`: it is pure")));
            } else if used == "sqlx" && !["engine", "server", "tests"].contains(folder) {
                faults.push(
                    file.fault(line, format!("`{name}` may not use `sqlx`: SQL goes through `Tx`")),
                );
            }
        }
    }
    faults
}

/// The folders of the language and the engine. Their modules form one sequence of layers, because the engine
/// re-exports the modules of the language: `crate::base` in the engine names a module of the language.
const LAYERED: [&str; 2] = ["language/src/", "engine/src/"];

/// Returns the files of all modules in the folders of `LAYERED`.
fn layered(tree: &Tree) -> impl Iterator<Item = &File> {
    let files = LAYERED.into_iter().flat_map(|folder| tree.rust_in(folder));
    files.filter(|file| !file.path.ends_with("/src/lib.rs"))
}

/// Returns the path of a file below the `src` folder of its crate.
fn inner(path: &str) -> &str {
    LAYERED.iter().find_map(|folder| path.strip_prefix(folder)).unwrap_or(path)
}

/// Returns the module of a file: `engine/src/store/tx.rs` and `engine/src/store.rs` belong to `store`.
fn module_of(path: &str) -> &str {
    let inner = inner(path);
    inner.split('/').next().unwrap_or(inner).trim_end_matches(".rs")
}

/// Returns the modules that a file names with `crate::…` or `super`, each with its line.
fn arrows(file: &File) -> Vec<(usize, String)> {
    let code = &file.code().production;
    let mut found = Vec::new();
    for at in words(code, "crate") {
        if let Some(rest) = code[at..].strip_prefix("crate::") {
            found.extend(heads(rest).into_iter().map(|head| (line_of(code, at), head)));
        }
    }
    let climb = "super::".repeat(depth(&file.path));
    for at in words(code, "super") {
        let begins = !code[..at].ends_with("super::");
        if let Some(rest) = code[at..].strip_prefix(&climb).filter(|_| begins) {
            found.extend(heads(rest).into_iter().map(|head| (line_of(code, at), head)));
        }
    }
    found
}

/// Returns how often `super` must be repeated to lead
/// from the top level of a file to the root of its crate.
fn depth(path: &str) -> usize {
    let inner = inner(path).trim_end_matches(".rs");
    inner.trim_end_matches("/mod").split('/').count()
}

/// Returns the first name of a path. For a group, returns the first name of each path:
/// `{a::B, c}` gives `a` and `c`.
fn heads(rest: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let Some(group) = rest.strip_prefix('{') else { return vec![name(rest)] };
    let (mut depth, mut found, mut from) = (0_usize, Vec::new(), 0);
    for (at, byte) in group.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b',' if depth == 0 => {
                found.push(name(&group[from..at]));
                from = at + 1;
            }
            b'}' if depth == 0 => {
                found.push(name(&group[from..at]));
                break;
            }
            b'}' => depth -= 1,
            _ => {}
        }
    }
    found
}

/// Returns the names of the packages under `[dependencies]`, each with its line.
pub(super) fn dependencies(manifest: &str) -> Vec<(usize, &str)> {
    let mut inside = false;
    let mut found = Vec::new();
    for (ix, line) in manifest.lines().enumerate() {
        if line.starts_with('[') {
            inside = line.trim() == "[dependencies]";
        } else if inside && let Some((name, _)) = line.split_once(['.', ' ', '=']) {
            found.push((ix + 1, name));
        }
    }
    found
}

mod tests {
    use super::super::{accepts, holds, rejects};
    use super::{crates, modules, purity};

    #[test]
    fn modules_use_only_what_is_below() {
        holds(modules);
        accepts(
            modules,
            &[(
                "engine/src/run/step.rs",
                "use crate::{base::Span, method::Graph}; use super::State;",
            )],
        );
        rejects(
            modules,
            &[("language/src/expr/eval.rs", "\nuse crate::store::Tx;")],
            &["eval.rs:2: `expr` may not use `store`"],
        );
        rejects(
            modules,
            &[("engine/src/run/mod.rs", "use crate::{base::{Span, Id}, driver};")],
            &["`run` may not use `driver`"],
        );
        rejects(
            modules,
            &[("engine/src/run/step.rs", "use super::super::store::Tx;")],
            &["`run` may not use `store`"],
        );
        rejects(modules, &[("engine/src/pool.rs", "")], &["`pool` has no row"]);
        accepts(
            modules,
            &[(
                "language/src/expr/eval.rs",
                "// crate::store\n#[cfg(test)]\nmod tests { use crate::store::Tx; }",
            )],
        );
    }

    #[test]
    fn pure_modules_do_no_io() {
        holds(purity);
        accepts(purity, &[("engine/src/clock.rs", "use std::time::SystemTime;")]);
        rejects(
            purity,
            &[("language/src/base/time.rs", "use std::time::SystemTime;")],
            &["`SystemTime` in a pure module"],
        );
        accepts(
            purity,
            &[("engine/src/store/tx.rs", "use std::collections::HashMap; async fn f() {}")],
        );
        rejects(
            purity,
            &[("engine/src/run/step.rs", "async fn step() {}")],
            &["`async` in a pure module"],
        );
        rejects(
            purity,
            &[("language/src/expr/eval.rs", "use std::collections::HashMap;")],
            &["use `BTreeMap`"],
        );
    }

    #[test]
    fn crates_use_only_what_is_below() {
        let with = |language: &'static str, engine: &'static str, verbs: &'static str| {
            [
                ("language/Cargo.toml", language),
                ("engine/Cargo.toml", engine),
                ("agent/Cargo.toml", ""),
                ("verbs/Cargo.toml", verbs),
                ("trade/Cargo.toml", ""),
                ("adapters/Cargo.toml", ""),
                ("simulator/Cargo.toml", ""),
                ("server/Cargo.toml", ""),
                ("tests/laws/Cargo.toml", ""),
                ("tests/Cargo.toml", ""),
            ]
        };
        holds(crates);
        accepts(
            crates,
            &with(
                "",
                "[dependencies]\nsqlx.workspace = true",
                "[dependencies]\nabide-engine.workspace = true",
            ),
        );
        rejects(
            crates,
            &with("", "[dependencies]\nabide-verbs = \"1\"", ""),
            &["Cargo.toml:2: `abide-engine` may not use `abide-verbs`"],
        );
        rejects(
            crates,
            &with("", "", "[dependencies]\nsqlx.workspace = true"),
            &["`abide-verbs` may not use `sqlx`"],
        );
        let mut beside = with("", "", "");
        beside[4].1 = "[dependencies]\nabide-verbs.workspace = true";
        rejects(crates, &beside, &["`abide-trade` may not use `abide-verbs`"]);
        rejects(
            crates,
            &with("[dependencies]\ntokio.workspace = true", "", ""),
            &["`abide-language` may not use `tokio`"],
        );
        rejects(
            crates,
            &with("", "", "")[..9],
            &["tests/Cargo.toml: the crate `abide-tests` is missing"],
        );
    }
}
