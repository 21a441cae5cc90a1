//! What a volunteer's reply means, given what the volunteer last got from us.
//!
//! Rules decide first what has one meaning, such as an opt-out in any wording. The classifier
//! decides the rest. The worst mistake is to miss an opt-out, the next to take a no for a yes.

mod compose;
mod features;
mod forms;
mod grave;
mod heard;
mod learn;
mod lexicon;
mod opt_out;
mod phrases;
mod polarity;
mod rules;
mod spoken;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use self::features::{features, is_known};
pub use self::grave::is_grave;
pub use self::learn::train;

use crate::classify::Classifier;
use crate::text::words as words_of;
use crate::words;

/// The weights of the classifier of replies.
static CLASSIFIER: LazyLock<Option<Classifier>> =
    LazyLock::new(|| Classifier::from_bytes(include_bytes!("../../weights/replies.bin")).ok());

/// The probability from which what a clause does is named as well.
const ALSO_FROM: f32 = 0.7;
/// How many clauses of a reply are read by themselves.
const CLAUSES_MAX: usize = 8;
/// The probability from which what follows a correction is what counts.
const CORRECTED_FROM: f32 = 0.5;
/// How many times as probable as a condition or a doubt a yes must be.
const ACCEPT_TIMES: f32 = 1.8;
/// How many times as probable as its opposite a yes or a no must be. To ask back about a closer one costs a text; to
/// take it for its opposite costs a place, or leaves a team without help. Of examples kept back in training, this asks
/// about half of those reversed, and about one in forty of those understood.
const OPPOSITE_TIMES: f32 = 5.0;
/// The probability from which a no counts. Below it, one in seven such readings is of a yes, so that the sender is asked.
const NO_FROM: f32 = 0.6;
/// How many times as probable as an opt-out anything else must be.
const OPT_OUT_TIMES: f32 = 3.0;
/// The probability from which a yes counts in words of which the lexicon knows none. Less is a guess.
const UNKNOWN_FROM: f32 = 0.97;
/// The probability from which an opt-out by the classifier is obeyed like STOP. With less, its sender is asked.
const OBEYED_FROM: f32 = 0.9;
/// The confidence of a rule.
const CERTAIN: f32 = 0.99;

words! {
    /// What a reply does.
    pub enum ReplyLabel {
        /// Commits to what was asked; to a reminder, confirms.
        Accept = "accept",
        /// Refuses what was asked, also where it offers something else.
        Decline = "decline",
        /// Commits on a condition that is not known to be true.
        Conditional = "conditional",
        /// Asks for time, or gives odds.
        Tentative = "tentative",
        /// Needs an answer and commits to nothing.
        Question = "question",
        /// Takes back an earlier yes.
        CancelLater = "cancel_later",
        /// Wants no more texts.
        OptOut = "opt_out",
        /// Wants texts again.
        OptIn = "opt_in",
        /// Asks what this is, or how to reach a person.
        Help = "help",
        /// None of these.
        Unrelated = "unrelated",
    }
}

words! {
    /// What the sender of a reply last got from us.
    pub enum ReplyPrompt {
        /// An invitation.
        Invite = "invite",
        /// A question whether the sender would move to another team.
        TransferQuestion = "transfer_question",
        /// A reminder of a place that the sender holds.
        Reminder = "reminder",
        /// Nothing that waits for an answer.
        None = "none",
    }
}

/// The reading of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplyReading {
    /// What the reply does.
    pub label: ReplyLabel,
    /// How sure that is, from 0 to 1.
    pub confidence: f32,
    /// What else it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<ReplyLabel>,
}

/// Whether a text wants no more texts: in a wording that the rules know, or in one of which the
/// classifier is sure, whatever the sender last got from us.
#[must_use]
pub fn opts_out(text: &str) -> bool {
    let words = words_of(text);
    let spoken: Vec<&str> = words.iter().map(String::as_str).collect();
    if spoken.is_empty() {
        return false;
    }
    if let Some(label) = rules::decide(&spoken, ReplyPrompt::None) {
        return label == ReplyLabel::OptOut;
    }
    let is_sure = |context| {
        let (label, confidence) = composed(text, context);
        label == ReplyLabel::OptOut && confidence >= OBEYED_FROM
    };
    is_sure(ReplyPrompt::None) && is_sure(ReplyPrompt::Invite)
}

/// Reads a reply.
#[must_use]
pub fn read(text: &str, context: ReplyPrompt) -> ReplyReading {
    let words = words_of(text);
    let spoken: Vec<&str> = words.iter().map(String::as_str).collect();
    let (label, confidence) = match rules::decide(&spoken, context) {
        Some(label) => (label, CERTAIN),
        None if spoken.is_empty() => (ReplyLabel::Unrelated, CERTAIN),
        None => composed(text, context),
    };
    ReplyReading { label, confidence, also: also(text, context, label) }
}

/// Reads a reply by the classifier, and by its clauses where they say more than the whole.
fn composed(text: &str, context: ReplyPrompt) -> (ReplyLabel, f32) {
    let whole = classified(text, context);
    if context != ReplyPrompt::None
        && matches!(whole.0, ReplyLabel::Accept | ReplyLabel::Question)
        && let Some(question) = compose::question_after_yes(text)
        && let (ReplyLabel::Question, confidence) = classified(&question, context)
    {
        return (ReplyLabel::Accept, confidence.max(whole.1));
    }
    if let Some(rest) = compose::corrected(text) {
        let (label, confidence) = classified(&rest, context);
        let answers =
            matches!(label, ReplyLabel::Accept | ReplyLabel::Decline | ReplyLabel::CancelLater);
        if answers && confidence >= CORRECTED_FROM {
            return (label, confidence);
        }
    }
    whole
}

/// Returns the label that the classifier gives a text. A yes must be clearly more probable than
/// what is no yes, a no than a yes, and an opt-out need not be the most probable.
fn classified(text: &str, context: ReplyPrompt) -> (ReplyLabel, f32) {
    let unknown = (ReplyLabel::Unrelated, 0.0);
    let Some(classifier) = CLASSIFIER.as_ref() else { return unknown };
    let scores = classifier.scores_of(&features(text, context.as_str()));
    let mut found: Vec<(ReplyLabel, f32)> = scores
        .iter()
        .filter_map(|score| ReplyLabel::parse(score.label).map(|label| (label, score.probability)))
        .collect();
    if context == ReplyPrompt::Reminder {
        refuse_as_cancelled(&mut found);
    }
    let doubt = between_yes_and_no(&found);
    let mut found = found.into_iter();
    let Some(first) = found.next() else { return unknown };
    if first.0 == ReplyLabel::Accept && first.1 < UNKNOWN_FROM && !is_known(text) {
        return unknown;
    }
    let Some(second) = found.next() else { return first };
    let open = matches!(second.0, ReplyLabel::Conditional | ReplyLabel::Tentative);
    let weak_yes = first.0 == ReplyLabel::Accept && open && first.1 < second.1 * ACCEPT_TIMES;
    let opts_out = second.0 == ReplyLabel::OptOut && first.1 < second.1 * OPT_OUT_TIMES;
    if weak_yes || opts_out {
        return second;
    }
    let is_no = matches!(first.0, ReplyLabel::Decline | ReplyLabel::CancelLater);
    if is_no && first.1 < NO_FROM {
        return match second.0 {
            ReplyLabel::Accept | ReplyLabel::Decline | ReplyLabel::CancelLater => {
                (ReplyLabel::Tentative, second.1)
            }
            _ => second,
        };
    }
    doubt.unwrap_or(first)
}

/// Returns a doubt where a yes or a no is the most probable and its opposite is nearly so. Its confidence is that of
/// the opposite, which is always low.
fn between_yes_and_no(found: &[(ReplyLabel, f32)]) -> Option<(ReplyLabel, f32)> {
    let is_no = |label| matches!(label, ReplyLabel::Decline | ReplyLabel::CancelLater);
    let first = found.first()?.0;
    let sum = |of: &dyn Fn(ReplyLabel) -> bool| -> f32 {
        found.iter().filter(|(label, _)| of(*label)).map(|(_, probability)| probability).sum()
    };
    let (yes, no) = (sum(&|label| label == ReplyLabel::Accept), sum(&is_no));
    let answers = first == ReplyLabel::Accept || is_no(first);
    let close = yes.max(no) < yes.min(no) * OPPOSITE_TIMES;
    (answers && close).then(|| (ReplyLabel::Tentative, yes.min(no)))
}

/// Counts a no as the end of an earlier yes: who is reminded of a place has said yes before.
fn refuse_as_cancelled(found: &mut [(ReplyLabel, f32)]) {
    let probability = |label: ReplyLabel| found.iter().find(|it| it.0 == label).map(|it| it.1);
    let no = probability(ReplyLabel::Decline).unwrap_or(0.0);
    for (label, probability) in found.iter_mut() {
        match label {
            ReplyLabel::CancelLater => *probability += no,
            ReplyLabel::Decline => *probability = 0.0,
            _ => {}
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
}

/// Returns what else the clauses of a reply do. What a reply quotes is not its own.
fn also(text: &str, context: ReplyPrompt, label: ReplyLabel) -> Vec<ReplyLabel> {
    let mut found = Vec::new();
    let asked = compose::question_after_yes(text);
    let clauses = compose::clauses(text);
    if text.contains(['"', '“']) || (clauses.len() < 2 && asked.is_none()) {
        return found;
    }
    let clauses = clauses.into_iter().take(CLAUSES_MAX).chain(asked.as_deref());
    for clause in clauses {
        let (other, confidence) = classified(clause, context);
        if confidence >= ALSO_FROM && compose::go_together(label, other) && !found.contains(&other)
        {
            found.push(other);
        }
    }
    found
}
