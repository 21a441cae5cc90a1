//! Arrows run one way inside the engine's driver, too, and enter its folders by their entrances.

use super::rust::{line_of, words};
use super::tree::{Fault, File, Tree};

/// A folder or a file of the driver, and which others it may use; rows are in the order of the layers.
struct Room {
    name: &'static str,
    /// The files of a folder beside its `mod.rs`, from the bottom up: each may use those before it.
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

/// The arrows inside the driver. A new arrow is a new word here, and a reason in its commit.
const ROOMS: &[Room] = &[
    file("at_work", &[]),
    file("bell", &[]),
    folder(
        "claims",
        &["standing", "unsettled", "held", "give_back", "free", "poison", "take"],
        &["bell"],
    ),
    folder(
        "core",
        &[
            "bundles",
            "endings",
            "pumped",
            "put_off",
            "tenant_turns",
            "tenants",
            "tries",
            "state",
            "fit",
            "streams",
            "wait",
        ],
        &["bell", "claims"],
    ),
    folder("start", &["check", "rows", "begin", "child", "fork"], &["core"]),
    folder(
        "step",
        &[
            "live", "draft", "lane", "context", "load", "answers", "undo", "call", "park", "look",
            "awaits", "children", "fan", "make", "closing", "failed", "skip", "upgrade", "orders",
            "take",
        ],
        &["core", "start"],
    ),
    folder("inbox", &["reading", "apply", "order", "set_aside", "pump"], &["core", "start"]),
    folder(
        "outbox",
        &["begun", "fate", "verdict", "hold", "note", "calls", "slice", "pump", "reconcile"],
        &["at_work", "core"],
    ),
    folder("schedules", &["fire", "sweep", "switch", "pump"], &["core", "start"]),
    folder("runs", &["heads", "actor", "pump", "alone"], &["at_work", "core", "start", "step"]),
    file("schema", &["core"]),
    file("node", &["core", "schema"]),
    file("part", &["at_work", "bell", "core", "inbox", "outbox", "runs", "schedules"]),
    file("serve", &["core", "node", "part"]),
    file("settle", &["core", "part"]),
];

const DRIVER: &str = "engine/src/driver/";

/// Folders and files of the driver use those below them, as the table says, and of a folder only what its
/// entrance exports. Where every arrow runs down, no files make a circle.
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

/// True for a line that lets others name a file behind an entrance.
fn opens(code: &str) -> bool {
    code.starts_with("pub") && words(code, "mod").any(|at| code[at..].starts_with("mod "))
}

/// The names that lead from the driver to a file: `step/look.rs` is `step`, `look`; `step/mod.rs` is `step`.
fn place(path: &str) -> Vec<String> {
    let inner = path.strip_prefix(DRIVER).unwrap_or(path).trim_end_matches(".rs");
    inner.trim_end_matches("/mod").split('/').map(str::to_owned).collect()
}

/// Which row of the table a file is in, and which of the row's files it is; a `mod.rs` is above them all.
fn rank(place: &[String]) -> Option<(usize, usize)> {
    let row = ROOMS.iter().position(|room| room.name == place[0])?;
    let files = ROOMS[row].files;
    let within = match place {
        [_] => files.len(),
        [_, file] => files.iter().position(|known| known == file)?,
        _ => return None,
    };
    Some((row, within))
}

/// Why the file at `here` may not use `path`, if it may not.
fn wrong(here: &[String], (row, within): (usize, usize), path: &[String]) -> Option<String> {
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
        // A function may bear the name of its file: only what leads on from there is inside.
        return known
            .filter(|_| path.len() > 2)
            .map(|_| format!("`{used}::{file}` is behind the entrance of `{used}`"));
    }
    let own = here.join("::");
    match known {
        Some(at) if at > within => Some(format!("`{own}` may not use `{used}::{file}`")),
        Some(_) => None,
        None if here.len() > 1 && !other.files.is_empty() => {
            Some(format!("`{own}` takes `{file}` from its own entrance: name the file"))
        }
        None => None,
    }
}

/// The paths into the driver that a file names by climbing with `super` or by `crate::driver`, each with its line.
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

/// The paths of a tree of uses: `a::{b, c::D}` gives `a::b` and `a::c::D`, `self` names what it stands in.
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

/// The members of a group, up to the brace that closes it.
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
    fn rooms_use_what_stands_below() {
        holds(rooms);
        accepts(
            rooms,
            &[
                ("engine/src/driver/part.rs", "use super::{inbox, runs::pump};"),
                (
                    "engine/src/driver/step/look.rs",
                    "use super::super::core::{Core, pause}; use super::{call::{self, finish}, load};",
                ),
                ("engine/src/driver/step/mod.rs", "pub(in crate::driver) use look::look;"),
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
    fn folders_are_entered_by_their_entrance() {
        rejects(
            rooms,
            &[("engine/src/driver/runs/actor.rs", "use super::super::step::draft::Draft;")],
            &["`step::draft` is behind the entrance of `step`"],
        );
        rejects(
            rooms,
            &[("engine/src/driver/step/mod.rs", "mod live;\npub(super) mod draft;")],
            &["mod.rs:2: opens a file to others"],
        );
        rejects(
            rooms,
            &[("engine/src/driver/step/call.rs", "use super::{Step, load};")],
            &["`step::call` takes `Step` from its own entrance"],
        );
        rejects(
            rooms,
            &[("engine/src/driver/step/call.rs", "use crate::driver::Core;")],
            &["`Core` is reached by the driver's own `mod.rs`"],
        );
    }

    #[test]
    fn files_of_a_folder_make_no_circle() {
        rejects(
            rooms,
            &[
                ("engine/src/driver/step/call.rs", "use super::{load, look::arm};"),
                ("engine/src/driver/step/look.rs", "use super::call::finish;"),
            ],
            &["`step::call` may not use `step::look`"],
        );
        rejects(rooms, &[("engine/src/driver/step/pool.rs", "")], &["has no place in the table"]);
        rejects(rooms, &[("engine/src/driver/pool.rs", "")], &["has no place in the table"]);
    }

    #[test]
    fn the_table_runs_upwards() {
        for (row, room) in ROOMS.iter().enumerate() {
            let below = &ROOMS[..row];
            for used in room.may_use {
                assert!(below.iter().any(|r| r.name == *used), "{} uses {used}", room.name);
            }
        }
    }
}
