//! Numbers of people in a text: counts, differences, and the totals of several roles.

use std::ops::Range;

use crate::number::{small, tens};

/// A number of people that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Amount {
    /// The number.
    pub(super) n: i64,
    /// The words that name it.
    pub(super) at: Range<usize>,
    /// Whether it says how many more or fewer, and not how many.
    pub(super) relative: bool,
}

/// Most people that one text may ask for; more is a slip of the finger.
const COUNT_MAX: i64 = 500;
/// Words that stand for a number of people and are no number words.
const WORDS: &[(&str, i64)] = &[
    ("dozen", 12),
    ("couple", 2),
    ("pair", 2),
    ("another", 1),
    ("someone", 1),
    ("somebody", 1),
    ("uno", 1),
    ("dos", 2),
    ("tres", 3),
    ("cuatro", 4),
    ("cinco", 5),
    ("seis", 6),
];
const MORE: &[&str] = &["more", "additional", "extra", "further", "mas", "addl"];
const FEWER: &[&str] = &["fewer", "less", "menos"];

/// Returns the numbers of people in a text, without the words in `taken`, which speak of times.
pub(super) fn amounts(words: &[&str], taken: &[Range<usize>]) -> Vec<Amount> {
    let free = |at: usize| taken.iter().all(|span| !span.contains(&at));
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let here = free(at).then(|| number_at(words, at)).flatten();
        let Some((n, length)) = here.filter(|(n, _)| (1..=COUNT_MAX).contains(n)) else {
            at += 1;
            continue;
        };
        let near = |list: &[&str]| {
            let after = words.get(at + length).is_some_and(|word| list.contains(word));
            let before = at > 0 && list.contains(&words[at - 1]);
            after || before
        };
        let by = at > 0 && words[at - 1] == "by";
        let sign = words[at] == "another";
        found.push(Amount {
            n,
            at: at..at + length,
            relative: by || sign || near(MORE) || near(FEWER),
        });
        at += length;
    }
    found
}

/// Returns the number that stands at a word, with the number of its words.
fn number_at(words: &[&str], at: usize) -> Option<(i64, usize)> {
    let word = words[at];
    match (word, words.get(at + 1).copied()) {
        ("half", Some("dozen")) => return Some((6, 2)),
        ("half", Some("a")) if words.get(at + 2) == Some(&"dozen") => return Some((6, 3)),
        ("a", Some("dozen")) => return Some((12, 2)),
        ("a", Some("couple" | "pair")) => return Some((2, 2)),
        _ => {}
    }
    if word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return word.parse().ok().map(|n| (n, 1));
    }
    let named = || WORDS.iter().find(|(name, _)| *name == word).map(|(_, n)| *n);
    small(word).or_else(|| tens(word)).or_else(named).map(|n| (n, 1))
}
