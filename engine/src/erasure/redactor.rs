//! Finds personal data in texts, and replaces it.

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::numbers::written_forms;
use super::{ERASED, PersonalData};
use crate::base::{Problem, text};

/// The length from which a text of a person is looked for inside other texts, in bytes. A shorter one, such as
/// `yes please`, is in texts of many people and in names of roles.
const QUOTE_BYTES_MIN: usize = 16;
/// Maximum number of texts of a person that are looked for. The table of a search over more takes too much memory; somebody
/// who has written more has written them over years, and their quotes have left with the messages of those years.
pub const WORDS_MAX: usize = 2_000;

/// How an occurrence of a pattern must look to count.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    /// No letter and no digit beside it.
    WholeWord,
    /// The same, and written as a name: with a capital, or in capitals. `will` is no name.
    ProperName(String),
    /// No digit beside it.
    WholeNumber,
    /// It counts wherever it stands.
    Anywhere,
    /// It is the beginning of a sentence of this text, at this offset. As much of the text as follows belongs to it.
    Quote { text: usize, at: usize },
}

/// Finds the personal data of one person in texts, and replaces it.
#[derive(Debug)]
pub struct Redactor {
    patterns: AhoCorasick,
    rules: Vec<Rule>,
    quoted: Vec<String>,
}

impl Redactor {
    /// Prepares the search for what is known about a person.
    ///
    /// # Errors
    /// A problem that reports a bug, if the search cannot be prepared.
    pub fn new(data: &PersonalData) -> Result<Self, Problem> {
        let mut patterns = Patterns::default();
        for name in &data.names {
            let rule = match name.contains(' ') {
                true => Rule::WholeWord,
                false => Rule::ProperName(name.clone()),
            };
            for form in [name.clone(), name.to_lowercase(), name.to_uppercase()] {
                patterns.add(&form, rule.clone());
            }
        }
        for form in data.phones.iter().flat_map(|phone| written_forms(phone)) {
            patterns.add(&form, Rule::WholeNumber);
        }
        for address in &data.addresses {
            patterns.add(address, Rule::Anywhere);
        }
        for words in data.words.iter().take(WORDS_MAX) {
            patterns.add_quote(words);
        }
        let Patterns { literals, rules, quoted, .. } = patterns;
        let search = AhoCorasick::builder().ascii_case_insensitive(true).build(&literals);
        let search = search.map_err(|e| Problem::bug(format!("no search for a person: {e}")))?;
        Ok(Self { patterns: search, rules, quoted })
    }

    /// Replaces the person's data in a text. Returns `None` if the text contains none.
    #[must_use]
    pub fn redact(&self, text: &str) -> Option<String> {
        let found = self.find(text);
        if found.is_empty() {
            return None;
        }
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for range in found {
            if range.start > done || out.is_empty() {
                out.push_str(&text[done..range.start]);
                out.push_str(ERASED);
            }
            done = done.max(range.end);
        }
        out.push_str(&text[done..]);
        Some(out)
    }

    /// Whether bytes of a file contain the person's data. Parts of a name do not count, because bytes that are
    /// no text may look like a short word.
    #[must_use]
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.patterns.find_overlapping_iter(bytes).any(|found| {
            let (before, after) =
                (found.start().checked_sub(1).map(|at| bytes[at]), bytes.get(found.end()).copied());
            let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
            match &self.rules[found.pattern().as_usize()] {
                Rule::WholeWord => true,
                Rule::ProperName(_) => false,
                Rule::WholeNumber => !is_digit(before) && !is_digit(after),
                Rule::Anywhere | Rule::Quote { .. } => true,
            }
        })
    }

    /// Returns the places of all occurrences, in the order in which they begin. They may overlap.
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut all = Vec::new();
        for found in self.patterns.find_overlapping_iter(text) {
            let mut range = found.range();
            if !text.is_char_boundary(range.start) || !text.is_char_boundary(range.end) {
                continue;
            }
            let (before, after) = (&text[..range.start], &text[range.end..]);
            let next = after.chars().next();
            let counts = match &self.rules[found.pattern().as_usize()] {
                Rule::WholeWord => {
                    let beside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
                    !beside(last_of(before)) && !beside(next)
                }
                Rule::ProperName(name) => {
                    let beside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
                    let here = &text[range.clone()];
                    !beside(last_of(before))
                        && !beside(next)
                        && (here == name || here == name.to_uppercase())
                }
                Rule::WholeNumber => {
                    let beside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
                    !beside(before.chars().next_back()) && !beside(next)
                }
                Rule::Anywhere => true,
                Rule::Quote { text, at } => {
                    range.end += common_bytes(&self.quoted[*text][*at + range.len()..], after);
                    true
                }
            };
            if counts {
                all.push(range);
            }
        }
        all.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        all
    }
}

/// Returns the last character before a word. The escape of a line break in JSON ends in a letter that is no part
/// of a word.
fn last_of(before: &str) -> Option<char> {
    let ends_in_escape = ["\\n", "\\r", "\\t"].iter().any(|escape| before.ends_with(escape));
    before.chars().next_back().filter(|_| !ends_in_escape)
}

/// Returns the number of bytes with which both texts begin, up to the end of a character.
fn common_bytes(a: &str, b: &str) -> usize {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
    same.map(|(c, _)| c.len_utf8()).sum()
}

/// The patterns to look for, each once.
#[derive(Default)]
struct Patterns {
    literals: Vec<String>,
    rules: Vec<Rule>,
    quoted: Vec<String>,
    known: BTreeSet<String>,
}

impl Patterns {
    fn add(&mut self, literal: &str, rule: Rule) {
        for form in [literal.to_owned(), in_json(literal)] {
            if !form.trim().is_empty() && self.known.insert(form.clone()) {
                self.literals.push(form);
                self.rules.push(rule.clone());
            }
        }
    }

    /// Adds the beginnings of all sentences of a text, because others quote a text from a sentence on, and often not
    /// to its end.
    fn add_quote(&mut self, words: &str) {
        let words = words.trim();
        for form in BTreeSet::from([words.to_owned(), in_json(words)]) {
            let place = self.quoted.len();
            for at in sentences(&form) {
                let Some(beginning) = beginning(&form[at..]) else { continue };
                if self.known.insert(beginning.to_owned()) {
                    self.literals.push(beginning.to_owned());
                    self.rules.push(Rule::Quote { text: place, at });
                }
            }
            self.quoted.push(form);
        }
    }
}

/// Returns the first characters of a text that have [`QUOTE_BYTES_MIN`] bytes; `None` if the text is shorter.
fn beginning(text: &str) -> Option<&str> {
    let end = (QUOTE_BYTES_MIN..=text.len()).find(|end| text.is_char_boundary(*end))?;
    text.get(..end)
}

/// Returns the offsets at which the sentences of a text begin.
fn sentences(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let mut ended = false;
    for (at, c) in text.char_indices() {
        if ended && c.is_alphanumeric() {
            starts.push(at);
            ended = false;
        }
        ended |= ['.', '!', '?', ',', ';', ':', '\n'].contains(&c);
    }
    starts
}

/// Returns a text as it stands inside a JSON string.
fn in_json(plain: &str) -> String {
    let quoted = text::json(plain);
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor() -> Redactor {
        let data = PersonalData {
            names: vec!["Zoë Quill".to_owned(), "Quill".to_owned()],
            phones: vec!["+13125550147".to_owned()],
            addresses: vec!["zoe@example.org".to_owned()],
            words: vec![
                "Yes please".to_owned(),
                "My aunt \"Gwen\" is ill. So I cannot come on Sunday morning\nSorry!".to_owned(),
            ],
        };
        Redactor::new(&data).expect("a redactor")
    }

    #[test]
    fn what_belongs_to_the_person_is_replaced_and_nothing_else() {
        let cases = [
            ("Zoë Quill said yes", "[erased] said yes"),
            ("zoë quill, QUILL, quill and Quillon", "[erased], [erased], quill and Quillon"),
            ("text +13125550147 now", "text [erased] now"),
            ("text (312) 555-0147.", "text [erased]."),
            ("113125550147 and 31255501471", "113125550147 and 31255501471"),
            ("to ZOE@example.org", "to [erased]"),
            ("yes please", "yes please"),
            ("she wrote: So I cannot come on Sunday evening", "she wrote: [erased]evening"),
            ("{\"a\":\"x\\nQuill\"}", "{\"a\":\"x\\n[erased]\"}"),
            ("nothing here", "nothing here"),
        ];
        let redactor = redactor();
        for (text, expected) in cases {
            let redacted = redactor.redact(text).unwrap_or_else(|| text.to_owned());
            assert_eq!(redacted, expected, "{text}");
        }
    }

    #[test]
    fn a_text_is_found_inside_json() {
        let said = "My aunt \"Gwen\" is ill. So I cannot come on Sunday morning\nSorry!";
        let json = serde_json::json!({"heard": [said], "n": 1}).to_string();
        assert_eq!(redactor().redact(&json).as_deref(), Some("{\"heard\":[\"[erased]\"],\"n\":1}"));
    }

    #[test]
    fn bytes_are_searched_without_parts_of_names() {
        let redactor = redactor();
        for (bytes, found) in [
            (&b"\x00\xffZo\xc3\xab Quill\x01"[..], true),
            (b"\x00Quill\x00", false),
            (b"..+13125550147\x02", true),
            (b"931255501479", false),
        ] {
            assert_eq!(redactor.is_in(bytes), found, "{bytes:?}");
        }
    }
}
