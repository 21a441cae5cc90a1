//! Describes the state that a simulation leaves, as lines without random
//! values, so that two simulations of one scenario can be compared.
//!
//! If a process crashes and repeats its work, the ids and digests differ from those of a simulation without
//! the crash. So people, runs, requests and messages get names that are the same in each simulation,
//! and every other id is replaced by a number, in order of occurrence.
//! Two states have equal lines if their rows refer to each other in the same way.

use std::collections::BTreeMap;
use std::fmt::Display;

use abide_engine::base::Value;

/// What a line describes. Lines are sorted in the order of these variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LineSubject {
    /// A request.
    Request,
    /// An offer to a person.
    Offer,
    /// The state of a person for one role of a request.
    Place,
    /// A run with its outcome and its variables.
    Run,
    /// A receipt of a call.
    Receipt,
    /// A message record, inbound or outbound.
    Message,
    /// A message that the provider accepted.
    Sent,
    /// A broken invariant that the audit found.
    Breach,
}

impl LineSubject {
    fn word(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Offer => "offer",
            Self::Place => "place",
            Self::Run => "run",
            Self::Receipt => "receipt",
            Self::Message => "message",
            Self::Sent => "sent",
            Self::Breach => "breach",
        }
    }

    /// Whether a JSON value that describes this subject has many members. Such a value becomes
    /// one line for each leaf, so that a difference shows only the leaves that differ.
    fn is_large(self) -> bool {
        matches!(self, Self::Request | Self::Run | Self::Receipt)
    }
}

/// The state that a simulation leaves, as lines to compare.
#[derive(Debug, Clone, Default)]
pub(crate) struct ComparableState {
    names: BTreeMap<String, String>,
    lines: Vec<(LineSubject, String)>,
}

impl ComparableState {
    /// Gives an id a name that is the same in every simulation.
    pub(crate) fn name(&mut self, id: impl Display, name: String) {
        self.names.insert(id.to_string(), name);
    }

    /// Replaces each id in a string by its name, if it has a name.
    #[must_use]
    pub(crate) fn with_names(&self, text: &str) -> String {
        replaced(text, |mark| self.names.get(mark.text).cloned())
    }

    /// Adds the lines that describe `value`. Each line begins with
    /// the word for `thing` and the name or id of that thing, the parameter `of`.
    pub(crate) fn add(&mut self, thing: LineSubject, of: &str, value: &Value) {
        let start = format!("{} of {of}: ", thing.word());
        if thing.is_large() {
            leaves(value, &mut String::new(), &mut |path, leaf| {
                self.lines.push((thing, format!("{start}{path} = {leaf}")));
            });
        } else {
            self.lines.push((thing, format!("{start}{value}")));
        }
    }

    /// Returns the lines, sorted. In each line, every id
    /// and digest is replaced by its name or by a number.
    #[must_use]
    pub(crate) fn lines(&self) -> Vec<String> {
        let veiled = |text: &str| {
            replaced(text, |mark| {
                let name = self.names.get(mark.text).cloned();
                Some(name.unwrap_or_else(|| format!("{} ?", mark.kind)))
            })
        };
        let mut lines: Vec<(LineSubject, String, &str)> =
            self.lines.iter().map(|(thing, line)| (*thing, veiled(line), line.as_str())).collect();
        lines.sort();
        let mut numbers = Numbers::default();
        lines
            .iter()
            .map(|(_, _, line)| replaced(&self.with_names(line), |m| numbers.of(m)))
            .collect()
    }
}

/// Numbers the ids and digests that have no name, in the order in which they occur in the lines.
#[derive(Default)]
struct Numbers {
    given: BTreeMap<String, String>,
    counts: BTreeMap<String, usize>,
}

impl Numbers {
    fn of(&mut self, mark: &Mark<'_>) -> Option<String> {
        if let Some(given) = self.given.get(mark.text) {
            return Some(given.clone());
        }
        let count = self.counts.entry(mark.kind.to_owned()).or_default();
        *count += 1;
        let number = format!("{} {count}", mark.kind);
        self.given.insert(mark.text.to_owned(), number.clone());
        Some(number)
    }
}

/// An id or a digest inside a string.
struct Mark<'t> {
    /// The id or digest as written, such as `run_0197…`.
    text: &'t str,
    /// The prefix of the id, such as `run`; for a digest, the word `digest`.
    kind: &'t str,
}

/// Number of hexadecimal digits of an id, after its prefix.
const ID_DIGITS: usize = 32;
/// Number of hexadecimal digits of a digest.
const DIGEST_DIGITS: usize = 64;

/// Replaces each id and digest in a string by what the function `other` returns for it.
/// Keeps an id or digest for which the function returns `None`.
fn replaced(text: &str, mut other: impl FnMut(&Mark<'_>) -> Option<String>) -> String {
    let mut told = String::with_capacity(text.len());
    let is_inner = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(start) = rest.find(is_inner) {
        let (between, from) = rest.split_at(start);
        let (word, behind) = from.split_at(from.find(|c| !is_inner(c)).unwrap_or(from.len()));
        told.push_str(between);
        let (head, mark) = marked(word);
        told.push_str(head);
        if let Some(mark) = mark {
            told.push_str(&other(&mark).unwrap_or_else(|| mark.text.to_owned()));
        }
        rest = behind;
    }
    told.push_str(rest);
    told
}

/// Splits off the id or digest at the end of a word. Returns what comes before the id or digest.
/// If the word ends with neither, returns the whole word and `None`.
fn marked(word: &str) -> (&str, Option<Mark<'_>>) {
    let is_hex =
        |digits: &str| digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    if word.len() == DIGEST_DIGITS && is_hex(word) {
        return ("", Some(Mark { text: word, kind: "digest" }));
    }
    match word.rsplit_once('_') {
        Some((before, digits)) if digits.len() == ID_DIGITS && is_hex(digits) => {
            let start = before.rfind('_').map_or(0, |at| at + 1);
            let (head, id) = word.split_at(start);
            (head, Some(Mark { text: id, kind: &before[start..] }))
        }
        _ => (word, None),
    }
}

/// Calls `each` with the path and the value of every leaf in `value`.
/// A leaf is a JSON value without members or items.
fn leaves(value: &Value, path: &mut String, each: &mut impl FnMut(&str, &Value)) {
    let length = path.len();
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
                leaves(member, path, each);
                path.truncate(length);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (ix, item) in items.iter().enumerate() {
                path.push_str(&format!("[{ix}]"));
                leaves(item, path, each);
                path.truncate(length);
            }
        }
        leaf => each(path, leaf),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn id(prefix: &str, digit: char) -> String {
        format!("{prefix}_{}", digit.to_string().repeat(ID_DIGITS))
    }

    /// Returns the lines of a run with two calls.
    /// Each id is one digit, repeated: `run` for the run, and one of `calls` for each call.
    /// The second call refers to the call with the digit `by`.
    fn left(run: char, calls: [char; 2], by: char) -> Vec<String> {
        let mut state = ComparableState::default();
        state.name(id("run", run), "fill_roles 1".to_owned());
        let first = json!({"call": id("call", calls[0]), "args": {"people": ["Ana", "Ben"]}});
        let second =
            json!({"call": id("call", calls[1]), "key": format!("undo:{}~x", id("call", by))});
        state.add(LineSubject::Receipt, &format!("{}, call 2", id("run", run)), &second);
        state.add(LineSubject::Receipt, &format!("{}, call 1", id("run", run)), &first);
        state.add(LineSubject::Sent, "the provider", &json!({"body": "Hi", "to": "+1"}));
        state.lines()
    }

    #[test]
    fn ids_go_by_what_they_are_or_by_when_they_are_met() {
        insta::assert_debug_snapshot!(left('a', ['b', 'c'], 'b'), @r#"
        [
            "receipt of fill_roles 1, call 1: args.people[0] = \"Ana\"",
            "receipt of fill_roles 1, call 1: args.people[1] = \"Ben\"",
            "receipt of fill_roles 1, call 1: call = \"call 1\"",
            "receipt of fill_roles 1, call 2: call = \"call 2\"",
            "receipt of fill_roles 1, call 2: key = \"undo:call 1~x\"",
            "sent of the provider: {\"body\":\"Hi\",\"to\":\"+1\"}",
        ]
        "#);
    }

    #[test]
    fn other_ids_in_the_same_places_are_the_same_state() {
        assert_eq!(left('a', ['b', 'c'], 'b'), left('1', ['9', '2'], '9'));
        assert_ne!(left('a', ['b', 'c'], 'b'), left('1', ['9', '2'], '2'), "another call is named");
    }

    #[test]
    fn digests_and_ids_inside_words_are_found() {
        let mut state = ComparableState::default();
        state.name(id("msg", '0'), "the text".to_owned());
        let digest = "ab".repeat(32);
        state.add(
            LineSubject::Breach,
            "x",
            &json!(format!("late_{} {digest} cafe_12 {digest}", id("msg", '0'))),
        );
        assert_eq!(state.lines(), ["breach of x: \"late_the text digest 1 cafe_12 digest 1\""]);
    }
}
