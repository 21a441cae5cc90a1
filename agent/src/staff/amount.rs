//! Numbers of people in a text, and what each of them is: a total, a difference, the least, or what
//! was before.

use super::noun::is_thing;
use super::token::{Joined, Kind, Token};
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
    "good", "right", "wrong",
];
/// Words before numbers that sound like them, and the numbers: "need too greeters and won usher".
const SOUNDS: &[(&str, i64)] =
    &[("to", 2), ("too", 2), ("won", 1), ("fore", 4), ("for", 4), ("ate", 8)];
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
    let is_to = words[at] == "2" && matches!(before, "going" | "want" | "like" | "have" | "trying");
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
    let counts_role = words[at..].iter().skip(2).take(2).any(|word| *word == "xrole");
    let pronoun = n == 1
        && words[at] == "one"
        && (BEFORE_PRONOUN.contains(&before) || (next == "of" && !counts_role));
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
    if matches!(word, "to" | "too") && before == "to" && words[..at].contains(&"from") {
        return Some((2, 1));
    }
    let refuses = at >= 2 && words[at - 2] == "no";
    if BEFORE_SOUND.contains(&before) && next == "xrole" && !refuses {
        let sound = SOUNDS.iter().find(|(sound, _)| *sound == word).map(|(_, n)| *n);
        if let Some(n) = sound {
            return Some((n, 1));
        }
    }
    let named = || WORDS.iter().find(|(name, _)| *name == word).map(|(_, n)| *n);
    small(word).or_else(named).map(|n| (n, 1))
}

const MORE: &[&str] = &["more", "additional", "extra", "further", "mas", "addl", "xtra"];
const FEWER: &[&str] = &["fewer", "less", "menos"];
/// Verbs directly before the number of those who come.
const ADDS: &[&str] = &[
    "add",
    "plus",
    "another",
    "extra",
    "additional",
    "adding",
    "otros",
    "otro",
    "otras",
    "agrega",
];
/// Verbs directly before the number of those who go.
const REMOVES: &[&str] =
    &["lose", "remove", "minus", "subtract", "quita", "cut", "drop", "shave", "release", "trim"];
/// Words before what was or is, if another number follows.
const FROM: &[&str] = &["from", "said", "asked", "originally"];
/// Words between which and a number one word may stand.
const REPLACED: &[&str] = &[
    "not",
    "instead of",
    "rather than",
    "not the",
    "instead of the",
    "and not",
    "dont need",
    "do not need",
    "dont need the",
];
const PRESENT: &[&str] =
    &["have", "has", "had", "got", "only have", "usual", "have only", "only got", "only had"];
/// Words before the least that would do.
const LEAST_BEFORE: &[&str] = &[
    "at least",
    "minimum",
    "minimum of",
    "min",
    "min of",
    "no fewer than",
    "no less than",
    "not less than",
    "with fewer than",
    "with less than",
    "al menos",
    "minimo",
    "bare minimum",
    "por lo menos",
    "settle for",
    "live with",
    "survive with",
    "as few as",
    "down to as few as",
    "fewer than",
    "less than",
    "make do with",
    "manage with",
    "get by with",
    "work with",
    "make it with",
];
/// Words after the least that would do.
const LEAST_AFTER: &[&str] = &[
    "minimum",
    "min",
    "at least",
    "at minimum",
    "at a minimum",
    "at the very least",
    "at the very minimum",
    "minimo",
    "at the least",
    "or more",
];
/// Words after the least that would do, if more are wanted.
const DOES: &[&str] = &[
    "would do",
    "will do",
    "would work",
    "works too",
    "is ok",
    "is okay",
    "is fine",
    "would be ok",
    "would be fine",
    "would be okay",
    "in a pinch",
    "could work",
    "can work",
    "if we have to",
    "if you have to",
    "is the minimum",
    "is the least",
    "would suffice",
    "at worst",
];
/// Words after a number that is too low.
const TOO_FEW: &[&str] = &[
    "isnt enough",
    "is not enough",
    "not enough",
    "wont do",
    "wont cut it",
    "arent enough",
    "isnt gonna be enough",
    "isnt going to be enough",
    "wont be enough",
];

/// Decides what each number says, from the words about it.
pub(super) fn qualify(tokens: &mut [Token]) {
    let places: Vec<usize> =
        (0..tokens.len()).filter(|at| tokens[*at].amount().is_some()).collect();
    for (ix, &at) in places.iter().enumerate() {
        let (others, later) = (places.len() > 1, ix + 1 < places.len());
        let sense = sense(tokens, at, others).or_else(|| earlier(tokens, at, others, later));
        if let (Some(sense), Kind::Number(amount)) = (sense, &mut tokens[at].kind) {
            amount.sense = sense;
        }
    }
    ranges(tokens);
    if let [at] = places[..] {
        beside_more(tokens, at);
    }
}

/// Makes the only number of "extra greeters at 11, two" a difference.
fn beside_more(tokens: &mut [Token], at: usize) {
    let target = at.checked_sub(1).is_some_and(|at| tokens[at].is_any(&["to", "it", "be"]));
    let extra = tokens.windows(2).any(|pair| {
        let people =
            pair[1].role().is_some() || pair[1].is_any(&["people", "help", "hands", "set"]);
        pair[0].is_any(&["extra", "additional", "more"]) && people
    });
    if let Kind::Number(amount) = &mut tokens[at].kind
        && amount.sense == Sense::Total
        && extra
        && !target
    {
        amount.sense = Sense::More;
    }
}

fn sense(tokens: &[Token], at: usize, others: bool) -> Option<Sense> {
    let before = at.checked_sub(1).map(|at| &tokens[at]);
    let prev = |list: &[&str]| before.is_some_and(|it| it.is_any(list));
    let next =
        |ahead: usize, list: &[&str]| tokens.get(at + ahead).is_some_and(|it| it.is_any(list));
    if LEAST_BEFORE.iter().any(|it| ends_before(tokens, at, it, 0))
        || LEAST_AFTER.iter().any(|it| starts_after(tokens, at, it))
        || (others && DOES.iter().any(|it| starts_after(tokens, at, it)) && bigger(tokens, at))
    {
        return Some(Sense::Least);
    }
    if next(1, FEWER) || prev(FEWER) {
        return Some(Sense::Fewer);
    }
    let after_role = tokens.get(at + 1).is_some_and(|it| it.role().is_some()) && next(2, MORE);
    let to = at.checked_sub(1).is_some_and(|at| tokens[at].is_any(&["to"]));
    if next(1, MORE) || prev(MORE) || prev(ADDS) || (after_role && !to) {
        return Some(Sense::More);
    }
    let off = tokens.iter().skip(at + 1).take(4).take_while(|it| it.amount().is_none());
    let taken = prev(&["take", "taking", "pull", "knock"]);
    if prev(REMOVES) || (taken && off.clone().any(|it| it.is_any(&["off", "away", "out"]))) {
        return Some(Sense::Fewer);
    }
    ends_before(tokens, at, "by", 0).then_some(Sense::By)
}

/// Decides whether a number is what was before another.
fn earlier(tokens: &[Token], at: usize, others: bool, later: bool) -> Option<Sense> {
    if !others {
        return None;
    }
    let usual =
        tokens[..at].iter().rev().take(2).any(|it| it.is_any(&["usual", "normal", "typical"]));
    let wanted = tokens[at..]
        .iter()
        .any(|it| it.is_any(&["need", "needs", "want", "wants", "but", "require"]));
    if usual || (later && wanted && PRESENT.iter().any(|it| ends_before(tokens, at, it, 0))) {
        return Some(Sense::Present);
    }
    let from = later && FROM.iter().any(|it| ends_before(tokens, at, it, 1));
    let replaced = REPLACED.iter().any(|it| ends_before(tokens, at, it, 0));
    let listed = at >= 2
        && tokens[at - 1].is_any(&["and"])
        && tokens[at - 2].amount().is_some_and(|it| it.sense == Sense::Before);
    let too_few = later && TOO_FEW.iter().any(|it| starts_after(tokens, at, it));
    (from || replaced || listed || too_few).then_some(Sense::Before)
}

/// Makes "4 or 5" and "between 3 and 5" a number with the least that would do.
fn ranges(tokens: &mut [Token]) {
    for at in 2..tokens.len() {
        let (Some(low), Some(high)) = (tokens[at - 2].amount(), tokens[at].amount()) else {
            continue;
        };
        let between =
            tokens[at - 1].is_any(&["and"]) && at >= 3 && tokens[at - 3].is_any(&["between"]);
        let from = at >= 3 && tokens[at - 3].is_any(&["from", "go", "went", "going"]);
        let to = tokens[at - 1].is_any(&["to"])
            && !from
            && tokens.get(at + 1).is_some_and(|it| it.role().is_some());
        let or = tokens[at - 1].is_any(&["or", "o"]);
        if low.n < high.n && high.sense == Sense::Total && (between || to || or) {
            let n = low.n;
            tokens[at - 2].kind = Kind::Number(Amount { n, sense: Sense::Least });
        }
    }
}

/// Whether another number of people is higher.
fn bigger(tokens: &[Token], at: usize) -> bool {
    let n = tokens[at].amount().map_or(0, |it| it.n);
    let totals = tokens.iter().filter_map(Token::amount).filter(|it| it.sense == Sense::Total);
    totals.clone().any(|it| it.n > n)
}

/// Whether words end before a token. At most `gap` other words may stand in between.
fn ends_before(tokens: &[Token], at: usize, words: &str, gap: usize) -> bool {
    (0..=gap).any(|gap| {
        let Some(mut end) = at.checked_sub(gap) else { return false };
        words.rsplit(' ').all(|word| {
            end = end.wrapping_sub(1);
            tokens.get(end).is_some_and(|it| it.is_any(&[word]))
        })
    })
}

/// Whether words start after a token, with at most two other words or one role between.
fn starts_after(tokens: &[Token], at: usize, words: &str) -> bool {
    (1..=3).any(|start| {
        let between = &tokens[(at + 1).min(tokens.len())..(at + start).min(tokens.len())];
        let clear = between.iter().all(|it| it.amount().is_none() && it.word != "|");
        let stands = words
            .split(' ')
            .enumerate()
            .all(|(ix, word)| tokens.get(at + start + ix).is_some_and(|it| it.is_any(&[word])));
        clear && stands
    })
}
