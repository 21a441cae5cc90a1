//! Corrects what a clause asks for by its numbers: which of them are totals, differences or people who
//! move.

use super::StaffIntent;
use super::amount::Sense;
use super::fragment::is_bare;
use super::intent::{Clause, Scores, asks, change, is_complete, people_cancel, targets};
use super::lexicon::has_class;
use super::moves::{gives, has_some_of, moves_service, transfers};
use super::token::Token;
use crate::text::has;

/// From this probability totals of several roles need no word that moves people.
const MOVES_FROM: f32 = 0.85;
/// A clause that is complete is a request, unless the classifier is as sure that it is none.
const UNRELATED_FROM: f32 = 0.97;

/// The same for a clause without a word of a request.
const UNRELATED_UNCUED_FROM: f32 = 0.80;

/// From this probability a number "in total" is a change of another.
const WHOLE_FROM: f32 = 0.8;

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
/// From this probability together the clause asks for a number of people, whatever is most probable.
const ASKING_FROM: f32 = 0.4;
/// The intents that set the number of people of one role.
const SETS: &[StaffIntent] =
    &[StaffIntent::FillRole, StaffIntent::ReduceTarget, StaffIntent::IncreaseTarget];

/// Verbs at the start of a clause that hold back messages, and those that let them go on.
pub(super) const PAUSES: &[&str] = &["pause", "freeze", "halt", "pausa"];
pub(super) const RESUMES: &[&str] = &["resume", "unpause", "restart", "reanuda"];

/// What the numbers of a clause show.
struct Numbers<'c> {
    clause: &'c Clause<'c>,
    padded: &'c str,
    /// The most probable intent.
    found: StaffIntent,
    /// Whether it asks for a number of people.
    asked: bool,
    /// How many roles it names, each time.
    roles: usize,
    /// How many roles it gives a total.
    totals: usize,
    /// What a number that replaces another means.
    change: Option<StaffIntent>,
}

/// Corrects an intent by the numbers of its clause.
pub(super) fn numbered(clause: &Clause<'_>, found: StaffIntent, padded: &str) -> StaffIntent {
    let asking = SETS.iter().chain(&[StaffIntent::Rebalance]).map(|it| clause.scores.of(*it));
    let numbers = Numbers {
        clause,
        padded,
        found,
        asked: asks(found) || asking.sum::<f32>() >= ASKING_FROM,
        roles: clause.tokens.iter().filter(|it| it.role().is_some()).count(),
        totals: targets(clause.drafts).len(),
        change: change(clause.drafts),
    };
    let corrected = numbers.asked_beside().or_else(|| numbers.wanted());
    let corrected = corrected.or_else(|| numbers.moved()).or_else(|| numbers.changed());
    corrected.unwrap_or(found)
}

impl Numbers<'_> {
    fn sense(&self, wanted: Sense) -> bool {
        self.clause.drafts.iter().any(|it| it.number().is_some_and(|it| it.sense == wanted))
    }

    fn is_any(&self, words: &[&str]) -> bool {
        self.clause.tokens.iter().any(|it| it.is_any(words))
    }

    /// Whether a clause names the least that would do.
    fn least(&self) -> bool {
        let mut amounts = self.clause.drafts.iter().flat_map(|it| &it.amounts);
        amounts.any(|it| it.sense == Sense::Least)
    }

    /// Whether a clause goes from one role to another.
    fn goes_across(&self) -> bool {
        let to = has(self.padded, "to") || has(self.padded, "into");
        self.roles >= 2 && has(self.padded, "from") && to
    }

    /// Finds a number of people in what seems to call off, to report or to approve.
    fn asked_beside(&self) -> Option<StaffIntent> {
        let scores = &self.clause.scores;
        let tokens = self.clause.tokens;
        let needs = self.is_any(&["need", "needs", "get", "find", "want"]);
        match self.found {
            StaffIntent::CancelEvent if people_cancel(tokens) => {
                Some(complete(scores, self.sense(Sense::More), false))
            }
            // "cancel 2 ushers", "one of the ushers is off the hook"
            StaffIntent::CancelEvent if self.sense(Sense::Fewer) || has_some_of(tokens) => {
                Some(StaffIntent::ReduceTarget)
            }
            // "quick update, Kim is sick, so we need 1 more in nursery"
            StaffIntent::Status | StaffIntent::List
                if self.sense(Sense::More) && needs && !is_question(tokens) =>
            {
                Some(StaffIntent::IncreaseTarget)
            }
            // "who can usher at 9? I need 3"
            StaffIntent::Status | StaffIntent::List
                if self.sense(Sense::Total) && needs && seeks(tokens) =>
            {
                Some(StaffIntent::FillRole)
            }
            // "pause nursery and kids", "nursery and kids status"
            StaffIntent::Rebalance if tokens.first().is_some_and(|it| it.is_any(PAUSES)) => {
                Some(StaffIntent::Pause)
            }
            StaffIntent::Rebalance if tokens.first().is_some_and(|it| it.is_any(RESUMES)) => {
                Some(StaffIntent::Resume)
            }
            StaffIntent::Rebalance if self.totals == 0 && self.is_any(&["status"]) => {
                Some(StaffIntent::Status)
            }
            // "ok but make it 4"
            StaffIntent::Approve if self.sense(Sense::Total) && has(self.padded, "make it") => {
                Some(best_of(scores, &[StaffIntent::ReduceTarget, StaffIntent::IncreaseTarget]))
            }
            _ => None,
        }
    }

    /// Finds a number that is wanted in what seems to change one.
    fn wanted(&self) -> Option<StaffIntent> {
        let whole =
            self.is_any(&["total", "altogether"]) && self.clause.scores.best().1 < WHOLE_FROM;
        let none = self.clause.drafts.iter().all(|it| it.number().is_none());
        let unchanged = self.change.is_none();
        // "nursery is down 2"
        let down = self.clause.tokens.windows(3).any(|it| {
            it[0].is_any(&["is", "are", "were", "still", "im"])
                && it[1].is_any(&["down"])
                && it[2].amount().is_some_and(|it| it.sense == Sense::Total)
        });
        let wanted = match self.found {
            StaffIntent::ReduceTarget if down => true,
            StaffIntent::ReduceTarget if self.least() && self.sense(Sense::Total) => true,
            // "2 more, sorry, just 2 ushers total"
            StaffIntent::ReduceTarget | StaffIntent::IncreaseTarget
                if unchanged && self.sense(Sense::Total) && whole =>
            {
                true
            }
            // "4 or more ushers"
            StaffIntent::IncreaseTarget => self.least() && unchanged && none,
            _ => false,
        };
        wanted.then_some(StaffIntent::FillRole)
    }

    /// Finds people who move, or new totals of several roles.
    fn moved(&self) -> Option<StaffIntent> {
        let Self { clause, found, asked, roles, totals, .. } = *self;
        let tokens = clause.tokens;
        let moves = self.is_any(MOVES);
        // "one less usher, one more greeter"
        let both = roles >= 2 && self.sense(Sense::More) && self.sense(Sense::Fewer);
        let from_role = (transfers(tokens) || self.goes_across() || gives(tokens)) && totals < 2;
        // "have two of the greeters help in parking"
        let helps = found == StaffIntent::FillRole && totals < 2 && has_some_of(tokens);
        if asked && (both || (roles >= 2 && (from_role || helps)) || moves_service(tokens)) {
            return Some(StaffIntent::Rebalance);
        }
        let zero = clause.drafts.iter().any(|it| it.number().is_some_and(|it| it.n == 0));
        if asked && zero {
            return Some(StaffIntent::CancelEvent);
        }
        let apart = asks(found)
            && set_apart(tokens) >= 2
            && (found == StaffIntent::FillRole || !raises_or_lowers(tokens));
        if totals >= 2 && ((asked && moves) || apart) {
            return Some(StaffIntent::Rebalance);
        }
        if found != StaffIntent::Rebalance {
            return None;
        }
        let sure = totals >= 2 && clause.scores.best().1 >= MOVES_FROM;
        let single = clause.drafts.len() == 1 && !self.goes_across() && self.change.is_none();
        Some(match totals {
            0 => found,
            _ if sure => found,
            _ if !moves => StaffIntent::FillRole,
            _ if single => best_of(&clause.scores, SETS),
            _ => found,
        })
    }

    /// Finds a change of the number of one role.
    fn changed(&self) -> Option<StaffIntent> {
        let Self { clause, found, asked, .. } = *self;
        let (more, fewer) = (self.sense(Sense::More), self.sense(Sense::Fewer));
        if asked && (self.change.is_some() || more || fewer) {
            let sense = if more { StaffIntent::IncreaseTarget } else { StaffIntent::ReduceTarget };
            return self.change.or(Some(sense));
        }
        if found == StaffIntent::FillRole && self.sense(Sense::By) {
            return Some(StaffIntent::IncreaseTarget);
        }
        let told = clause.scores.best().1 >= told_from(clause);
        let whole = clause.drafts.iter().any(is_complete);
        let hidden = found == StaffIntent::Unrelated && whole && !told;
        hidden.then(|| complete(&clause.scores, more, fewer))
    }
}

/// Whether a clause has a word that raises or lowers a number.
fn raises_or_lowers(tokens: &[Token]) -> bool {
    let words: Vec<&str> = tokens.iter().map(|it| it.word.as_str()).collect();
    has_class(&words, "xup") || has_class(&words, "xdown")
}

/// Words with which a question begins.
const QUESTIONS: &[&str] = &[
    "how", "hows", "what", "whats", "who", "whos", "which", "did", "do", "does", "are", "is",
    "have", "has", "any", "where", "status",
];

/// Whether a clause asks how things are.
fn is_question(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|it| it.is_any(QUESTIONS)) || tokens.iter().any(|it| it.word == "?")
}

/// Whether a clause asks who could do something: "who can usher at 9".
pub(super) fn seeks(tokens: &[Token]) -> bool {
    tokens.iter().any(|it| it.is_any(&["who", "anyone", "anybody", "someone", "somebody", "any"]))
        && tokens.iter().any(|it| it.is_any(&["can", "could", "available", "free", "able"]))
}

/// Returns how many roles a text sets to a number: "nursery to 4 and kids to 3".
fn set_apart(tokens: &[Token]) -> usize {
    let sets = |three: &&[Token]| {
        three[0].role().is_some() && three[1].is_any(&["to", "at"]) && three[2].amount().is_some()
    };
    tokens.windows(3).filter(sets).count()
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
        _ => best_of(scores, SETS),
    }
}

fn best_of(scores: &Scores, list: &[StaffIntent]) -> StaffIntent {
    let best = list.iter().max_by(|a, b| scores.of(**a).total_cmp(&scores.of(**b)));
    best.copied().unwrap_or(StaffIntent::FillRole)
}
