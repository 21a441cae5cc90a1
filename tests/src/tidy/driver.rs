//! Dependencies inside the engine's driver run in one direction. They go through the `mod.rs` of a folder.

use super::rust::{line_of, words};
use super::tree::{Fault, File, Tree};

/// A folder or file of the driver, with the folders and files that it may use.
struct Room {
    name: &'static str,
    /// The files of a folder except its `mod.rs`. Each file may use the files before it in this list.
    files: &'static [&'static str],
    may_use: &'static [&'static str],
}

const fn folder(
    name: &'static str,
    files: &'static [&'static str],
    may_use: &'static [&'static str],
) -> Room {
    Room { name, files, may_use }
}

const fn file(name: &'static str, may_use: &'static [&'static str]) -> Room {
    Room { name, files: &[], may_use }
}

/// The dependencies inside the driver. A new dependency must be added here, with a reason in the commit.
const ROOMS: &[Room] = &[
    file("current_part", &[]),
    file("bell", &[]),
    folder(
        "claims",
        &["node_status", "unsettled", "owned", "give_back", "free", "poison", "take"],
        &["bell"],
    ),
    folder(
        "core",
        &[
            "domains",
            "bundles",
            "run_ends",
            "awaited",
            "pumped",
            "archive_pass",
            "backoff",
            "tenant_rotation",
            "tenants",
            "tries",
            "preview",
            "proposals",
            "rewordings",
            "state",
            "fit",
            "streams",
            "wait",
            "release_time",
            "budget",
            "ask_model",
        ],
        &["bell", "claims"],
    ),
    folder(
        "start",
        &["plan", "check", "rows", "choose", "shadow", "begin", "child", "fork"],
        &["core"],
    ),
    folder(
        "step",
        &[
            "run_in_memory",
            "draft",
            "lane",
            "context",
            "key",
            "load",
            "askings",
            "undo",
            "states",
            "call",
            "park",
            "joint",
            "approval",
            "shown",
            "outside_plan",
            "gate",
            "external",
            "wait",
            "awaits",
            "children",
            "fan",
            "invoke",
            "closing",
            "failed",
            "shadow",
            "skip",
            "upgrade",
            "orders",
            "take",
        ],
        &["core", "start"],
    ),
    folder(
        "inbox",
        &[
            "frames",
            "rest",
            "proposal",
            "reading",
            "apply",
            "order",
            "together",
            "set_aside",
            "pump",
        ],
        &["current_part", "core", "start"],
    ),
    folder(
        "outbox",
        &[
            "call_result",
            "verdict",
            "hold",
            "record",
            "calls",
            "rewording",
            "slice",
            "pump",
            "reconcile",
        ],
        &["current_part", "core"],
    ),
    folder("archive", &["chunk", "file", "commit", "step"], &["core"]),
    folder(
        "schedules",
        &["fire", "sweep", "switch", "retention", "pump"],
        &["bell", "core", "start", "archive"],
    ),
    folder(
        "runs",
        &["heads", "outside", "shadow", "actor", "pump", "lane_a"],
        &["current_part", "core", "start", "step"],
    ),
    file("schema", &["core"]),
    file("node", &["core", "schema"]),
    file("part", &["current_part", "bell", "core", "inbox", "outbox", "runs", "schedules"]),
    file("serve", &["core", "node", "part"]),
    file("settle", &["core", "part"]),
];

const DRIVER: &str = "engine/src/driver/";

/// Checks that each folder and each file of the driver uses only the folders and files that `ROOMS` allows.
/// A folder is used only through the exports of its `mod.rs`.
/// All dependencies point to earlier rows of `ROOMS`, so there are no cycles.
pub(crate) fn rooms(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    let files = tree.rust_in(DRIVER).filter(|file| !file.is_test() && file.path != ENTRANCE);
    for file in files {
        let here = place(&file.path);
        let Some(rank) = rank(&here) else {
            faults.push(file.fault(1, "has no place in the table of the driver"));
            continue;
        };
        for (line, _) in file.code().lines().filter(|(_, code)| opens(code)) {
            faults.push(file.fault(line, "opens a file to others: export what they use"));
        }
        for (line, path) in paths(file, &here) {
            if let Some(why) = wrong(&here, rank, &path) {
                faults.push(file.fault(line, why));
            }
        }
    }
    faults
}

const ENTRANCE: &str = "engine/src/driver/mod.rs";

/// Whether a line makes a module of a folder visible to other folders.
fn opens(code: &str) -> bool {
    code.starts_with("pub") && words(code, "mod").any(|at| code[at..].starts_with("mod "))
}

/// Returns the module path of a file within the driver: `step/wait.rs` gives `step`, `wait`;
/// `step/mod.rs` gives `step`.
fn place(path: &str) -> Vec<String> {
    let inner = path.strip_prefix(DRIVER).unwrap_or(path).trim_end_matches(".rs");
    inner.trim_end_matches("/mod").split('/').map(str::to_owned).collect()
}

/// The position of a file in `ROOMS`.
#[derive(Clone, Copy)]
struct Rank {
    row: usize,
    /// Index of the file among the files of its row. A `mod.rs` comes after all files of its row.
    within: usize,
}

/// Returns the position of a file in `ROOMS`, or `None` if `ROOMS` does not contain the file.
fn rank(place: &[String]) -> Option<Rank> {
    let row = ROOMS.iter().position(|room| room.name == place[0])?;
    let files = ROOMS[row].files;
    let within = match place {
        [_] => files.len(),
        [_, file] => files.iter().position(|known| known == file)?,
        _ => return None,
    };
    Some(Rank { row, within })
}

/// Returns the reason why a file may not use a path, or `None` if it may use the path.
/// `here` is the module path of the file, and `rank` is its position in `ROOMS`.
fn wrong(here: &[String], rank: Rank, path: &[String]) -> Option<String> {
    let Rank { row, within } = rank;
    let room = &ROOMS[row];
    let used = path.first()?;
    let Some(other) = ROOMS.iter().find(|other| other.name == used) else {
        return Some(format!("`{used}` is reached by the driver's own `mod.rs`: name its folder"));
    };
    let file = path.get(1).map(String::as_str).unwrap_or_default();
    let known = other.files.iter().position(|known| *known == file);
    if other.name != room.name {
        if !room.may_use.contains(&other.name) {
            return Some(format!("`{}` may not use `{}`", room.name, other.name));
        }
        // The path `folder::name` may mean a function `name` that `mod.rs` exports from the file `name.rs`.
        // A longer path leads into the file.
        return known
            .filter(|_| path.len() > 2)
            .map(|_| format!("`{used}::{file}` is private to `{used}`"));
    }
    let own = here.join("::");
    match known {
        Some(at) if at > within => Some(format!("`{own}` may not use `{used}::{file}`")),
        Some(_) => None,
        None if here.len() > 1 && !other.files.is_empty() => {
            Some(format!("`{own}` takes `{file}` from its own `mod.rs`: name the file"))
        }
        None => None,
    }
}

/// Returns the paths into the driver that a file names with `super` or `crate::driver`, each with its line.
fn paths(file: &File, here: &[String]) -> Vec<(usize, Vec<String>)> {
    let code = &file.code().production;
    let mut found = Vec::new();
    let mut add = |at: usize, from: &[String], rest: &str| {
        found.extend(tails(rest).into_iter().map(|tail| {
            let path = from.iter().chain(&tail).cloned().collect();
            (line_of(code, at), path)
        }));
    };
    for at in words(code, "crate") {
        if let Some(rest) = code[at..].strip_prefix("crate::driver::") {
            add(at, &[], rest);
        }
    }
    for at in words(code, "super").filter(|at| !code[..*at].ends_with("super::")) {
        let mut rest = &code[at..];
        let mut climbed = 0;
        while let Some(above) = rest.strip_prefix("super::") {
            (rest, climbed) = (above, climbed + 1);
        }
        if climbed > 0 && climbed <= here.len() {
            add(at, &here[..here.len() - climbed], rest);
        }
    }
    found
}

/// Returns the paths in a `use` tree: `a::{b, c::D}` gives `a::b` and `a::c::D`; `a::{self}` gives `a`.
fn tails(rest: &str) -> Vec<Vec<String>> {
    let rest = rest.trim_start();
    if let Some(group) = rest.strip_prefix('{') {
        return members(group).into_iter().flat_map(tails).collect();
    }
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    if name.is_empty() || name == "self" {
        return vec![Vec::new()];
    }
    match rest[name.len()..].strip_prefix("::") {
        Some(deeper) => {
            let deeper = tails(deeper).into_iter();
            deeper.map(|tail| std::iter::once(name.clone()).chain(tail).collect()).collect()
        }
        None => vec![vec![name]],
    }
}

/// Returns the members of a braced group in a `use` tree, up to the closing brace.
fn members(group: &str) -> Vec<&str> {
    let (mut depth, mut found, mut from) = (0_usize, Vec::new(), 0);
    for (at, byte) in group.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth > 0 => depth -= 1,
            b',' | b'}' if depth == 0 => {
                found.push(group[from..at].trim());
                from = at + 1;
                if byte == b'}' {
                    break;
                }
            }
            _ => {}
        }
    }
    found.retain(|member| !member.is_empty());
    found
}

mod tests {
    use super::super::{accepts, holds, rejects};
    use super::{ROOMS, rooms};

    #[test]
    fn rooms_use_only_what_is_below() {
        holds(rooms);
        accepts(
            rooms,
            &[
                ("engine/src/driver/part.rs", "use super::{inbox, runs::pump};"),
                (
                    "engine/src/driver/step/wait.rs",
                    "use super::super::core::{Core, pause}; use super::{call::{self, finish}, load};",
                ),
                ("engine/src/driver/step/mod.rs", "pub(in crate::driver) use wait::wait;"),
                ("engine/src/driver/mod.rs", "pub use settle::settle;"),
            ],
        );
        rejects(
            rooms,
            &[("engine/src/driver/claims/take.rs", "\nuse super::super::core::Core;")],
            &["take.rs:2: `claims` may not use `core`"],
        );
        rejects(
            rooms,
            &[("engine/src/driver/bell.rs", "use super::{part::Part, settle};")],
            &["`bell` may not use `part`", "`bell` may not use `settle`"],
        );
        rejects(
            rooms,
            &[("engine/src/driver/inbox/order.rs", "fn f() { crate::driver::runs::pump() }")],
            &["`inbox` may not use `runs`"],
        );
    }

    #[test]
    fn folders_are_used_through_their_mod_rs() {
        rejects(
            rooms,
            &[("engine/src/driver/runs/actor.rs", "use super::super::step::draft::Draft;")],
            &["`step::draft` is private to `step`"],
        );
        rejects(
            rooms,
            &[("engine/src/driver/step/mod.rs", "mod lane;\npub(super) mod draft;")],
            &["mod.rs:2: opens a file to others"],
        );
        rejects(
            rooms,
            &[("engine/src/driver/step/call.rs", "use super::{Step, load};")],
            &["`step::call` takes `Step` from its own `mod.rs`"],
        );
        rejects(
            rooms,
            &[("engine/src/driver/step/call.rs", "use crate::driver::Core;")],
            &["`Core` is reached by the driver's own `mod.rs`"],
        );
    }

    #[test]
    fn files_of_a_folder_have_no_cycle() {
        rejects(
            rooms,
            &[
                ("engine/src/driver/step/call.rs", "use super::{load, wait::arm};"),
                ("engine/src/driver/step/wait.rs", "use super::call::finish;"),
            ],
            &["`step::call` may not use `step::wait`"],
        );
        rejects(rooms, &[("engine/src/driver/step/pool.rs", "")], &["has no place in the table"]);
        rejects(rooms, &[("engine/src/driver/pool.rs", "")], &["has no place in the table"]);
    }

    #[test]
    fn the_table_is_ordered_from_the_bottom_up() {
        for (row, room) in ROOMS.iter().enumerate() {
            let below = &ROOMS[..row];
            for used in room.may_use {
                assert!(below.iter().any(|r| r.name == *used), "{} uses {used}", room.name);
            }
        }
    }
}
