//! What a clause asks for: as an old token says, or as the classifier finds, corrected by what the grammar of the
//! clause shows.

use super::StaffIntent;
use super::amount::Sense;
use super::lexicon::has_class;
use super::request::Draft;
use super::token::{Kind, Token, has, joined};

/// Certain as far as a rule can be.
const CERTAIN: f32 = 0.99;
/// A clause of an acting intent with a lower probability and no request in its grammar changes nothing.
const ACTS_FROM: f32 = 0.40;
/// A clause that is complete is a request, unless the classifier is as sure that it is none.
const UNRELATED_FROM: f32 = 0.97;

/// Words that move people between roles, or change the totals of several.
const MOVES: &[&str] = &[
    "reb",
    "rebalance",
    "move",
    "moving",
    "shift",
    "switch",
    "swap",
    "redistribute",
    "split",
    "instead",
    "change",
    "make",
    "pon",
    "transfer",
    "pull",
    "send",
    "borrow",
    "reshuffle",
    "balance",
    "even",
    "trade",
    "put",
    "take",
    "shuffle",
    "reallocate",
    "steal",
    "reassign",
    "mueve",
    "cambia",
    "rebalancea",
];
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
    "would it be",
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
];
/// Wordings of a wish, after which a condition is mere politeness.
const POLITE: &[&str] =
    &["if you can", "if you could", "if possible", "see if", "wondering if we could", "if not"];
/// Wordings of what was.
const WAS: &[&str] = &[
    "was",
    "were",
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
    "thank",
    "talked",
    "saw",
    "quit",
    "fue",
    "estuvo",
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
];

/// What the classifier finds in a clause.
pub(super) struct Scores(pub(super) Vec<(StaffIntent, f32)>);

impl Scores {
    /// Returns the most probable intent.
    pub(super) fn best(&self) -> (StaffIntent, f32) {
        let (intent, p) = self.0.first().copied().unwrap_or((StaffIntent::Unrelated, 0.0));
        (intent, p)
    }

    /// Returns the probability of an intent.
    fn of(&self, wanted: StaffIntent) -> f32 {
        self.0.iter().find(|(intent, _)| *intent == wanted).map_or(0.0, |(_, p)| *p)
    }
}

/// A clause: its tokens and the requests in it.
pub(super) struct Clause<'t> {
    pub(super) tokens: &'t [Token],
    pub(super) drafts: &'t [Draft],
    pub(super) scores: Scores,
}

/// Whether an intent sets a number of people.
pub(super) const fn asks(intent: StaffIntent) -> bool {
    matches!(
        intent,
        StaffIntent::FillRole | StaffIntent::IncreaseTarget | StaffIntent::ReduceTarget
    )
}

/// Whether an intent changes something.
const fn acts(intent: StaffIntent) -> bool {
    asks(intent)
        || matches!(
            intent,
            StaffIntent::Rebalance
                | StaffIntent::CancelEvent
                | StaffIntent::Pause
                | StaffIntent::Resume
                | StaffIntent::Approve
        )
}

/// Returns what a clause asks for, and how sure that is.
pub(super) fn intent(clause: &Clause<'_>) -> (StaffIntent, f32) {
    if let Some(token) = old_token(clause) {
        return (token, CERTAIN);
    }
    let (found, p) = clause.scores.best();
    let padded = format!(" {} ", joined(clause.tokens));
    let found = numbered(clause, found, &padded);
    let found = requested(clause, found, &padded);
    let found = cued(clause, found, p);
    if let Some(other) = denied(clause, found, &padded) {
        return (other, p);
    }
    let complete = clause.drafts.iter().any(is_complete);
    if acts(found) && !complete && p < ACTS_FROM {
        let doubtful = !asks(found) && found != StaffIntent::Rebalance;
        if doubtful || clause.drafts.iter().all(|it| it.role.is_none()) {
            return (unsure(clause, found), p);
        }
    }
    (found, p)
}

/// Returns the intent that an old token at the start of a text names.
fn old_token(clause: &Clause<'_>) -> Option<StaffIntent> {
    let role = clause.tokens.iter().any(|it| it.role().is_some());
    let spoken = clause.tokens.len();
    match clause.tokens.first()?.word.as_str() {
        "reb" => Some(StaffIntent::Rebalance),
        "status" if spoken <= 4 => Some(StaffIntent::Status),
        "cancel" if role && spoken <= 5 => Some(StaffIntent::CancelEvent),
        _ => None,
    }
}

/// Corrects an intent by the numbers of its clause.
fn numbered(clause: &Clause<'_>, found: StaffIntent, padded: &str) -> StaffIntent {
    let scores = &clause.scores;
    let asking = scores.of(StaffIntent::FillRole)
        + scores.of(StaffIntent::IncreaseTarget)
        + scores.of(StaffIntent::ReduceTarget)
        + scores.of(StaffIntent::Rebalance);
    let moves = clause.tokens.iter().any(|it| it.is_any(MOVES));
    let totals = targets(clause.drafts).len();
    let change = change(clause.drafts);
    let sense = |wanted: Sense| {
        clause.drafts.iter().any(|it| it.number().is_some_and(|it| it.sense == wanted))
    };
    let asked = asks(found) || asking >= 0.4;
    let zero = clause.drafts.iter().any(|it| it.number().is_some_and(|it| it.n == 0));
    let from_to = clause.tokens.iter().filter(|it| it.role().is_some()).count() >= 2
        && has(padded, "from")
        && (has(padded, "to") || has(padded, "into"));
    match found {
        _ if asked && zero => StaffIntent::CancelEvent,
        _ if asked && totals >= 2 && moves => StaffIntent::Rebalance,
        StaffIntent::Rebalance if totals >= 1 && !moves => StaffIntent::FillRole,
        StaffIntent::Rebalance
            if totals >= 1 && clause.drafts.len() == 1 && !from_to && change.is_none() =>
        {
            best_of(
                scores,
                &[StaffIntent::FillRole, StaffIntent::ReduceTarget, StaffIntent::IncreaseTarget],
            )
        }
        StaffIntent::Rebalance => found,
        _ if asked && change.is_some() => change.unwrap_or(found),
        _ if asked && sense(Sense::More) => StaffIntent::IncreaseTarget,
        _ if asked && sense(Sense::Fewer) => StaffIntent::ReduceTarget,
        StaffIntent::FillRole if sense(Sense::By) => StaffIntent::IncreaseTarget,
        StaffIntent::Unrelated
            if clause.drafts.iter().any(is_complete) && clause.scores.best().1 < UNRELATED_FROM =>
        {
            best_of(
                scores,
                &[StaffIntent::FillRole, StaffIntent::ReduceTarget, StaffIntent::IncreaseTarget],
            )
        }
        _ => found,
    }
}

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
];

/// Finds requests in texts of few words, of which the classifier knows little: "need ushers", "nursery 9am".
fn requested(clause: &Clause<'_>, found: StaffIntent, padded: &str) -> StaffIntent {
    let named = |it: &Token| it.role().is_some() || it.amount().is_some() || it.time().is_some();
    let vague = !clause.drafts.iter().any(|it| it.number().is_some());
    let more = clause.tokens.windows(2).any(|pair| {
        pair[0].is_any(&["more", "extra", "additional"])
            && (pair[1].role().is_some()
                || pair[1].is_any(&["people", "help", "hands", "folks", "volunteers"]))
    });
    if found == StaffIntent::FillRole && vague && more && !has(padded, "ask") {
        return StaffIntent::IncreaseTarget;
    }
    if !matches!(found, StaffIntent::Unrelated | StaffIntent::Rebalance | StaffIntent::ReduceTarget)
    {
        return found;
    }
    let told = padded.contains(" ? ")
        || clause.tokens.iter().any(|it| matches!(&it.kind, Kind::Time(said) if said.past));
    let only = clause.tokens.iter().all(|it| named(it) || it.is_any(PARTS))
        && clause.tokens.iter().any(named);
    let mut rest = clause.tokens.iter().skip_while(|it| it.is_any(OPENERS));
    let verb = rest.next().is_some_and(|it| it.is_any(VERBS));
    let object = rest.find(|it| !it.is_any(OBJECTS));
    let object = object.is_some_and(|it| it.role().is_some() || it.amount().is_some());
    let asking = verb && object && found == StaffIntent::Unrelated;
    if !told && (only || asking) { StaffIntent::FillRole } else { found }
}

/// From this probability an intent needs no cue of its own.
const UNCUED_FROM: f32 = 0.8;
/// Words beside the class of reductions that go with one.
const REDUCES: &[&str] =
    &["only", "just", "instead", "anymore", "enough", "fine", "after", "now", "to"];
/// Words beside the class of increases that go with one.
const INCREASES: &[&str] = &["to", "make", "should", "short", "up", "expecting", "go", "instead"];

/// Refuses an intent of which a clause has no cue and of which the classifier is not sure.
fn cued(clause: &Clause<'_>, found: StaffIntent, p: f32) -> StaffIntent {
    let words: Vec<&str> = clause.tokens.iter().map(|it| it.word.as_str()).collect();
    let is_any = |list: &[&str]| clause.tokens.iter().any(|it| it.is_any(list));
    let changes = change(clause.drafts).is_some();
    let relative =
        clause.drafts.iter().any(|it| it.number().is_some_and(|it| it.sense != Sense::Total));
    if p >= UNCUED_FROM || changes || relative {
        return found;
    }
    match found {
        StaffIntent::ReduceTarget if !has_class(&words, "xdown") && !is_any(REDUCES) => {
            StaffIntent::FillRole
        }
        StaffIntent::IncreaseTarget if !has_class(&words, "xup") && !is_any(INCREASES) => {
            StaffIntent::FillRole
        }
        StaffIntent::Pause if !has_class(&words, "xhold") => StaffIntent::Unrelated,
        StaffIntent::Resume if !has_class(&words, "xgo") => StaffIntent::Unrelated,
        StaffIntent::Status | StaffIntent::List if p < ACTS_FROM + 0.1 => {
            let asked = ["xhow", "xwho"].iter().any(|class| has_class(&words, class));
            if asked || is_any(&["status"]) { found } else { StaffIntent::Unrelated }
        }
        _ => found,
    }
}

/// Returns what the change of a number means: "from 6 to 4" is fewer.
fn change(drafts: &[Draft]) -> Option<StaffIntent> {
    let draft = drafts.first()?;
    let before = draft.amounts.iter().find(|it| it.sense == Sense::Before)?.n;
    let total = draft.number().filter(|it| it.sense == Sense::Total)?.n;
    match total.cmp(&before) {
        std::cmp::Ordering::Less => Some(StaffIntent::ReduceTarget),
        std::cmp::Ordering::Greater => Some(StaffIntent::IncreaseTarget),
        std::cmp::Ordering::Equal => None,
    }
}

/// Returns the new totals of roles.
pub(super) fn targets(drafts: &[Draft]) -> std::collections::BTreeMap<String, i64> {
    let total = |draft: &Draft| {
        let number = draft.number().filter(|it| it.sense == Sense::Total)?;
        Some((draft.role.clone()?, number.n))
    };
    drafts.iter().filter_map(total).collect()
}

/// Whether a request names all that it needs.
fn is_complete(draft: &Draft) -> bool {
    draft.role.is_some() && draft.number().is_some() && draft.is_service()
}

fn best_of(scores: &Scores, list: &[StaffIntent]) -> StaffIntent {
    let best = list.iter().max_by(|a, b| scores.of(**a).total_cmp(&scores.of(**b)));
    best.copied().unwrap_or(StaffIntent::FillRole)
}

/// Returns what a clause is instead, if it denies, supposes or tells what it seems to ask for.
fn denied(clause: &Clause<'_>, found: StaffIntent, padded: &str) -> Option<StaffIntent> {
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
    if found == StaffIntent::Approve && any(MOCKED) {
        return Some(StaffIntent::Reject);
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
    let told = (past || any(WAS)) && !ahead;
    (!asked && asks(found) && told).then_some(StaffIntent::Unrelated)
}

/// Returns what a clause is that only perhaps asks for something.
fn unsure(clause: &Clause<'_>, found: StaffIntent) -> StaffIntent {
    let words: Vec<&str> = clause.tokens.iter().map(|it| it.word.as_str()).collect();
    let cued = has_class(&words, "xask") || has_class(&words, "xoff") || has_class(&words, "xup");
    let named = clause
        .drafts
        .iter()
        .any(|it| it.role.is_some() || it.number().is_some() || it.is_service());
    match found {
        StaffIntent::CancelEvent | StaffIntent::FillRole | StaffIntent::IncreaseTarget
            if cued || named =>
        {
            found
        }
        StaffIntent::ReduceTarget if named => found,
        _ => StaffIntent::Unrelated,
    }
}
