//! Every error code that a person can see has a page. The page says what happened and what to do.

use std::collections::BTreeMap;
use std::ops::Range;

use super::rust::{item, words};
use super::tree::{Fault, File, Tree};

const PAGES: &str = "docs/errors/";

/// Functions that take an error code, each with the index of that argument. The first argument has index 0.
const MAKERS: &[(&str, usize)] = &[
    ("Problem::caller", 0),
    ("Problem::author", 0),
    ("Problem::operator", 0),
    ("Problem::transient", 0),
    ("Problem::new", 1),
    ("ProblemDocument::new", 1),
];

/// Checks that every error code has a page, and that every page belongs to a code.
pub(crate) fn pages(tree: &Tree) -> Vec<Fault> {
    let codes = codes(tree);
    let mut faults = Vec::new();
    for (code, (path, line)) in &codes {
        if tree.get(&format!("{PAGES}{code}.md")).is_none() {
            faults.push(Fault::of(
                format!("{path}:{line}"),
                format!("the code `{code}` has no page `{PAGES}{code}.md`"),
            ));
        }
    }
    for page in
        tree.files().filter(|file| file.path.starts_with(PAGES) && file.path.ends_with(".md"))
    {
        let code = page.name().trim_end_matches(".md");
        if code != "README" && !codes.contains_key(code) && !written(tree, code) {
            faults.push(page.fault(1, format!("no code `{code}` is left in the sources")));
        }
    }
    faults
}

/// Returns the error codes in production code, each with the file and line of its first occurrence.
fn codes(tree: &Tree) -> BTreeMap<&str, (&str, usize)> {
    let mut codes = BTreeMap::new();
    for file in tree.rust().filter(|file| !file.is_test()) {
        for (code, line) in made(file) {
            codes.entry(code).or_insert((file.path.as_str(), line));
        }
    }
    codes
}

/// Whether a string in the sources is this code, or is a format string that can produce this code.
/// For example, `unknown_{what}` can produce `unknown_method`.
fn written(tree: &Tree, code: &str) -> bool {
    let made_of = |text: &str| {
        text.split_once("_{").is_some_and(|(head, _)| {
            !head.is_empty() && code.strip_prefix(head).is_some_and(|rest| rest.starts_with('_'))
        })
    };
    let mut texts =
        tree.rust().filter(|file| !file.is_test()).flat_map(|file| &file.code().strings);
    texts.any(|text| text.text == code || made_of(&text.text))
}

/// Returns the strings that are codes of a problem or of a finding, and all strings in tables of codes.
/// A table of codes is a file `codes.rs`, a module `code` or a module `codes`.
fn made(file: &File) -> impl Iterator<Item = (&str, usize)> {
    let code = file.code();
    let table = tables(file);
    let production = code.strings.iter().filter(move |text| !code.in_tests(text));
    let codes = production.filter(move |text| {
        let listed = table.iter().any(|range| range.contains(&text.at));
        (listed || takes(&code.all[..text.at], &text.text)) && !text.text.contains('{')
    });
    codes.map(|text| (text.text.as_str(), text.line))
}

/// Returns the byte ranges of the tables of codes in a file.
fn tables(file: &File) -> Vec<Range<usize>> {
    let code = &file.code().all;
    if file.name() == "codes.rs" {
        return std::iter::once(0..code.len()).collect();
    }
    let named = words(code, "code").chain(words(code, "codes"));
    let modules = named.filter(|at| code[..*at].trim_end().ends_with("mod"));
    modules.map(|at| at..at + item(&code[at..])).collect()
}

/// Whether a string in the source is an argument that a function takes as an error code.
/// `text` is the string, and `before` is the source up to the string.
fn takes(before: &str, text: &str) -> bool {
    let Some((called, argument)) = call(before) else { return false };
    let finding = called.rsplit([':', '.']).next().unwrap_or_default();
    MAKERS.iter().any(|(maker, at)| called.ends_with(maker) && argument == *at)
        || (finding.starts_with("error") || finding.starts_with("warning")) && kebab(text)
}

/// Finds the function call whose list of arguments is not closed at the end of `before`, a part of the
/// source. Returns the path of the function, and the index of the argument that follows.
fn call(before: &str) -> Option<(&str, usize)> {
    let (mut depth, mut argument) = (0_usize, 0);
    for (at, byte) in before.bytes().enumerate().rev() {
        match byte {
            b')' | b']' | b'}' => depth += 1,
            b'(' if depth == 0 => {
                let named = |c: char| c.is_alphanumeric() || "_:.".contains(c);
                return Some((&before[before[..at].trim_end_matches(named).len()..at], argument));
            }
            b'(' | b'[' | b'{' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => argument += 1,
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Whether a string has the form of a finding's code: lower-case words with hyphens.
fn kebab(text: &str) -> bool {
    text.contains('-') && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

mod tests {
    use super::super::{accepts, holds, rejects};
    use super::pages;

    #[test]
    fn every_code_has_its_page() {
        holds(pages);
        let code = ("engine/src/a.rs", "fn f() {\n Problem::caller(\n  \"no_such_run\", \"x\") }");
        let page = ("docs/errors/no_such_run.md", "");
        accepts(pages, &[code, page]);
        rejects(pages, &[code], &["engine/src/a.rs:3: the code `no_such_run` has no page"]);
        let reject = |path, text, fault| rejects(pages, &[(path, text)], &[fault]);
        reject(
            "a.rs",
            "fn f() { Problem::new(Blame::Author, \"no_such_run\", \"x\") }",
            "a.rs:1: the code `no_such_run`",
        );
        reject(
            "a.rs",
            "fn f() { places.error_at(g(1), \"bad-name\", \"not a code\") }",
            "the code `bad-name`",
        );
        reject(
            "a.rs",
            "mod codes { const A: &str = \"b\"; }\nconst C: &str = \"d\";",
            "a.rs:1: the code `b`",
        );
        reject("engine/src/codes.rs", "const A: &str = \"unknown-key\";", "the code `unknown-key`");
        accepts(
            pages,
            &[("a.rs", "fn f(what: &str) -> String { format!(\"no_such_{what}\") }"), page],
        );
        rejects(pages, &[page], &["no_such_run.md:1: no code `no_such_run` is left"]);
        accepts(
            pages,
            &[("engine/src/a.rs", "#[cfg(test)]\nmod tests { fn f() { Problem::caller(\"x\") } }")],
        );
    }
}
