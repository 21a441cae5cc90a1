//! Names and signatures are clear: no two public types have the same name, and no parameter is a tuple.

use std::collections::BTreeMap;

use super::rust::{line_of, words};
use super::tree::{Fault, File, Tree};

/// Maximum number of parameters that are tuples, by folder. These maximums may only be lowered.
const TUPLES_MAX: &[(&str, usize)] = &[
    ("language/", 0),
    ("engine/", 0),
    ("verbs/", 0),
    ("trade/", 0),
    ("simulator/", 0),
    ("server/", 0),
    ("tests/", 0),
];

/// Names that several public types have in common. Names may only be removed from this list.
const SHARED: &[&str] = &[];

/// Checks that no two public types have the same name, so that a search for a name finds only one type.
pub(crate) fn types(tree: &Tree) -> Vec<Fault> {
    let mut found: BTreeMap<&str, Vec<(&File, usize)>> = BTreeMap::new();
    let files = tree.rust().filter(|file| !file.path.starts_with("tests/") && !file.is_test());
    for file in files {
        for (line, code) in file.code().production_lines() {
            if let Some(name) = public_type(code) {
                found.entry(name).or_default().push((file, line));
            }
        }
    }
    let mut faults = Vec::new();
    for (name, places) in found {
        let first = &places[0].0.path;
        if !SHARED.contains(&name) {
            faults.extend(places[1..].iter().map(|(file, line)| {
                file.fault(*line, format!("the name `{name}` is taken by a type in {first}"))
            }));
        }
    }
    faults
}

/// Returns the name of the public type that a line declares.
fn public_type(code: &str) -> Option<&str> {
    let item = code.trim_start().strip_prefix("pub ")?;
    let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
    let rest = kinds.iter().find_map(|kind| item.strip_prefix(kind))?;
    // An associated type belongs to its trait and is named through that trait.
    let top = !code.starts_with(' ') || !item.starts_with("type ");
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    // In a macro, `pub enum $name` has no name yet: the macro's caller supplies the name.
    (top && end > 0).then_some(&rest[..end])
}

/// Checks that no parameter is a tuple. Values that belong together should be a struct with named fields.
pub(crate) fn tuples(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (folder, most) in TUPLES_MAX {
        let found: Vec<Fault> = tree.rust_in(folder).flat_map(tuples_of).collect();
        if found.len() > *most {
            let count = format!("{} tuples as parameters, at most {most} may be", found.len());
            faults.push(Fault::of(*folder, count));
            faults.extend(found);
        } else if found.len() < *most {
            let count = format!("only {} tuples as parameters: lower the limit", found.len());
            faults.push(Fault::of(*folder, count));
        }
    }
    faults
}

/// Returns a [`Fault`] for each parameter of a function in `file` that is a tuple.
fn tuples_of(file: &File) -> Vec<Fault> {
    let code = &file.code().all;
    let mut faults = Vec::new();
    for at in words(code, "fn") {
        let Some((name, parameters)) = signature(&code[at + 2..]) else { continue };
        let tuples = parameters.iter().filter(|parameter| is_tuple(parameter));
        faults.extend(tuples.map(|parameter| {
            let what = parameter.split_whitespace().collect::<Vec<_>>().join(" ");
            file.fault(line_of(code, at), format!("`{name}` takes a tuple: `{what}`"))
        }));
    }
    faults
}

/// Returns the name and the parameters of the function whose `fn` is right before `rest`.
fn signature(rest: &str) -> Option<(&str, Vec<&str>)> {
    let rest = rest.strip_prefix(' ')?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let name = &rest[..end];
    let open = end + generics(&rest[end..]);
    let inner = rest[open..].strip_prefix('(')?;
    Some((name, split(inner)))
}

/// Returns the length in bytes of the generic parameters at the start of `rest`, or 0 if there are none.
fn generics(rest: &str) -> usize {
    if !rest.starts_with('<') {
        return 0;
    }
    let mut depth = 0_usize;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if rest[..at].ends_with('-') => {}
            b'>' if depth == 1 => return at + 1,
            b'>' => depth -= 1,
            _ => {}
        }
    }
    rest.len()
}

/// Returns the parameters of a function, up to the closing parenthesis.
fn split(inner: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0_usize, 0, Vec::new());
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' if depth == 0 => {
                found.push(&inner[from..at]);
                return found;
            }
            b'>' if inner[..at].ends_with(['-', '=']) => {}
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                found.push(&inner[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// Whether the type of a parameter is a tuple or a reference to a tuple.
fn is_tuple(parameter: &str) -> bool {
    let pattern = parameter.trim_start();
    let after = if pattern.starts_with('(') {
        pattern.find("):").map(|at| at + 1)
    } else {
        pattern.find(':')
    };
    let Some(at) = after else { return false };
    let mut of = pattern[at + 1..].trim();
    while let Some(rest) = of.strip_prefix('&') {
        of = rest.trim_start();
        if of.starts_with('\'') {
            of = of.split_once(' ').map_or("", |(_, rest)| rest);
        }
        of = of.strip_prefix("mut ").unwrap_or(of);
    }
    of.starts_with('(') && of.ends_with(')') && split(&of[1..]).len() > 1
}

mod tests {
    use super::super::{accepts, holds, rejects};
    use super::{signature, tuples, types};

    #[test]
    fn public_types_have_names_of_their_own() {
        holds(types);
        accepts(
            types,
            &[("engine/src/a.rs", "pub struct A;\nstruct B;"), ("verbs/src/b.rs", "struct B;")],
        );
        rejects(
            types,
            &[("engine/src/a.rs", "pub struct Kind;"), ("verbs/src/b.rs", "\npub enum Kind {}")],
            &["verbs/src/b.rs:2: the name `Kind` is taken by a type in engine/src/a.rs"],
        );
    }

    #[test]
    fn tuples_are_no_parameters() {
        holds(tuples);
    }

    #[test]
    fn a_tuple_is_found_behind_patterns_references_and_generics() {
        let cases: [(&str, usize); 7] = [
            (" f(a: i64, b: &str)", 0),
            (" f((a, b): (i64, &str), c: u8)", 1),
            (" f<T: Fn(u8) -> u8>(a: &'a (T, u8))", 1),
            (" f(&self, on: impl Fn(u8, u8) -> (u8, u8))", 0),
            (" f(list: &[(u8, u8)], unit: ())", 0),
            (" f(a: (u8, u8), b: (u8, Vec<(u8, u8)>))", 2),
            (" f(Id(id): Id<RunId>)", 0),
        ];
        for (text, expected) in cases {
            let (_, parameters) = signature(text).expect("a signature");
            let found = parameters.iter().filter(|parameter| super::is_tuple(parameter)).count();
            assert_eq!(found, expected, "{text}");
        }
    }
}
