//! What a clause asks for: as an old token says, or as the classifier finds, corrected by what the
//! grammar of the clause shows.

use super::StaffIntent;
use super::amount::Sense;
use super::denial::denied;
use super::fragment::{cued, is_bare, requested};
use super::lexicon::has_class;
use super::request::Draft;
use super::token::{Token, joined};
use crate::text::{has, padded};

/// Certain as far as a rule can be.
const CERTAIN: f32 = 0.99;
/// A clause of an acting intent with a lower probability and no request in its grammar changes
/// nothing.
const ACTS_FROM: f32 = 0.40;
/// From this probability totals of several roles need no word that moves people.
const MOVES_FROM: f32 = 0.85;
/// A clause that is complete is a request, unless the classifier is as sure that it is none.
const UNRELATED_FROM: f32 = 0.97;

/// The same for a clause without a word of a request.
const UNRELATED_UNCUED_FROM: f32 = 0.80;

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
    "pasa",
    "pasar",
    "set",
    "adjust",
    "rework",
    "rearrange",
    "redo",
    "reorganize",
    "rejig",
    "restructure",
];
/// Those of them that move people and set no total.
const TRANSFERS: &[&str] =
    &["move", "moving", "shift", "swap", "transfer", "borrow", "trade", "steal", "pasa", "mueve"];

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
pub(super) const fn acts(intent: StaffIntent) -> bool {
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
    if let Some(letter) = letter(clause.tokens) {
        return (letter, CERTAIN);
    }
    if let Some(token) = old_token(clause) {
        return (token, CERTAIN);
    }
    let (found, p) = clause.scores.best();
    let padded = padded(&joined(clause.tokens));
    let found = numbered(clause, found, &padded);
    let found = cued(clause, found, p);
    let found = requested(clause, found, &padded);
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

/// Returns the answer that a text of one letter gives.
fn letter(tokens: &[Token]) -> Option<StaffIntent> {
    let mut words = tokens.iter().filter(|it| !it.is_any(&["|", "!"]));
    let first = words.next()?;
    match (first.word.as_str(), words.next()) {
        ("y", None) => Some(StaffIntent::Approve),
        ("n", None) => Some(StaffIntent::Reject),
        _ => None,
    }
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
    let roles = clause.tokens.iter().filter(|it| it.role().is_some()).count();
    let from_to = roles >= 2 && has(padded, "from") && (has(padded, "to") || has(padded, "into"));
    let least = clause.drafts.iter().any(|it| it.amounts.iter().any(|it| it.sense == Sense::Least));
    let transfers = clause.tokens.iter().any(|it| it.is_any(TRANSFERS));
    match found {
        StaffIntent::CancelEvent if people_cancel(clause.tokens) => {
            complete(scores, sense(Sense::More), false)
        }
        StaffIntent::ReduceTarget if least && sense(Sense::Total) => StaffIntent::FillRole,
        _ if asked && transfers && roles >= 2 && totals < 2 => StaffIntent::Rebalance,
        _ if asked && zero => StaffIntent::CancelEvent,
        _ if asked && totals >= 2 && moves => StaffIntent::Rebalance,
        StaffIntent::FillRole if totals >= 2 && set_apart(clause.tokens) >= 2 => {
            StaffIntent::Rebalance
        }
        StaffIntent::Rebalance if totals >= 2 && clause.scores.best().1 >= MOVES_FROM => found,
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
            if clause.drafts.iter().any(is_complete)
                && clause.scores.best().1 < told_from(clause) =>
        {
            complete(scores, sense(Sense::More), sense(Sense::Fewer))
        }
        _ => found,
    }
}

/// Whether people call off their part, and not we: "we had 2 cancel in nursery", "Kim cancelled on
/// us".
pub(super) fn people_cancel(tokens: &[Token]) -> bool {
    tokens.windows(2).any(|it| {
        let off = |it: &Token| it.is_any(&["cancel", "cancelled", "canceled", "bailed", "bail"]);
        (it[0].amount().is_some() && off(&it[1])) || (off(&it[0]) && it[1].is_any(&["on"]))
    })
}

/// Returns how many roles a text sets to a number: "nursery to 4 and kids to 3".
fn set_apart(tokens: &[Token]) -> usize {
    let sets = |three: &&[Token]| {
        three[0].role().is_some() && three[1].is_any(&["to", "at"]) && three[2].amount().is_some()
    };
    tokens.windows(3).filter(sets).count()
}

/// Returns what the change of a number means: "from 6 to 4" is fewer.
pub(super) fn change(drafts: &[Draft]) -> Option<StaffIntent> {
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

/// Returns the probability from which a clause that is complete is no request all the same.
fn told_from(clause: &Clause<'_>) -> f32 {
    let words: Vec<&str> = clause.tokens.iter().map(|it| it.word.as_str()).collect();
    let cued = ["xask", "xup", "xdown"].iter().any(|class| has_class(&words, class));
    if cued || is_bare(clause.tokens) { UNRELATED_FROM } else { UNRELATED_UNCUED_FROM }
}

/// Returns what a clause asks for that names all that a request needs.
fn complete(scores: &Scores, more: bool, fewer: bool) -> StaffIntent {
    match (more, fewer) {
        (true, _) => StaffIntent::IncreaseTarget,
        (_, true) => StaffIntent::ReduceTarget,
        _ => best_of(
            scores,
            &[StaffIntent::FillRole, StaffIntent::ReduceTarget, StaffIntent::IncreaseTarget],
        ),
    }
}

fn best_of(scores: &Scores, list: &[StaffIntent]) -> StaffIntent {
    let best = list.iter().max_by(|a, b| scores.of(**a).total_cmp(&scores.of(**b)));
    best.copied().unwrap_or(StaffIntent::FillRole)
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
