//! Clauses that deny, suppose or tell what they seem to ask for.

use super::StaffIntent;
use super::intent::{Clause, acts, asks};
use super::token::{Kind, Token, joined};
use crate::text::has;

/// Wordings of what is only thought of.
const SUPPOSED: &[&str] = &[
    "should we",
    "should i",
    "thinking of",
    "thinking about",
    "what if",
    "may need",
    "might need",
    "might have to",
    "may have to",
    "considering",
    "not sure yet",
    "let me get back",
    "let me think",
    "ill let you know",
    "toying with",
    "might cancel",
    "may cancel",
    "we could cancel",
    "havent decided",
    "depends on",
    "wondering whether",
    "do you think we",
    "would it be crazy",
    "suppose",
    "supposing",
    "would anyone mind",
    "hypothetically",
    "what would happen",
    "imagine if",
    "i wish",
    "if only",
    "if it snows",
    "if it rains",
    "if they",
    "if he",
    "if she",
    "if pastor",
    "in case we",
    "deberiamos",
    "tal vez",
    "quizas",
    "might just",
    "probably going to need",
    "thought about",
    "what happens if",
    "could we cancel if",
    "unless",
    "maybe we need",
    "maybe we should",
    "perhaps we",
    "i wonder",
];
/// Wordings of a wish, after which a condition is mere politeness.
const POLITE: &[&str] =
    &["if you can", "if you could", "if possible", "see if", "wondering if we could", "if not"];
/// Wordings of what was.
const WAS: &[&str] = &[
    "was",
    "there were",
    "they were",
    "had",
    "did",
    "served",
    "went",
    "came",
    "loved",
    "used to",
    "remember when",
    "thanks for",
    "thank you for",
    "talked",
    "saw",
    "quit",
    "fue",
    "estuvo",
    "counted",
    "looked",
    "believe",
    "sang",
    "turns",
    "turned",
    "showed up",
    "called me",
    "texted me",
    "told me",
    "asked me",
    "my son",
    "my daughter",
    "my kid",
    "my grandson",
    "years old",
];
/// Wordings that ask something of us.
const ASKS: &[&str] = &[
    "need",
    "needs",
    "get",
    "find",
    "please",
    "pls",
    "can you",
    "could you",
    "fill",
    "want",
    "make it",
    "cancel",
    "lets",
    "recruit",
    "looking for",
    "necesito",
    "necesitamos",
    "could use",
    "set",
    "bring",
    "drop",
    "cut",
    "raise",
    "send",
    "ask",
    "line up",
    "round up",
    "gimme",
    "give me",
    "put",
    "add",
    "move",
    "reduce",
    "lower",
    "increase",
    "grab",
    "busco",
    "busca",
    "will do",
    "short",
    "replace",
    "replacement",
    "ahead",
    "should be",
    "bump",
    "up",
    "swap",
    "prefer",
    "ideally",
    "hoping",
    "is plenty",
    "are plenty",
    "is enough",
    "are enough",
];
/// Wordings that refuse to call something off.
const KEPT: &[&str] = &[
    "dont cancel",
    "do not cancel",
    "not cancel",
    "never cancel",
    "no need to cancel",
    "isnt cancelled",
    "isnt canceled",
    "not cancelled",
    "not canceled",
    "not cancelling",
    "not canceling",
    "dont call off",
    "do not call off",
    "not off",
    "dont scrap",
    "dont drop",
    "no canceles",
    "no cancelen",
    "dont you dare cancel",
    "wont cancel",
    "arent cancelling",
    "isnt off",
    "please dont cancel",
    "never said to cancel",
    "dont want to cancel",
];
/// Wordings that say that enough people are there.
const ENOUGH: &[&str] = &[
    "not short",
    "arent short",
    "isnt short",
    "never short",
    "not low on",
    "not looking for",
    "dont need to find",
];
/// Wordings that mean the opposite of what they seem to approve.
const MOCKED: &[&str] = &[
    "why dont you",
    "yeah right",
    "as if",
    "in your dreams",
    "when pigs fly",
    "over my dead body",
];
/// Wordings that put an answer off, and those that grant only a part.
const PUT_OFF: &[&str] = &[
    "let me think",
    "let me ask",
    "let me check",
    "let me see",
    "let me talk",
    "let me run",
    "i need to ask",
    "have to ask",
    "need to check",
    "gotta ask",
    "ill check",
    "ill ask",
    "not yet",
    "maybe later",
    "but only",
    "but not",
    "but just",
    "but skip",
    "but leave",
    "but dont",
    "but wait",
    "but why",
    "but who",
    "but whos",
    "but what",
    "but when",
    "but how",
    "maybe",
    "unless",
    "after",
    "later",
    "i saw",
    "got your",
    "i read",
];
/// Wordings of a wish in which "if" is no condition of an answer.
const WISHED: &[&str] = &[
    "if you can",
    "if you could",
    "if possible",
    "if you would",
    "if you dont mind",
    "if you will",
];
/// The starts of mockery.
const MOCKING: &[&str] = &["oh sure", "sure", "oh great", "yeah sure", "oh yeah"];
/// Wordings that say that no more people are needed.
const PLENTY: &[&str] =
    &["already have plenty", "no need for more", "we have plenty", "dont need any more"];
/// The starts of questions about what was done.
const WHETHER: &[&str] = &[
    "did we",
    "did you",
    "did i",
    "have we",
    "have you",
    "has anyone",
    "did anyone",
    "was the",
    "were the",
    "is the",
    "are the",
    "did we ever",
    "did we already",
    "did",
];

/// From this probability even a question approves: "can you send it please".
const SURE_FROM: f32 = 0.85;
/// The starts of questions about what is.
const WHETHER_NOW: &[&str] = &["is", "are", "do we", "does", "will"];

/// The starts of questions whether people are needed.
const WHETHER_NEEDED: &[&str] = &[
    "do we need",
    "do we really need",
    "do you need",
    "do i need",
    "didnt we",
    "dont we need",
    "did we need",
    "do they need",
];
/// Words before a number of people who are there, and before the number in a request for them.
const HAVE: &[&str] = &["have", "has", "got"];
const MAY_HAVE: &[&str] =
    &["can", "could", "may", "let", "lets", "should", "must", "sure", "ensure", "want", "when"];
/// Words before "have" in a sentence that tells it.
const SUBJECTS: &[&str] =
    &["we", "i", "they", "you", "already", "now", "currently", "only", "weve"];
/// Nouns of what is to be filled: "I have 3 openings in nursery".
const VACANT: &[&str] =
    &["openings", "spots", "slots", "holes", "gaps", "vacancies", "opening", "spot", "positions"];

/// Whether a clause tells how many people there are: "we have 4 ushers at 9 already".
fn is_present(tokens: &[Token]) -> bool {
    let counts = (0..tokens.len()).any(|at| {
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        let first = before.is_none() && tokens[at].is_any(&["got"]);
        let subject = first || before.is_some_and(|it| it.is_any(SUBJECTS));
        let little = tokens.get(at + 1).is_some_and(|it| it.is_any(&["my", "our", "all", "the"]));
        let counted =
            tokens.get(at + 1 + usize::from(little)).is_some_and(|it| it.amount().is_some());
        tokens[at].is_any(HAVE) && subject && counted
    });
    counts && !tokens.iter().any(|it| it.is_any(MAY_HAVE) || it.is_any(VACANT))
}

/// Wordings that forbid what follows.
const FORBIDS: &[&str] =
    &["dont", "do not", "never", "no need to", "lets not", "please dont", "pls dont"];
/// Verbs of which the opposite changes nothing.
const CHANGES: &[&str] = &[
    "add",
    "increase",
    "raise",
    "bump",
    "reduce",
    "lower",
    "cut",
    "drop",
    "move",
    "swap",
    "shift",
    "change",
    "touch",
    "pause",
    "stop",
    "resume",
    "rebalance",
    "quit",
    "start",
    "give",
];

/// Whether a clause only forbids a change: "don't stop looking for ushers".
fn is_forbidden(clause: &Clause<'_>, found: StaffIntent) -> bool {
    let words = joined(clause.tokens);
    let forbids = FORBIDS.iter().any(|forbids| {
        let rest = words.strip_prefix(forbids).unwrap_or_default().trim_start();
        CHANGES.iter().any(|verb| rest.split(' ').next() == Some(verb))
    });
    let single = !clause.tokens.iter().any(|it| it.is_any(&["|", "just", "but", "until"]));
    forbids && single && acts(found)
}

/// Returns what a clause is instead, if it denies, supposes or tells what it seems to ask for.
pub(super) fn denied(clause: &Clause<'_>, found: StaffIntent, padded: &str) -> Option<StaffIntent> {
    let any = |list: &[&str]| list.iter().any(|it| has(padded, it));
    let starts = |list: &[&str]| list.iter().any(|it| padded.starts_with(&format!(" {it} ")));
    if any(KEPT)
        && matches!(found, StaffIntent::CancelEvent | StaffIntent::Reject | StaffIntent::Unrelated)
    {
        return Some(StaffIntent::Reject);
    }
    if any(ENOUGH) && (acts(found) || found == StaffIntent::Status) {
        return Some(StaffIntent::Unrelated);
    }
    let mocks = starts(MOCKING) && (acts(found) || found == StaffIntent::Reject);
    if mocks && any(&["why not", "why dont you"]) && found != StaffIntent::Approve {
        return Some(StaffIntent::Unrelated);
    }
    if found == StaffIntent::Approve && any(MOCKED) {
        return Some(StaffIntent::Reject);
    }
    if found == StaffIntent::Approve && starts(WHETHER_NOW) {
        return Some(StaffIntent::Status);
    }
    let condition = has(padded, "if") && !any(WISHED);
    if found == StaffIntent::Approve && (any(PUT_OFF) || condition) {
        return Some(StaffIntent::Unrelated);
    }
    let wonders = has(padded, "enough") && (has(padded, "?") || starts(&["do you think"]));
    let whether = starts(WHETHER) || starts(WHETHER_NOW);
    if acts(found) && ((whether && has(padded, "enough")) || wonders || starts(WHETHER_NEEDED)) {
        return Some(StaffIntent::Status);
    }
    let questions = starts(WHETHER_NOW) || starts(&["do you", "can you", "what", "where", "why"]);
    if found == StaffIntent::Approve && questions && clause.scores.best().1 < SURE_FROM {
        return Some(StaffIntent::Unrelated);
    }
    if is_forbidden(clause, found) {
        return Some(StaffIntent::Unrelated);
    }
    let plenty = any(PLENTY) && clause.drafts.iter().all(|it| it.number().is_none());
    if plenty && found == StaffIntent::ReduceTarget {
        return Some(StaffIntent::Unrelated);
    }
    if found == StaffIntent::List && starts(WHETHER) {
        return Some(StaffIntent::Status);
    }
    if !acts(found) || found == StaffIntent::Approve {
        return None;
    }
    let asked = any(ASKS);
    if any(SUPPOSED) && !any(POLITE) {
        return Some(StaffIntent::Unrelated);
    }
    let question = starts(WHETHER) || has(padded, "did we ?") || padded.ends_with(" did we ");
    if question && (found == StaffIntent::CancelEvent || !asked) {
        return Some(StaffIntent::Status);
    }
    let past = clause.tokens.iter().any(|it| matches!(&it.kind, Kind::Time(said) if said.past));
    let ahead = clause.drafts.iter().any(|it| it.is_service());
    // "the 4 ushers at 9 looked sharp" speaks of those who are there.
    let there =
        clause.tokens.windows(2).any(|it| it[0].is_any(&["the", "my"]) && it[1].amount().is_some());
    // Without its apostrophe, "we're" is "were".
    let were = clause.tokens.windows(2).any(|it| it[0].role().is_some() && it[1].is_any(&["were"]));
    let present = found == StaffIntent::FillRole && is_present(clause.tokens);
    let told = any(WAS) || were || there || present || (past && !ahead);
    (!asked && asks(found) && told).then_some(StaffIntent::Unrelated)
}
