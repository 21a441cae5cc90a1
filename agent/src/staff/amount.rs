//! Numbers of people in a text.

use super::noun::is_thing;
use super::token::{Joined, Kind};
use crate::number::{small, tens};

/// A number of people that a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Amount {
    /// The number.
    pub(super) n: i64,
    /// What it says.
    pub(super) sense: Sense,
}

/// What a number of people says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    /// How many are wanted.
    Total,
    /// How many more.
    More,
    /// How many fewer.
    Fewer,
    /// How many more or fewer, as the verb says: "by 2".
    By,
    /// The least that would do.
    Least,
    /// How many it was to be: "from 6 to 4".
    Before,
    /// How many there are: "we have 3 but need 5".
    Present,
}

impl Amount {
    /// Whether it says something beside what is wanted.
    pub(super) const fn is_aside(&self) -> bool {
        self.is_there() || matches!(self.sense, Sense::Least)
    }

    /// Whether it says what is or was there.
    pub(super) const fn is_there(&self) -> bool {
        matches!(self.sense, Sense::Before | Sense::Present)
    }
}

/// Most people that one text may ask for; more is a slip of the finger.
const COUNT_MAX: i64 = 500;
/// Words that stand for a number of people and are no number words.
const WORDS: &[(&str, i64)] = &[
    ("dozen", 12),
    ("couple", 2),
    ("pair", 2),
    ("trio", 3),
    ("un", 1),
    ("uno", 1),
    ("dos", 2),
    ("tres", 3),
    ("cuatro", 4),
    ("cinco", 5),
    ("seis", 6),
    ("siete", 7),
    ("ocho", 8),
    ("nueve", 9),
    ("diez", 10),
    ("doce", 12),
];
/// Wordings of several words.
const WORDINGS: &[(&str, i64)] = &[
    ("half a dozen", 6),
    ("half dozen", 6),
    ("a half dozen", 6),
    ("a dozen", 12),
    ("a couple", 2),
    ("a pair of hands", 1),
    ("pair of hands", 1),
    ("a pair", 2),
    ("media docena", 6),
    ("un par", 2),
    ("a hundred", 100),
    ("one dozen", 12),
    ("two dozen", 24),
];
/// Units after which a number counts no people.
const UNITS: &[&str] = &[
    "percent",
    "dollars",
    "bucks",
    "minutes",
    "minute",
    "mins",
    "hours",
    "hour",
    "hrs",
    "years",
    "year",
    "yrs",
    "months",
    "month",
    "weeks",
    "week",
    "sundays",
    "days",
    "day",
    "lbs",
    "miles",
    "times",
    "degrees",
    "pounds",
    "oclock",
    "grade",
    "graders",
    "cups",
    "bags",
    "boxes",
    "gallons",
    "diapers",
    "chairs",
    "tables",
    "feet",
    "pm",
    "am",
    "year olds",
    "cases",
];
/// Words after which a number counts no people.
const NAMED: &[&str] = &[
    "psalm",
    "psalms",
    "john",
    "room",
    "page",
    "row",
    "gate",
    "hymn",
    "chapter",
    "verse",
    "route",
    "highway",
    "all",
    "grade",
    "matthew",
    "luke",
    "romans",
    "code",
    "extension",
    "ext",
    "channel",
    "building",
    "door",
    "option",
];
/// Words before "one" where it stands for something named.
const BEFORE_PRONOUN: &[&str] = &[
    "that", "this", "which", "no", "any", "each", "every", "next", "last", "early", "late", "the",
    "good", "right", "wrong", "quick", "other",
];
/// Words after "the nursery one" where that stands for something named.
const AFTER_PRONOUN: &[&str] = &["", "|", "!", "?", "please", "pls", "then", "too", "xtime"];
/// Words after "one more" where it counts no people.
const MORE_THINGS: &[&str] = &["thing", "question", "time", "note", "request", "favor", "ask"];
/// Words for one person, of whom "a person" asks for one.
const PERSON: &[&str] = &[
    "person",
    "guy",
    "gal",
    "lady",
    "man",
    "woman",
    "volunteer",
    "helper",
    "body",
    "adult",
    "persona",
    "voluntario",
    "voluntaria",
];
/// Words before "2 need", which is "to need", and words after a number that counts.
const BEFORE_VERB: &[&str] = &["going", "want", "like", "have", "trying"];
const COUNTED: &[&str] = &[
    "", "|", "xrole", "xtime", "too", "of", "more", "extra", "people", "ppl", "folks", "or", "at",
    "for", "in", "on", "and", "good", "other", "others",
];
/// Words before numbers that sound like them, and the numbers: "need too greeters and won usher".
const SOUNDS: &[(&str, i64)] =
    &[("to", 2), ("too", 2), ("won", 1), ("fore", 4), ("for", 4), ("ate", 8)];
/// Words before "need for nursery" where "for" is no number.
const ASKING: &[&str] = &["what", "whats", "who", "whoever", "which", "that", "how", "do", "did"];
/// Words after which a word that sounds like a number is one.
const BEFORE_SOUND: &[&str] = &["need", "needs", "get", "find", "fill", "and", "want", "send"];

/// Returns the number of people that stands at a word.
pub(super) fn number_at(words: &[&str], at: usize) -> Option<Joined> {
    let next = words.get(at + 1).copied().unwrap_or_default();
    let before = at.checked_sub(1).map_or("", |at| words[at]);
    let joined = |n: i64, length: usize| {
        let sense = if words[at] == "another" { Sense::More } else { Sense::Total };
        Joined { kind: Kind::Number(Amount { n, sense }), length }
    };
    let whole = |wording: &str| super::role::stands_at(words, at, wording);
    if let Some((wording, n)) = WORDINGS.iter().find(|(wording, _)| whole(wording)) {
        return Some(joined(*n, wording.split(' ').count()));
    }
    // "we r going 2 need 5 greeters 4 the 9am"
    let counts = COUNTED.contains(&next);
    let is_to = words[at] == "2" && BEFORE_VERB.contains(&before) && !counts;
    let is_for = words[at] == "4"
        && matches!(before, "xrole" | "people" | "ppl" | "volunteers")
        && matches!(next, "the" | "this" | "my" | "our");
    if is_to || is_for {
        return None;
    }
    // "a hand or two" is no number.
    if before == "or" && at >= 3 && matches!(words[at - 3], "a" | "an") {
        return None;
    }
    let (n, length) = plain(words, at)?;
    let after = words.get(at + length).copied().unwrap_or_default();
    // "one of the ushers"
    let counts_role = words[at..].iter().skip(2).take(3).any(|word| *word == "xrole");
    // "decline the parking one"
    let named = before == "xrole"
        && AFTER_PRONOUN.contains(&after)
        && at >= 2
        && matches!(words[at - 2], "the" | "that" | "this");
    let pronoun = n == 1
        && words[at] == "one"
        && (BEFORE_PRONOUN.contains(&before) || named || (next == "of" && !counts_role));
    // "one more thing"
    let thing = next == "more" && words.get(at + 2).is_some_and(|it| MORE_THINGS.contains(it));
    // "two more weeks"
    let units = after == "more" && words.get(at + length + 1).is_some_and(|it| UNITS.contains(it));
    let pronoun = pronoun || thing || units;
    let fits = (0..=COUNT_MAX).contains(&n) && !pronoun;
    let is_thing = is_thing(after);
    let is_people = !is_thing && !UNITS.contains(&after) && !NAMED.contains(&before);
    (fits && is_people).then(|| joined(n, length))
}

/// Returns a number in digits or in words, and how many words it has.
fn plain(words: &[&str], at: usize) -> Option<(i64, usize)> {
    let word = words[at];
    let next = words.get(at + 1).copied().unwrap_or_default();
    let before = at.checked_sub(1).map_or("", |at| words[at]);
    if word.len() <= 3 && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return word.parse().ok().map(|n| (n, 1));
    }
    if let Some(tens) = tens(word) {
        let unit = small(next).filter(|unit| (1..=9).contains(unit));
        return Some((tens + unit.unwrap_or(0), 1 + usize::from(unit.is_some())));
    }
    let people = matches!(
        next,
        "xrole" | "person" | "one" | "volunteer" | "body" | "adult" | "helper" | "set"
    );
    if word == "another" && (people || matches!(next, "" | "|" | "!")) {
        return Some((1, 1 + usize::from(next == "one")));
    }
    let extra = matches!(next, "extra" | "additional")
        && words
            .get(at + 2)
            .is_some_and(|it| PERSON.contains(it) || matches!(*it, "xrole" | "in" | "on" | "for"));
    if matches!(word, "a" | "an") && extra {
        return Some((1, 1));
    }
    let person = |ahead: usize| words.get(at + ahead).is_some_and(|it| PERSON.contains(it));
    if matches!(word, "a" | "an" | "una" | "un") && person(1) {
        return Some((1, 1));
    }
    if matches!(word, "to" | "too") && before == "to" && words[..at].contains(&"from") {
        return Some((2, 1));
    }
    let refuses = at >= 2 && words[at - 2] == "no";
    let counts = next == "xrole"
        || (matches!(next, "in" | "on") && words.get(at + 2).copied() == Some("xrole"));
    // "whoever you can get for nursery" and "what we need for nursery" name no number.
    let little = matches!(word, "for" | "to");
    let asks = words[..at].iter().any(|it| ASKING.contains(it));
    let plain = !little || (matches!(before, "need" | "needs" | "and" | "want") && !asks);
    if BEFORE_SOUND.contains(&before) && counts && plain && !refuses {
        let sound = SOUNDS.iter().find(|(sound, _)| *sound == word).map(|(_, n)| *n);
        if let Some(n) = sound {
            return Some((n, 1));
        }
    }
    let named = || WORDS.iter().find(|(name, _)| *name == word).map(|(_, n)| *n);
    small(word).or_else(named).map(|n| (n, 1))
}
