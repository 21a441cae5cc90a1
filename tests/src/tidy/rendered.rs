//! Every outbound message comes from a checked template.
//! The outbox takes only a `Rendered`, and only the template module can create a `Rendered`.

use super::rust::{item, line_of, words};
use super::tree::{Fault, Tree};

const HOME: &str = "language/src/template/";
const TYPE: &str = "Rendered";
/// The only file that writes messages to the outbox.
const QUEUE: &str = "engine/src/store/outbox/queue.rs";

/// The file that records the messages of shadow runs in the outbox, in a state in which nothing sends them.
const SHADOW: &str = "engine/src/store/outbox/shadow.rs";

/// Checks that only the template module creates a `Rendered`, and that every queued message contains one.
pub(crate) fn one_source(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    let crates = ["language/src/", "engine/src/"];
    for file in crates.into_iter().flat_map(|folder| tree.rust_in(folder)) {
        let code = &file.code().production;
        for at in words(code, TYPE) {
            let before = code[..at].trim_end();
            let line = line_of(code, at);
            if before.ends_with("struct") {
                faults.extend(declared(file, &code[..at], &code[at..], line));
            } else if before.ends_with("for") && implements(before) {
                faults.push(file.fault(line, format!("a trait may not make a `{TYPE}`")));
            } else if before.ends_with("->") && opens(code, at) && !file.path.starts_with(HOME) {
                faults.push(file.fault(line, format!("only `{HOME}` may make a `{TYPE}`")));
            }
        }
        for at in
            words(code, "OutboxMessage").filter(|at| code[..*at].trim_end().ends_with("struct"))
        {
            if words(&code[at..at + item(&code[at..])], TYPE).next().is_none() {
                faults.push(
                    file.fault(line_of(code, at), format!("a queued message must hold a `{TYPE}`")),
                );
            }
        }
    }
    faults
}

/// Checks that only the file `QUEUE` queues messages. The file `SHADOW` may insert messages that are never sent.
pub(crate) fn one_way_out(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    let only_recorded = |file: &super::tree::File, text: &str| {
        file.path == SHADOW && text.contains("'shadowed'") && !text.contains("'queued'")
    };
    for file in tree.rust().filter(|file| !file.is_test() && file.path != QUEUE) {
        for text in file.code().strings.iter().filter(|text| !file.code().in_tests(text)) {
            if text.text.contains("INSERT INTO outbox") && !only_recorded(file, &text.text) {
                faults.push(file.fault(text.line, format!("only `{QUEUE}` may queue a message")));
            }
        }
    }
    faults
}

fn declared(file: &super::tree::File, before: &str, rest: &str, line: usize) -> Vec<Fault> {
    let mut faults = Vec::new();
    if !file.path.starts_with(HOME) {
        faults.push(file.fault(line, format!("`{TYPE}` belongs to `{HOME}`")));
    }
    if words(&rest[..item(rest)], "pub").next().is_some() {
        faults.push(file.fault(line, format!("a public field lets others make a `{TYPE}`")));
    }
    let derives = &before[before.rfind("#[derive").unwrap_or(before.len())..];
    for made in ["Deserialize", "Default"] {
        if !derives.contains('}') && words(derives, made).next().is_some() {
            faults.push(file.fault(line, format!("deriving `{made}` lets others make a `{TYPE}`")));
        }
    }
    faults
}

/// Whether a part of the source, `before`, ends in the header of an `impl` of a trait that creates
/// values. `impl From<…> for` is such a header, and `impl Display for` is not.
fn implements(before: &str) -> bool {
    let header = &before[before.rfind("impl").unwrap_or(before.len())..];
    ["From", "TryFrom", "FromStr", "Default", "Deserialize"]
        .iter()
        .any(|name| words(header, name).next().is_some())
}

/// Whether the function whose signature contains the offset `at` is visible outside its module.
fn opens(code: &str, at: usize) -> bool {
    let from = code[..at].rfind("fn ").unwrap_or(0);
    let line = code[..from].rfind('\n').map_or(0, |end| end + 1);
    code[line..from].trim_start().starts_with("pub")
}

mod tests {
    use super::super::tree::Tree;
    use super::super::{accepts, holds, rejects};
    use super::{HOME, QUEUE, SHADOW, one_source, one_way_out};

    #[test]
    fn outbound_texts_come_from_a_template() {
        holds(one_source);
        let declares = |path: &str, item: &str| {
            Tree::repository().rust_in(path).any(|file| file.code().production.contains(item))
        };
        assert!(declares(HOME, "pub struct Rendered {"), "the rule looks for a missing type");
        assert!(declares(QUEUE, "pub struct OutboxMessage {"), "the rule looks for a missing type");
        accepts(
            one_source,
            &[
                (
                    "language/src/template/rendered.rs",
                    "#[derive(Debug, Clone)]\npub struct Rendered { body: String }\nimpl Display for Rendered {}",
                ),
                (
                    "engine/src/store/outbox/queue.rs",
                    "pub struct OutboxMessage { pub rendered: Rendered }",
                ),
            ],
        );
        let reject = |path, text, fault| rejects(one_source, &[(path, text)], &[fault]);
        let home = "language/src/template/rendered.rs";
        reject(home, "pub struct Rendered { pub body: String }", "a public field");
        reject(
            home,
            "#[derive(Clone, Default)]\npub struct Rendered { body: String }",
            "deriving `Default`",
        );
        reject(home, "impl From<String> for Rendered {}", "a trait may not make");
        reject(
            "engine/src/store/outbox/queue.rs",
            "pub struct OutboxMessage { pub body: String }",
            "must hold a `Rendered`",
        );
        reject(
            "engine/src/verb.rs",
            "pub fn plain(body: &str) -> Rendered {}",
            "only `language/src/template/` may make",
        );
        reject("engine/src/verb.rs", "struct Rendered(String);", "belongs to");
    }

    #[test]
    fn messages_are_queued_in_one_place() {
        holds(one_way_out);
        let code = "const S: &str = \"INSERT INTO outbox (id) VALUES ($1)\";";
        accepts(one_way_out, &[(QUEUE, code)]);
        rejects(one_way_out, &[("verbs/src/data/offer.rs", code)], &["may queue a message"]);
        rejects(one_way_out, &[(SHADOW, code)], &["may queue a message"]);
        let recorded = "const S: &str = \"INSERT INTO outbox (state) VALUES ('shadowed')\";";
        accepts(one_way_out, &[(SHADOW, recorded)]);
        rejects(one_way_out, &[("verbs/src/data/offer.rs", recorded)], &["may queue a message"]);
    }
}
