//! The features of a text: what it contains, each as a bucket with a value.

use std::collections::BTreeMap;

use crate::text::words;

/// Number of buckets into which features are hashed.
pub const BUCKETS: usize = 1 << 16;
/// How many words a negation reaches.
const NEGATION_REACH: usize = 4;
/// Words that negate what follows.
const NEGATIONS: &[&str] = &[
    "not", "no", "cant", "cannot", "dont", "wont", "never", "isnt", "arent", "doesnt", "didnt",
    "couldnt", "wouldnt", "shouldnt", "aint", "nor", "without", "unable",
];

/// A feature of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feature {
    /// The bucket, less than the number of buckets of the classifier.
    pub bucket: u32,
    /// How much the feature counts. The values of a text have the length 1 as a vector.
    pub value: f32,
}

/// Returns the features of a text that answers something in this context.
#[must_use]
pub fn features(text: &str, context: &str) -> Vec<Feature> {
    let mut found = Counts::of(BUCKETS);
    let words = words(text);
    let spoken: Vec<&str> = words.iter().map(String::as_str).collect();
    found.add("context", context, "", 1.0);
    found.add("length", length_class(spoken.len()), "", 0.5);
    let mut negated = 0;
    for (ix, word) in spoken.iter().enumerate() {
        let word = masked(word);
        found.add("word", word, "", 1.0);
        found.add("in", word, context, 0.7);
        if negated > 0 {
            found.add("not", word, "", 1.0);
            negated -= 1;
        }
        if NEGATIONS.contains(&word) {
            negated = NEGATION_REACH;
        }
        if matches!(word, "|" | "?" | "!" | "but") {
            negated = 0;
        }
        let next = spoken.get(ix + 1).map_or("$", |next| masked(next));
        found.add("pair", word, next, 1.0);
        if let Some(after) = spoken.get(ix + 2) {
            found.add("skip", word, masked(after), 0.5);
            let three = format!("{next} {}", masked(after));
            found.add("three", word, &three, 0.7);
        }
        parts_of_word(word, &mut found);
    }
    if let Some(first) = spoken.first() {
        found.add("first", masked(first), "", 1.0);
        found.add("first in", masked(first), context, 0.7);
    }
    if let Some(last) = spoken.iter().rev().find(|word| !matches!(**word, "|" | "!")) {
        found.add("last", masked(last), "", 0.7);
    }
    if spoken.len() <= 3 {
        found.add("whole", &spoken.join(" "), "", 1.5);
        found.add("whole in", &spoken.join(" "), context, 1.5);
    }
    found.normalised()
}

/// Adds the parts of a word of three to five characters, its ends included.
fn parts_of_word(word: &str, found: &mut Counts) {
    let padded: Vec<char> = std::iter::once('<').chain(word.chars()).chain(['>']).collect();
    for length in 3..=5 {
        for part in padded.windows(length) {
            let part: String = part.iter().collect();
            found.add("part", &part, "", 0.35);
        }
    }
}

/// Returns a word as it is counted: all numbers and times count alike.
pub(crate) fn masked(word: &str) -> &str {
    match word.chars().next() {
        Some(first) if first.is_ascii_digit() && word.contains(':') => "#time",
        Some(first) if first.is_ascii_digit() && word.ends_with('m') => "#time",
        Some(first) if first.is_ascii_digit() && word.contains('/') => "#date",
        Some(first) if first.is_ascii_digit() => "#number",
        _ => word,
    }
}

pub(crate) const fn length_class(words: usize) -> &'static str {
    match words {
        0..=1 => "one",
        2..=3 => "few",
        4..=8 => "some",
        9..=20 => "many",
        _ => "story",
    }
}

/// The features that are counted so far.
pub(crate) struct Counts {
    /// The number of buckets less one, which is the mask of their bits.
    mask: u32,
    values: BTreeMap<u32, f32>,
}

impl Counts {
    /// Returns the start of a count over this many buckets, a power of two.
    pub(crate) const fn of(buckets: usize) -> Self {
        Self { mask: buckets as u32 - 1, values: BTreeMap::new() }
    }

    /// Counts a feature: its kind, and up to two texts that tell it from others of the kind.
    pub(crate) fn add(&mut self, kind: &str, one: &str, other: &str, weight: f32) {
        let bucket = hash(&[kind, one, other]) & self.mask;
        *self.values.entry(bucket).or_default() += weight;
    }

    /// Returns the features with the length 1 as a vector.
    pub(crate) fn normalised(self) -> Vec<Feature> {
        let all = self.values.into_iter();
        normalised(all.map(|(bucket, value)| Feature { bucket, value }).collect())
    }
}

/// Returns features with the length 1 as a vector.
pub(crate) fn normalised(mut features: Vec<Feature>) -> Vec<Feature> {
    let squares: f32 = features.iter().map(|it| it.value * it.value).sum();
    let length = if squares > 0.0 { libm::sqrtf(squares) } else { 1.0 };
    features.iter_mut().for_each(|it| it.value /= length);
    features
}

/// Returns the FNV-1a hash of some texts, with a mark between them.
fn hash(parts: &[&str]) -> u32 {
    let mut hash = 0x811c_9dc5_u32;
    for part in parts {
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_features_of_a_text_have_the_length_one() {
        for text in ["yes", "I can't make it, sorry!", ""] {
            let squares: f32 = features(text, "invite").iter().map(|it| it.value * it.value).sum();
            assert!((squares - 1.0).abs() < 1e-4, "{text}: {squares}");
        }
    }
}
