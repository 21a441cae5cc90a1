//! Texts of few words, and intents of which a text has no word: where the classifier knows little.

use super::StaffIntent;
use super::amount::{Amount, Sense};
use super::intent::{Clause, change};
use super::lexicon::has_class;
use super::numbered::{PAUSES, RESUMES};
use super::token::{Kind, Token};
use crate::text::has;

/// Words before the verb of a request.
const OPENERS: &[&str] = &[
    "we", "i", "hey", "hi", "please", "pls", "can", "could", "you", "u", "really", "still", "also",
    "so", "ok", "just", "will", "gonna", "going", "to", "im", "were", "are", "would", "like", "yo",
    "and", "|", "team", "well", "id",
];
/// Verbs that ask for people.
const VERBS: &[&str] = &[
    "need",
    "needs",
    "get",
    "find",
    "fill",
    "want",
    "looking",
    "recruit",
    "staff",
    "necesito",
    "necesitamos",
    "busco",
    "buscamos",
    "busca",
    "grab",
    "short",
    "require",
    "seeking",
    "help",
    "helpers",
    "volunteers",
    "lacking",
    "lack",
    "missing",
    "understaffed",
];
/// Words between such a verb and what it asks for.
const OBJECTS: &[&str] = &[
    "me",
    "us",
    "a",
    "an",
    "some",
    "more",
    "few",
    "any",
    "the",
    "for",
    "in",
    "with",
    "people",
    "ppl",
    "bodies",
    "folks",
    "help",
    "volunteers",
    "helpers",
    "someone",
    "somebody",
    "out",
    "on",
    "of",
    "at",
    "another",
    "extra",
    "new",
];
/// Words for the people of a request that names no role.
const BODIES: &[&str] =
    &["people", "ppl", "bodies", "folks", "volunteers", "helpers", "someone", "somebody", "hand"];
/// Words that belong to a role, a number or a time.
const PARTS: &[&str] = &[
    "for",
    "at",
    "in",
    "the",
    "on",
    "|",
    "!",
    "please",
    "pls",
    "of",
    "people",
    "this",
    "team",
    "service",
    "and",
    "to",
    "by",
    "thanks",
    "thx",
    "asap",
    "person",
    "spots",
    "volunteers",
    "helpers",
    "folks",
    "a",
    "workers",
    "servers",
    "tech",
    "techs",
    "crew",
    "guy",
    "guys",
    "leader",
    "leaders",
    "attendants",
    "operator",
    "player",
];

/// Finds requests in texts of few words, of which the classifier knows little: "need ushers",
/// "nursery 9am".
pub(super) fn requested(clause: &Clause<'_>, found: StaffIntent, padded: &str) -> StaffIntent {
    let vague = clause.drafts.iter().all(|it| it.amounts.iter().all(Amount::is_there));
    if found == StaffIntent::FillRole && vague && is_more(clause.tokens) && !has(padded, "ask") {
        return StaffIntent::IncreaseTarget;
    }
    let past = clause.tokens.iter().any(|it| matches!(&it.kind, Kind::Time(said) if said.past));
    let asks = has(padded, "?");
    let fills = match found {
        // "greeters for Sunday?" may be both, and to ask back changes nothing.
        StaffIntent::Status => clause.scores.best().1 < UNCUED_FROM && is_bare(clause.tokens),
        StaffIntent::Unrelated => is_bare(clause.tokens) || (!asks && is_plea(clause.tokens)),
        StaffIntent::Rebalance | StaffIntent::ReduceTarget => !asks && is_bare(clause.tokens),
        _ => false,
    };
    if fills && !past { StaffIntent::FillRole } else { found }
}

fn is_named(token: &Token) -> bool {
    !matches!(token.kind, Kind::Word | Kind::Mark)
}

/// Whether tokens ask for more people without a number: "more ushers", "a bigger team".
fn is_more(tokens: &[Token]) -> bool {
    let people = |it: &Token| {
        it.role().is_some() || it.is_any(&["people", "help", "hands", "folks", "volunteers"])
    };
    let more = |it: &Token| it.is_any(&["more", "extra", "additional"]);
    tokens.windows(2).any(|pair| more(&pair[0]) && people(&pair[1]))
        || tokens.iter().any(|it| it.is_any(&["bigger", "larger", "stronger"]))
}

/// Whether tokens name a role, a number or a time and say nothing about it.
pub(super) fn is_bare(tokens: &[Token]) -> bool {
    tokens.iter().any(is_named)
        && tokens.iter().all(|it| is_named(it) || it.is_any(PARTS) || it.word == "?")
}

/// Whether tokens begin with a verb that asks for people, or have nothing but words of such a
/// request.
fn is_plea(tokens: &[Token]) -> bool {
    let lists = [PARTS, OBJECTS, VERBS, OPENERS];
    let plain = |it: &Token| is_named(it) || lists.iter().any(|list| it.is_any(list));
    let has_any = |list: &[&str]| tokens.iter().any(|it| it.is_any(list));
    // "we're short", "need a hand"
    let short = has_any(&["short", "understaffed", "shorthanded"]);
    if (has_any(BODIES) || short) && has_any(VERBS) && tokens.iter().all(plain) {
        return true;
    }
    let mut rest = tokens.iter().skip_while(|it| it.is_any(OPENERS));
    let verb = rest.next().is_some_and(|it| it.is_any(VERBS));
    let object = rest.find(|it| !it.is_any(OBJECTS));
    verb && object.is_some_and(|it| it.role().is_some() || it.amount().is_some())
}

/// From this probability an intent needs no cue of its own.
const UNCUED_FROM: f32 = 0.8;
/// Words for the people who are asked for.
const PEOPLE: &[&str] = &[
    "someone",
    "somebody",
    "anyone",
    "anybody",
    "volunteers",
    "volunteer",
    "people",
    "ppl",
    "help",
    "helpers",
    "folks",
    "a",
    "an",
    "some",
    "more",
    "bodies",
    "hands",
    "fill",
    "alguien",
];
/// From this probability a question needs no cue of its own.
const ASKED_FROM: f32 = 0.6;
/// Words beside the class of reductions that go with one.
const REDUCES: &[&str] = &["only", "just", "instead", "anymore", "enough", "fine", "after", "now"];
/// Words beside the class of increases that go with one.
const INCREASES: &[&str] = &["to", "make", "should", "short", "up", "expecting", "go", "instead"];

/// Words beside the class of cancellations that go with one.
const CALLED_OFF: &[&str] =
    &["off", "no", "not", "wont", "closed", "out", "down", "home", "needed", "arent", "isnt", "ya"];

/// Whether a clause has a word that goes with a cancellation.
pub(super) fn calls_off(tokens: &[Token]) -> bool {
    let words: Vec<&str> = tokens.iter().map(|it| it.word.as_str()).collect();
    has_class(&words, "xoff") || tokens.iter().any(|it| it.is_any(CALLED_OFF))
}

/// Refuses an intent of which a clause has no cue and of which the classifier is not sure.
pub(super) fn cued(clause: &Clause<'_>, found: StaffIntent, p: f32) -> StaffIntent {
    let words: Vec<&str> = clause.tokens.iter().map(|it| it.word.as_str()).collect();
    let is_any = |list: &[&str]| clause.tokens.iter().any(|it| it.is_any(list));
    let to_number =
        clause.tokens.windows(2).any(|it| it[0].is_any(&["to"]) && it[1].amount().is_some());
    let role = clause.tokens.iter().any(|it| it.role().is_some());
    let opens = clause.tokens.first().is_some_and(|it| it.is_any(PAUSES) || it.is_any(RESUMES));
    let counted = clause.drafts.iter().any(|it| it.number().is_some());
    let changes = change(clause.drafts).is_some();
    let relative =
        clause.drafts.iter().any(|it| it.number().is_some_and(|it| it.sense != Sense::Total));
    if p >= UNCUED_FROM || changes || relative {
        return found;
    }
    match found {
        StaffIntent::FillRole if p < ASKED_FROM && !counted && !role && !is_any(BODIES) => {
            StaffIntent::Unrelated
        }
        StaffIntent::ReduceTarget
            if !has_class(&words, "xdown") && !is_any(REDUCES) && !to_number =>
        {
            StaffIntent::FillRole
        }
        StaffIntent::IncreaseTarget if is_any(&["set"]) && !has_class(&words, "xup") => {
            StaffIntent::FillRole
        }
        StaffIntent::IncreaseTarget
            if !has_class(&words, "xup") && !is_any(INCREASES) && !to_number =>
        {
            StaffIntent::FillRole
        }
        StaffIntent::FillRole
            if p < ASKED_FROM && !counted && !is_any(PEOPLE) && !has_class(&words, "xask") =>
        {
            StaffIntent::Unrelated
        }
        StaffIntent::Resume if clause.tokens.iter().any(|it| it.time().is_some()) => {
            StaffIntent::Unrelated
        }
        StaffIntent::Pause | StaffIntent::Resume if role && p < ASKED_FROM && !opens => {
            StaffIntent::Unrelated
        }
        StaffIntent::CancelEvent if !calls_off(clause.tokens) => StaffIntent::Unrelated,
        StaffIntent::CancelEvent if is_any(&["needed", "wanted"]) && !has_class(&words, "xoff") => {
            StaffIntent::FillRole
        }
        StaffIntent::Approve if p < ASKED_FROM && !has_class(&words, "xyes") => {
            StaffIntent::Unrelated
        }
        StaffIntent::Pause if !has_class(&words, "xhold") => StaffIntent::Unrelated,
        StaffIntent::Resume if !has_class(&words, "xgo") => StaffIntent::Unrelated,
        StaffIntent::Status | StaffIntent::List if p < ASKED_FROM => {
            let asked = ["xhow", "xwho"].iter().any(|class| has_class(&words, class));
            if asked || is_any(&["status"]) { found } else { StaffIntent::Unrelated }
        }
        _ => found,
    }
}
