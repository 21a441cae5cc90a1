//! What a clause asks for: as an old token says, or as the classifier finds, corrected by what the
//! grammar of the clause shows.

use super::StaffIntent;
use super::amount::Sense;
use super::denial::denied;
use super::fragment::{cued, requested};
use super::lexicon::has_class;
use super::moves::has_some_of;
use super::numbered::numbered;
use super::request::Draft;
use super::token::{Token, joined};
use crate::text::padded;

/// Certain as far as a rule can be.
const CERTAIN: f32 = 0.99;
/// A clause of an acting intent with a lower probability and no request in its grammar changes
/// nothing.
const ACTS_FROM: f32 = 0.40;
/// What the classifier finds in a clause.
pub(super) struct Scores(pub(super) Vec<(StaffIntent, f32)>);

impl Scores {
    /// Returns the most probable intent.
    pub(super) fn best(&self) -> (StaffIntent, f32) {
        let (intent, p) = self.0.first().copied().unwrap_or((StaffIntent::Unrelated, 0.0));
        (intent, p)
    }

    /// Returns the probability of an intent.
    pub(super) fn of(&self, wanted: StaffIntent) -> f32 {
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
    let counted = clause.tokens.iter().any(|it| it.amount().is_some());
    let spoken = clause.tokens.len();
    match clause.tokens.first()?.word.as_str() {
        "reb" => Some(StaffIntent::Rebalance),
        "status" if spoken <= 4 => Some(StaffIntent::Status),
        "cancel" if role && !counted && spoken <= 5 => Some(StaffIntent::CancelEvent),
        _ => None,
    }
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

/// Whether people call off their part, and not we: "we had 2 cancel in nursery", "Kim cancelled on
/// us".
pub(super) fn people_cancel(tokens: &[Token]) -> bool {
    let off = |it: &Token| it.is_any(&["cancel", "cancelled", "canceled", "bailed", "bail"]);
    let cancels = tokens.windows(2).any(|it| {
        (it[0].amount().is_some() && off(&it[1])) || (off(&it[0]) && it[1].is_any(&["on"]))
    });
    // "3 of the ushers for 9 cancelled"
    let cancelled = tokens.iter().rposition(|it| it.is_any(&["cancelled", "canceled", "bailed"]));
    let some = cancelled.is_some_and(|at| {
        let passive = at > 0 && tokens[at - 1].is_any(&["is", "are", "be", "been", "got", "were"]);
        !passive && has_some_of(&tokens[..at])
    });
    cancels || some
}

/// Whether a request names all that it needs.
pub(super) fn is_complete(draft: &Draft) -> bool {
    draft.role.is_some() && draft.number().is_some() && draft.is_service()
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
