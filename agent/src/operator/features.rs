//! The features of a clause, by which the classifier finds its tool.

use std::ops::Range;

use super::content;
use super::lexicon::{CueWord, Sense, corrected, cues};
use super::tag::{Tag, Tagged};
use crate::classify::{Counts, Feature, length_class};

/// Number of buckets into which features are hashed. There are as many weights for each of about a hundred labels.
pub(super) const BUCKETS: usize = 1 << 14;

/// Verbs whose meaning depends on a small word after them, and those words.
const PHRASAL: &[&str] = &[
    "put", "take", "get", "pull", "set", "bring", "move", "push", "give", "send", "file", "write",
    "go", "come", "make", "let", "mark", "turn", "pick", "call", "lock", "close", "keep", "draw",
    "drop", "hand",
];
const PARTICLES: &[&str] = &[
    "away", "off", "up", "back", "out", "down", "through", "over", "in", "on", "together",
    "forward", "across",
];

/// Returns the features of a clause. `meant` is the kind of a record that it means and does not name.
pub(super) fn features(
    text: &Tagged<'_>,
    clause: Range<usize>,
    meant: Option<&'static str>,
) -> Vec<Feature> {
    let mut found = Counts::of(BUCKETS);
    let passed_on = content::start(text, clause.clone()).unwrap_or(clause.end);
    let mut words = masked(text, clause.start..passed_on);
    words.extend(meant.map(|kind| format!("#id_{kind}")));
    let said: Vec<&str> = words.iter().map(String::as_str).collect();
    add_words(&said, &mut found);
    add_cues(&said, &mut found);
    let rest = masked(text, passed_on..clause.end);
    for word in &rest {
        found.add("passed on", word, "", 0.4);
    }
    if !rest.is_empty() {
        found.add("passes on", length_class(rest.len()), "", 0.7);
    }
    let asks = text.tokens.get(clause.clone()).is_some_and(|it| it.iter().any(|it| it.asks));
    if asks {
        found.add("asks", "", "", 0.6);
    }
    found.add("length", length_class(said.len()), "", 0.4);
    found.normalised()
}

/// Returns the features of a whole text, by which the classifier finds what must not be done. Words that are passed on
/// count like the others: they may tell the reason.
pub(super) fn features_of_text(text: &Tagged<'_>) -> Vec<Feature> {
    let mut found = Counts::of(BUCKETS);
    let words = masked(text, 0..text.tokens.len());
    let said: Vec<&str> = words.iter().map(String::as_str).collect();
    add_words(&said, &mut found);
    add_cues(&said, &mut found);
    found.add("length", length_class(said.len()), "", 0.4);
    found.normalised()
}

fn add_words(words: &[&str], found: &mut Counts) {
    for (at, word) in words.iter().enumerate() {
        found.add("word", word, "", 1.0);
        let next = words.get(at + 1).copied().unwrap_or("$");
        found.add("pair", word, next, 0.8);
        if let Some(after) = words.get(at + 2) {
            found.add("skip", word, after, 0.4);
        }
        let padded: Vec<char> = std::iter::once('<').chain(word.chars()).chain(['>']).collect();
        if !word.starts_with('#') {
            for part in padded.windows(4) {
                let part: String = part.iter().collect();
                found.add("part", &part, "", 0.2);
            }
        }
    }
    // "put insp_2 away", "take Stratco off the list"
    for particle in words.iter().skip(1).filter(|it| PARTICLES.contains(it)) {
        for verb in words.iter().filter(|it| PHRASAL.contains(it)) {
            found.add("particle", verb, particle, 0.8);
        }
    }
    if let Some(first) = words.first() {
        found.add("first", first, "", 0.8);
    }
    if words.len() <= 3 {
        found.add("whole", &words.join(" "), "", 1.0);
    }
}

/// Adds the classes of the words, and what is done to what.
fn add_cues(words: &[&str], found: &mut Counts) {
    let cues = cues(words);
    let of = |sense: Sense| cues.iter().filter(move |it| it.sense == sense);
    for cue in &cues {
        found.add("class", cue.class, "", 1.2);
    }
    let ids: Vec<&str> = words.iter().copied().filter(|it| it.starts_with("#id_")).collect();
    let first = |sense| of(sense).next().map_or("", |cue: &CueWord| cue.class);
    found.add("first verb", first(Sense::Verb), "", 0.8);
    found.add("first noun", first(Sense::Noun), first(Sense::Verb), 1.0);
    for verb in of(Sense::Verb) {
        for noun in of(Sense::Noun) {
            found.add("does to", verb.class, noun.class, 0.8);
        }
        for id in &ids {
            found.add("does to", verb.class, id.trim_start_matches("#id_"), 1.2);
        }
    }
    for id in &ids {
        found.add("class", id.trim_start_matches("#id_"), "", 1.0);
    }
}

/// Returns the words of some tokens. What differs from text to text is one word for all: a name, an id, a time.
pub(super) fn masked(text: &Tagged<'_>, tokens: Range<usize>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for at in tokens {
        let (Some(token), Some(tag)) = (text.tokens.get(at), text.tags.get(at)) else { break };
        let kind = || text.ids.iter().find(|it| it.tokens.contains(&at)).and_then(|it| it.kind);
        let word = match tag {
            Tag::Phone => "#phone".to_owned(),
            Tag::Email => "#email".to_owned(),
            Tag::Money => "#money".to_owned(),
            Tag::Time => "#time".to_owned(),
            Tag::Name => "#name".to_owned(),
            Tag::Place => "#place".to_owned(),
            Tag::Id => format!("#id_{}", kind().unwrap_or("any")),
            Tag::Word if token.word.starts_with(|c: char| c.is_ascii_digit()) => {
                "#number".to_owned()
            }
            Tag::Word => {
                corrected(&token.word).map_or_else(|| token.word.clone(), ToOwned::to_owned)
            }
        };
        let repeated = word.starts_with('#') && words.last() == Some(&word);
        if !repeated {
            words.push(word);
        }
    }
    words
}
