//! The features of a reply: its words, pairs and parts of words, in the context; what its words and
//! phrases mean by the lexicon; and what its first and last clauses say.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use super::forms::known_form;
use super::lexicon::WORDS;
use super::phrases::PHRASES;
use super::polarity::courses;
use super::spoken::spoken;
use crate::classify::{Counts, Feature, length_class, masked};

/// Number of buckets into which the features of replies are hashed.
pub(super) const BUCKETS: usize = 1 << 20;
/// How many words a negation reaches.
const NEGATION_REACH: usize = 4;
/// Words that negate what follows.
const NEGATIONS: &[&str] = &[
    "not", "no", "cant", "dont", "wont", "never", "isnt", "arent", "doesnt", "didnt", "couldnt",
    "wouldnt", "shouldnt", "aint", "nor", "without", "unable",
];
/// Words at which a new clause begins, beside marks.
const TURNS: &[&str] = &["but", "pero", "however", "actually", "wait", "nvm", "oops"];
/// The groups whose name stands for their words where several words are looked at.
const ABSTRACT: &[&str] = &[
    "ILL", "INJURY", "DEATH", "BIRTH", "TRAVEL", "WORK", "EVENT", "STUDY", "FAMILY", "PET", "CAR",
    "WEATHER", "CARE", "NOON", "WDAY", "MONTH", "SPAN", "ROLE", "FOOD", "STUFF", "AFFIRM",
    "EMOYES", "EMONO", "EMOMAYBE", "EMOFUN", "SORRY", "THANKS", "NOT", "MAYBE", "ENTHUS",
    "COMMITV", "SLOT", "TEXTW", "LISTW", "STOPW", "CANCELW", "CHECKW", "THINKW", "BUSY", "YOU",
    "MOVEW", "STAYW", "PROB", "SAIDW", "ONWAY", "DUTY", "SOMEONE", "GOODW",
];
/// The groups that matter wherever they are in a text.
const FLAGS: &[&str] = &[
    "AFFIRM", "REFUSE", "NOT", "MAYBE", "COND", "CONTRAST", "STOPW", "TEXTW", "CANCELW", "ILL",
    "FREEW", "ENTHUS", "WISH", "HOPE", "CHECKW", "QWORD", "WORK", "TRAVEL", "LISTW", "MISTAKE",
    "AGAINW", "YOU", "I", "PROB", "SAIDW", "DUTY", "SOMEONE", "PREFERW", "ONLYW",
];
/// The most words of a phrase of the lexicon.
const PHRASE_WORDS_MAX: usize = 5;
/// How far apart two words may be to be looked at together.
const GROUPS_APART_MAX: usize = 6;

type Lexicon = HashMap<&'static str, Vec<&'static str>>;

static GROUPS_OF_WORDS: LazyLock<Lexicon> = LazyLock::new(|| lexicon(WORDS, ' '));
static GROUPS_OF_PHRASES: LazyLock<Lexicon> = LazyLock::new(|| lexicon(PHRASES, '|'));

fn lexicon(groups: &'static [(&'static str, &'static str)], between: char) -> Lexicon {
    let mut lexicon = Lexicon::new();
    for (name, members) in groups {
        members.split(between).for_each(|it| lexicon.entry(it).or_default().push(name));
    }
    lexicon
}

/// How many words that the lexicon does not have are kept with their groups.
const FORMS_KEPT: usize = 1_024;

thread_local! {
    /// The groups of words that the lexicon does not have. They are asked for many times in a text.
    static GROUPS_OF_FORMS: RefCell<HashMap<String, &'static [&'static str]>> = RefCell::default();
}

/// Returns the groups of a word, or of the word of the lexicon of which it is a form. The first one names it.
pub(super) fn groups(word: &str) -> &'static [&'static str] {
    GROUPS_OF_WORDS.get(word).map_or_else(|| groups_of_form(word), Vec::as_slice)
}

fn groups_of_form(word: &str) -> &'static [&'static str] {
    GROUPS_OF_FORMS.with_borrow_mut(|kept| {
        if let Some(groups) = kept.get(word) {
            return *groups;
        }
        if kept.len() >= FORMS_KEPT {
            kept.clear();
        }
        let known = known_form(word).and_then(|known| GROUPS_OF_WORDS.get(known));
        let groups = known.map_or(&[][..], Vec::as_slice);
        kept.insert(word.to_owned(), groups);
        groups
    })
}

/// Groups of words that stand in texts about anything.
const ANYWHERE: &[&str] = &["I", "WE", "YOU", "THEY", "DETER"];

/// A text of fewer words is an answer as a whole: "y", "anytime".
const SENTENCE_WORDS: usize = 3;

/// Whether the lexicon knows a word or a phrase of a text that says something by itself. Of a text with very few words,
/// nothing need be known.
pub(super) fn is_known(text: &str) -> bool {
    let words = spoken(text);
    if words.len() < SENTENCE_WORDS {
        return true;
    }
    let says = |word: &String| groups(word).iter().any(|group| !ANYWHERE.contains(group));
    let phrase = |length: usize| {
        words
            .windows(length)
            .any(|window| GROUPS_OF_PHRASES.contains_key(window.join(" ").as_str()))
    };
    words.iter().any(says) || (2..=PHRASE_WORDS_MAX).any(phrase)
}

/// Returns the features of a reply in this context.
pub(super) fn features(text: &str, context: &str) -> Vec<Feature> {
    let words = spoken(text);
    let words: Vec<&str> = words.iter().map(|word| masked(word)).collect();
    let mut found = Features { context, counts: Counts::of(BUCKETS) };
    found.add("context", context, "", 1.0);
    found.add("length", length_class(words.len()), "", 0.5);
    found.words(&words);
    found.whole(&words);
    found.groups(&words);
    found.flags(&words);
    found.phrases(&words);
    found.abstracted(&words);
    found.clauses(&words);
    found.polarity(&words);
    found.counts.normalised()
}

/// Returns the words with those of the abstract groups replaced by the name of the group.
fn abstracted<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let name = |word: &&'w str| -> &'w str {
        groups(word).iter().find(|group| ABSTRACT.contains(group)).copied().unwrap_or(word)
    };
    words.iter().map(name).collect()
}

struct Features<'c> {
    context: &'c str,
    counts: Counts,
}

impl Features<'_> {
    fn add(&mut self, kind: &str, one: &str, other: &str, weight: f32) {
        self.counts.add(kind, one, other, weight);
    }

    /// Adds a feature, and once more together with the context.
    fn add_both(&mut self, kind: &str, one: &str, other: &str, weight: f32) {
        self.add(kind, one, other, weight);
        let inside = format!("{one} {other}");
        self.add(&format!("{kind} in"), &inside, self.context, weight * 0.7);
    }

    /// Adds each word, what is negated, and words that follow one another.
    fn words(&mut self, words: &[&str]) {
        let mut negated = 0;
        for (ix, &word) in words.iter().enumerate() {
            self.add_both("word", word, "", 1.0);
            if negated > 0 {
                self.add("not", word, "", 1.0);
                if let Some(group) = groups(word).first() {
                    self.add("not group", group, "", 0.7);
                }
                negated -= 1;
            }
            match word {
                "|" | "?" | "!" | "but" => negated = 0,
                _ if NEGATIONS.contains(&word) => negated = NEGATION_REACH,
                _ => {}
            }
            let next = words.get(ix + 1).copied().unwrap_or("$");
            self.add("pair", word, next, 1.0);
            if let Some(after) = words.get(ix + 2) {
                self.add("skip", word, after, 0.5);
                self.add("three", word, &format!("{next} {after}"), 0.7);
            }
            self.parts_of_word(word);
        }
    }

    /// Adds the parts of a word of three to five characters, its ends included.
    fn parts_of_word(&mut self, word: &str) {
        let padded: Vec<char> = std::iter::once('<').chain(word.chars()).chain(['>']).collect();
        for length in 3..=5 {
            for part in padded.windows(length) {
                self.add("part", &part.iter().collect::<String>(), "", 0.5);
            }
        }
    }

    /// Adds how a text begins and ends, and the whole text where it is short.
    fn whole(&mut self, words: &[&str]) {
        if let Some(first) = words.first() {
            self.add_both("first", first, "", 1.0);
        }
        if let Some(last) = words.iter().rev().find(|word| !matches!(**word, "|" | "!")) {
            self.add("last", last, "", 0.7);
        }
        if words.len() <= 3 {
            let whole = words.join(" ");
            self.add("whole", &whole, "", 1.5);
            self.add("whole in", &whole, self.context, 1.5);
        }
        let asks = words.iter().rev().find(|word| **word != "|") == Some(&"?");
        let end = if asks { "?" } else { "." };
        let first = words.first().copied().unwrap_or_default();
        self.add("end", end, "", 1.0);
        self.add("end", end, first, 1.0);
        self.add("end group", end, groups(first).first().copied().unwrap_or("-"), 1.0);
    }

    /// Adds the groups of the words, and pairs of them that are near each other.
    fn groups(&mut self, words: &[&str]) {
        let mut named = Vec::new();
        for (ix, word) in words.iter().enumerate() {
            groups(word).iter().for_each(|group| self.add_both("group", group, "", 1.0));
            named.extend(groups(word).first().map(|group| (ix, *group)));
        }
        for (n, (ix, one)) in named.iter().enumerate() {
            let near = named[n + 1..].iter().take_while(|(at, _)| at - ix <= GROUPS_APART_MAX);
            for (_, other) in near {
                self.add("groups", one, other, 0.4);
            }
        }
    }

    /// Adds which of the groups that matter anywhere are in the text, in pairs and together.
    fn flags(&mut self, words: &[&str]) {
        let mut flags: Vec<&str> = Vec::new();
        for word in words {
            let mark = (*word == "?").then_some("?");
            let named = groups(word).iter().copied().filter(|group| FLAGS.contains(group));
            for flag in mark.into_iter().chain(named) {
                if !flags.contains(&flag) {
                    flags.push(flag);
                }
            }
        }
        for (n, one) in flags.iter().enumerate() {
            flags[n + 1..].iter().for_each(|other| self.add_both("flags", one, other, 0.3));
        }
        flags.sort_unstable();
        self.add("all flags", &flags.join(" "), "", 0.6);
    }

    /// Adds the phrases of the lexicon.
    fn phrases(&mut self, words: &[&str]) {
        let mut found: Vec<&str> = Vec::new();
        for start in 0..words.len() {
            for end in start + 1..=words.len().min(start + PHRASE_WORDS_MAX) {
                let phrase = words[start..end].join(" ");
                found.extend(GROUPS_OF_PHRASES.get(phrase.as_str()).into_iter().flatten());
            }
        }
        found.iter().for_each(|group| self.add_both("phrase", group, "", 1.0));
        if let Some(last) = found.last() {
            self.add("last phrase", last, "", 0.7);
        }
        let pairs: BTreeMap<(&str, &str), ()> = found
            .iter()
            .enumerate()
            .flat_map(|(n, one)| found[n + 1..].iter().map(move |other| ((*one, *other), ())))
            .filter(|((one, other), ())| one != other)
            .collect();
        pairs.keys().for_each(|(one, other)| self.add("phrases", one, other, 0.5));
    }

    /// Adds what follows one another, with the names of groups in place of their words.
    fn abstracted(&mut self, words: &[&str]) {
        let names = abstracted(words);
        let named = |ix: usize| names.get(ix).zip(words.get(ix)).is_some_and(|(a, b)| a != b);
        for (ix, one) in names.iter().enumerate() {
            let next = names.get(ix + 1).copied().unwrap_or("$");
            if named(ix) || named(ix + 1) {
                self.add("named pair", one, next, 1.0);
            }
            let Some(after) = names.get(ix + 2) else { continue };
            if named(ix) || named(ix + 1) || named(ix + 2) {
                self.add("named three", one, &format!("{next} {after}"), 0.7);
            }
            if named(ix) || named(ix + 2) {
                self.add("named skip", one, after, 0.5);
            }
        }
        if let Some(first) = names.first() {
            self.add("named first", first, self.context, 0.7);
            self.add("named start", first, names.get(1).copied().unwrap_or("$"), 0.7);
        }
        if names.len() <= 4 {
            let whole = names.join(" ");
            self.add("named whole", &whole, "", 1.0);
            self.add("named whole", &whole, self.context, 1.0);
        }
    }

    /// Adds what each clause says by yes and no together, and the whole course of the text.
    fn polarity(&mut self, words: &[&str]) {
        let courses = courses(words);
        courses.iter().for_each(|course| self.add_both("course", course, "", 1.5));
        self.add("courses", &courses.join(" | "), "", 1.5);
        if let Some(last) = courses.last() {
            self.add("last course", last, "", 1.0);
        }
    }

    /// Adds what the first and the last clause say, if there are several.
    fn clauses(&mut self, words: &[&str]) {
        let clauses = clauses(words);
        self.add("clauses", ["0", "1", "2", "3", "many"][clauses.len().min(4)], "", 0.5);
        if let [first, .., last] = clauses.as_slice() {
            self.clause("first", first);
            self.clause("last", last);
        }
    }

    fn clause(&mut self, place: &str, words: &[&str]) {
        words.iter().for_each(|word| self.add("in clause", place, word, 0.7));
        if words.len() <= 3 {
            let whole = words.join(" ");
            self.add("clause", place, &whole, 1.0);
            self.add("clause in", &format!("{place} {}", self.context), &whole, 1.0);
        }
        let names = abstracted(words);
        let first = names.first().copied().unwrap_or_default();
        self.add("clause from", place, first, 0.7);
        if let Some(second) = names.get(1) {
            self.add("clause from two", place, &format!("{first} {second}"), 0.7);
        }
        if words.contains(&"?") {
            self.add("clause asks", place, "", 0.7);
        }
    }
}

/// Returns the clauses of a text: what is between marks and turning words, without the marks that
/// do not matter.
fn clauses<'w>(words: &[&'w str]) -> Vec<Vec<&'w str>> {
    let mut clauses: Vec<Vec<&str>> = Vec::new();
    let mut open = false;
    for &word in words {
        let ends = matches!(word, "?" | "!");
        if word == "|" || (TURNS.contains(&word) && !ends) {
            open = false;
        }
        if word != "|" {
            match clauses.last_mut() {
                Some(clause) if open || ends => clause.push(word),
                _ => clauses.push(vec![word]),
            }
            open = !ends;
        }
    }
    clauses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_end_at_marks_and_turns() {
        let cases = [
            ("yes | happy to", "yes/happy to"),
            ("sure ! what time ?", "sure !/what time ?"),
            ("id love to but i cant |", "id love to/but i cant"),
            ("wait", "wait"),
            ("", ""),
        ];
        for (text, expected) in cases {
            let words: Vec<&str> = text.split_whitespace().collect();
            let found: Vec<String> = clauses(&words).iter().map(|it| it.join(" ")).collect();
            assert_eq!(found.join("/"), expected, "{text}");
        }
    }

    #[test]
    fn the_lexicon_is_in_the_form_of_words() {
        let of_words = WORDS.iter().flat_map(|(_, members)| members.split(' '));
        let of_phrases = PHRASES.iter().flat_map(|(_, members)| members.split('|'));
        let other = of_words.chain(of_phrases).filter(|it| spoken(it).join(" ") != **it);
        assert_eq!(other.collect::<Vec<_>>(), [""; 0]);
    }
}
