//! Reads questions for the reason of the answer, or of a claim.

use super::check::is_result;
use super::is_nothing;
use super::passed;
use super::phrase::{
    ASKS_REASON, BEFORE_CLAIM, CLAIMS, EXPLAIN, FOUND, FROM, HOW, REASONS, WHERE, YOUR,
};
use crate::obligations::LAST_ANSWER;
use crate::obligations::read::clause::Clause;

/// Returns the claim of which a clause asks for the reason.
pub(super) fn justified(clause: Clause<'_>) -> Option<String> {
    let asked = clause.past(
        "tell me|show me|explain to me|i want to know|id like to know|let me know|id love to know|but|and|so|\
            ok|wait|um|hmm|huh|im curious|just curious|help me understand|walk me through|talk me through|\
            explain",
    );
    for clause in [clause, asked] {
        let why = clause.starts(
            "why|for what reason|what for|how come|how so|says who|says which|why so|why not|what makes|\
                according to|based on|on what",
        ) > 0;
        let is_asked = why
            || is_reason(clause)
            || is_way(clause)
            || clause.starts(EXPLAIN) > 0
            || clause.starts("who says|who said|who told") > 0;
        if is_asked && let Some(claim) = claim(clause) {
            return Some(claim);
        }
    }
    None
}

/// Reads "what's your source", "reasoning?", "on what grounds".
fn is_reason(clause: Clause<'_>) -> bool {
    let mut rest = clause;
    while let Some(shorter) = rest.after(ASKS_REASON).or_else(|| rest.after(YOUR)) {
        rest = shorter;
    }
    let is_based = clause.has("base|basing|based")
        && is_nothing(clause.past("what|on what").past("did|do|are|is|was"));
    is_based
        || rest.after(REASONS).is_some_and(|rest| {
            rest.is_empty() || is_nothing(rest) || clause.starts("what evidence|what proof") > 0
        })
}

/// Reads "how did you get that", "where's that number from".
fn is_way(clause: Clause<'_>) -> bool {
    let way = clause.after(HOW).is_some_and(|rest| {
        let rest = passed(rest, "that|it|this|you|even|possibly|exactly|actually|so|the answer|that answer|\
            could|did|are|can|do|is");
        rest.starts(FOUND) > 0 && (clause.starts("how did you find|how do you find|how do you get|\
            how do you work|how do you do|how do you count|how do you see|how do you guess|how do you pick|\
            how can you find|how does") == 0 || is_nothing(rest.from(1)))
    });
    let place = clause.after(WHERE).is_some_and(|rest| {
        let rest = passed(
            rest,
            "that number|that answer|this answer|the answer|that info|this info|this data|that|this|it|you|\
                the number|your info|all that|all this",
        );
        rest.starts(FROM) > 0 && is_nothing(rest.past(FROM))
    });
    way || place
}

/// Returns the claim that a clause names; the last answer if it names none. A clause that names something and is no
/// question for its reason has none.
fn claim(clause: Clause<'_>) -> Option<String> {
    let named = clause
        .after(CLAIMS)
        .map(Clause::trimmed)
        .filter(|rest| !is_nothing(rest.past(BEFORE_CLAIM)));
    if let Some(rest) = named {
        let is_found =
            is_result(rest) || clause.starts("what makes you so sure|how can you be sure") > 0;
        let claim = rest.past(BEFORE_CLAIM);
        let claim = if claim.is_empty() { rest } else { claim };
        return match claim.len() {
            _ if is_found => Some(LAST_ANSWER.to_owned()),
            0 | 1 => None,
            _ => Some(claim.raw().to_owned()),
        };
    }
    let rest = clause.past(EXPLAIN);
    let is_explained =
        rest.len() < clause.len() && (is_nothing(rest) || rest.starts("how|why") > 0);
    let is_whole = is_nothing(clause) || clause.is("says who|explain yourself|justify yourself");
    let is_asked = is_whole
        || is_explained
        || is_way(clause)
        || is_reason(clause)
        || clause.starts(CLAIMS) > 0;
    is_asked.then(|| LAST_ANSWER.to_owned())
}
