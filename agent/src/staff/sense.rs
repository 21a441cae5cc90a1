//! What each number of people says: a total, a difference, the least that would do, or what was
//! before, as the words about it show.

use super::amount::{Amount, Sense};
use super::token::{Kind, Token};

/// Words beside the number of those who come.
const MORE: &[&str] = &["more", "additional", "extra", "further", "mas", "addl", "xtra"];
/// Words beside the number of those who go.
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
/// Verbs before the number of those who go.
const REMOVES: &[&str] = &[
    "lose",
    "remove",
    "minus",
    "subtract",
    "quita",
    "quitar",
    "cut",
    "drop",
    "shave",
    "release",
    "trim",
    "spare",
    "uninvite",
    "excuse",
    "dismiss",
    "relieve",
    "sobran",
    "sobra",
    "unassign",
    "give back",
    "give up",
    "free up",
    "take off",
    "knock off",
    "part with",
    "do without",
    "send home",
    "let go",
    "turn loose",
    "cancel",
];
/// Words between such a verb and the number.
const BEFORE_GONE: &[&str] = &["the", "about", "like", "maybe", "up", "another", "any", "me"];
/// Verbs, and the word after the number that makes them verbs of those who go.
const APART: &[(&[&str], &[&str])] = &[
    (&["take", "taking", "pull", "knock"], &["off", "away", "out"]),
    (&["send"], &["home"]),
    (&["let"], &["go", "off"]),
    (&["give", "hand"], &["back"]),
    (&["turn", "cut"], &["loose"]),
];
/// How far after the number that word stands.
const APART_REACH: usize = 7;
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
/// Words not far before a number that is refused, and how far.
const REFUSALS: &[&str] = &["not", "dont", "wont", "cant"];
const REFUSED_REACH: usize = 4;
/// Words between them and a number that refuse something else: "not sure", "dont have".
const NO_REFUSALS: &[&str] = &["sure", "enough", "know", "have", "forget", "only", "just", "why"];
/// Words before the number of those who are there.
const PRESENT: &[&str] = &[
    "have",
    "has",
    "had",
    "got",
    "weve",
    "ive",
    "theres",
    "there are",
    "only have",
    "usual",
    "have only",
    "only got",
    "only had",
];
/// Words after the number of those who are there.
const SO_FAR: &[&str] = &["so far", "already", "confirmed", "signed up", "right now"];
/// Words of a request after the number of those who are there.
const WANTED: &[&str] =
    &["need", "needs", "want", "wants", "but", "require", "get", "find", "necesito", "necesitamos"];
/// Words after a number that is what is wanted as a whole.
const IN_ALL: &[&str] = &["total", "altogether", "in total", "in all", "all told"];
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
    "is too few",
    "arent gonna be enough",
    "cut it",
    "wont work",
    "isnt gonna",
    "arent gonna",
    "isnt going to",
    "arent going to",
    "not gonna",
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
    let whole = IN_ALL.iter().any(|it| starts_after(tokens, at, it));
    if let Kind::Number(amount) = &mut tokens[at].kind
        && amount.sense == Sense::Total
        && extra
        && !target
        && !whole
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
    if IN_ALL.iter().any(|it| starts_after(tokens, at, it)) {
        return Some(Sense::Total);
    }
    if next(1, FEWER) || prev(FEWER) {
        return Some(Sense::Fewer);
    }
    let after_role = tokens.get(at + 1).is_some_and(|it| it.role().is_some()) && next(2, MORE);
    let to = at.checked_sub(1).is_some_and(|at| tokens[at].is_any(&["to"]));
    if next(1, MORE) || prev(MORE) || prev(ADDS) || (after_role && !to) {
        return Some(Sense::More);
    }
    // "nursery is short by 2"
    if ends_before(tokens, at, "short by", 0) {
        return Some(Sense::Total);
    }
    if goes(tokens, at) {
        return Some(Sense::Fewer);
    }
    ends_before(tokens, at, "by", 0).then_some(Sense::By)
}

/// Whether a number is that of people who go: "lose the 2 ushers", "send one of the ushers home",
/// "2 ushers too many".
fn goes(tokens: &[Token], at: usize) -> bool {
    let little = tokens[..at].iter().rev().take_while(|it| it.is_any(BEFORE_GONE)).count();
    let verb = at - little;
    let after = tokens[at + 1..].iter().take(APART_REACH);
    let after = after.take_while(|it| it.amount().is_none() && !it.is_any(&["|"]));
    let apart = |(verbs, ends): &(&[&str], &[&str])| {
        verb > 0 && tokens[verb - 1].is_any(verbs) && after.clone().any(|it| it.is_any(ends))
    };
    REMOVES.iter().any(|it| ends_before(tokens, verb, it, 0))
        || APART.iter().any(apart)
        || starts_after(tokens, at, "too many")
}

/// Decides whether a number is what was before another.
fn earlier(tokens: &[Token], at: usize, others: bool, later: bool) -> Option<Sense> {
    if !others {
        return None;
    }
    let usual =
        tokens[..at].iter().rev().take(2).any(|it| it.is_any(&["usual", "normal", "typical"]));
    let wanted = tokens[at..].iter().any(|it| it.is_any(WANTED));
    if usual || (later && wanted && PRESENT.iter().any(|it| ends_before(tokens, at, it, 0))) {
        return Some(Sense::Present);
    }
    let there = later && wanted && SO_FAR.iter().any(|it| starts_after(tokens, at, it));
    if there {
        return Some(Sense::Present);
    }
    let becomes = tokens.get(at + 1).is_some_and(|it| it.is_any(&["becomes"]));
    if later && becomes {
        return Some(Sense::Before);
    }
    let from = later && FROM.iter().any(|it| ends_before(tokens, at, it, 1));
    let replaced = REPLACED.iter().any(|it| ends_before(tokens, at, it, 0))
        || (later && is_refused(tokens, at));
    let listed = at >= 2
        && tokens[at - 1].is_any(&["and"])
        && tokens[at - 2].amount().is_some_and(|it| it.sense == Sense::Before);
    let too_few = later && TOO_FEW.iter().any(|it| starts_after(tokens, at, it));
    (from || replaced || listed || too_few).then_some(Sense::Before)
}

/// Whether a number is refused before another one of the same role: "lets not do 5 ushers, 3 works".
fn is_refused(tokens: &[Token], at: usize) -> bool {
    let mut roles = tokens.iter().filter_map(Token::role);
    let first = roles.next();
    let before = tokens[..at].iter().rev().take(REFUSED_REACH).take_while(|it| it.word != "|");
    before.clone().any(|it| it.is_any(REFUSALS))
        && !before.clone().any(|it| it.is_any(NO_REFUSALS))
        && roles.all(|role| Some(role) == first)
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
