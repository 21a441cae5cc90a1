//! What a volunteer's reply means, given what the volunteer last got from us.
//!
//! Rules decide first what has one meaning, such as an opt-out in any wording. The classifier decides the rest.
//! The worst mistake is to miss an opt-out, the next to take a no for a yes.

mod features;
mod learn;
mod lexicon;
mod rules;
mod spoken;

use std::sync::LazyLock;

use serde::Serialize;

use self::features::features;
pub use self::learn::train;

use crate::classify::Classifier;
use crate::text::words as words_of;
use crate::words;

/// The weights of the classifier of replies.
static CLASSIFIER: LazyLock<Option<Classifier>> =
    LazyLock::new(|| Classifier::from_bytes(include_bytes!("../../weights/replies.bin")).ok());

/// The probability from which a further label of a reply is named as well.
const ALSO_FROM: f32 = 0.3;
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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplyReading {
    /// What the reply does.
    pub label: ReplyLabel,
    /// How sure that is, from 0 to 1.
    pub confidence: f32,
    /// What else it does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<ReplyLabel>,
}

/// Whether a text wants no more texts, in a wording that the rules know. The classifier has no say in it.
#[must_use]
pub fn opts_out(text: &str) -> bool {
    let words = words_of(text);
    let spoken: Vec<&str> = words.iter().map(String::as_str).collect();
    rules::decide(&spoken, ReplyPrompt::None) == Some(ReplyLabel::OptOut)
}

/// Reads a reply.
#[must_use]
pub fn read(text: &str, context: ReplyPrompt) -> ReplyReading {
    let words = words_of(text);
    let spoken: Vec<&str> = words.iter().map(String::as_str).collect();
    if let Some(label) = rules::decide(&spoken, context) {
        return ReplyReading { label, confidence: CERTAIN, also: Vec::new() };
    }
    let Some(classifier) = CLASSIFIER.as_ref() else {
        return ReplyReading { label: ReplyLabel::Unrelated, confidence: 0.0, also: Vec::new() };
    };
    let scores = classifier.scores_of(&features(text, context.as_str()));
    let mut found = scores
        .iter()
        .filter_map(|score| ReplyLabel::parse(score.label).map(|label| (label, score.probability)));
    let Some((label, confidence)) = found.next() else {
        return ReplyReading { label: ReplyLabel::Unrelated, confidence: 0.0, also: Vec::new() };
    };
    let also = found.filter(|(_, probability)| *probability >= ALSO_FROM).map(|(label, _)| label);
    ReplyReading { label, confidence, also: also.collect() }
}
