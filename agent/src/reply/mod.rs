//! What a volunteer's reply means, given what the volunteer last got from us.
//!
//! Rules decide first what has one meaning, such as an opt-out in any wording. The classifier decides the rest.
//! The worst mistake is to miss an opt-out, the next to take a no for a yes.

mod rules;

use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::classify::Classifier;
use crate::text::words;

/// The weights of the classifier of replies.
static CLASSIFIER: LazyLock<Option<Classifier>> =
    LazyLock::new(|| Classifier::from_bytes(include_bytes!("../../weights/replies.bin")).ok());

/// The probability from which a further label of a reply is named as well.
const ALSO_FROM: f32 = 0.3;
/// The confidence of a rule.
const CERTAIN: f32 = 0.99;

/// What a reply does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyLabel {
    /// Commits to what was asked; to a reminder, confirms.
    Accept,
    /// Refuses what was asked, also where it offers something else.
    Decline,
    /// Commits on a condition that is not known to be true.
    Conditional,
    /// Asks for time, or gives odds.
    Tentative,
    /// Needs an answer and commits to nothing.
    Question,
    /// Takes back an earlier yes.
    CancelLater,
    /// Wants no more texts.
    OptOut,
    /// Wants texts again.
    OptIn,
    /// Asks what this is, or how to reach a person.
    Help,
    /// None of these.
    Unrelated,
}

/// What the sender of a reply last got from us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyPrompt {
    /// An invitation.
    Invite,
    /// A question whether the sender would move to another team.
    TransferQuestion,
    /// A reminder of a place that the sender holds.
    Reminder,
    /// Nothing that waits for an answer.
    None,
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

impl ReplyLabel {
    /// All labels.
    pub const ALL: [Self; 10] = [
        Self::Accept,
        Self::Decline,
        Self::Conditional,
        Self::Tentative,
        Self::Question,
        Self::CancelLater,
        Self::OptOut,
        Self::OptIn,
        Self::Help,
        Self::Unrelated,
    ];

    /// Returns the label as a word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Conditional => "conditional",
            Self::Tentative => "tentative",
            Self::Question => "question",
            Self::CancelLater => "cancel_later",
            Self::OptOut => "opt_out",
            Self::OptIn => "opt_in",
            Self::Help => "help",
            Self::Unrelated => "unrelated",
        }
    }

    /// Returns the label with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.as_str() == word)
    }
}

impl fmt::Display for ReplyLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl ReplyPrompt {
    /// Returns the context as a word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invite => "invite",
            Self::TransferQuestion => "transfer_question",
            Self::Reminder => "reminder",
            Self::None => "none",
        }
    }
}

/// Whether a text wants no more texts, in a wording that the rules know. The classifier has no say in it.
#[must_use]
pub fn opts_out(text: &str) -> bool {
    let words = words(text);
    let spoken: Vec<&str> = words.iter().map(String::as_str).collect();
    rules::decide(&spoken, ReplyPrompt::None) == Some(ReplyLabel::OptOut)
}

/// Reads a reply.
#[must_use]
pub fn read(text: &str, context: ReplyPrompt) -> ReplyReading {
    let words = words(text);
    let spoken: Vec<&str> = words.iter().map(String::as_str).collect();
    if let Some(label) = rules::decide(&spoken, context) {
        return ReplyReading { label, confidence: CERTAIN, also: Vec::new() };
    }
    let Some(classifier) = CLASSIFIER.as_ref() else {
        return ReplyReading { label: ReplyLabel::Unrelated, confidence: 0.0, also: Vec::new() };
    };
    let scores = classifier.scores(text, context.as_str());
    let mut found = scores
        .iter()
        .filter_map(|score| ReplyLabel::parse(score.label).map(|label| (label, score.probability)));
    let Some((label, confidence)) = found.next() else {
        return ReplyReading { label: ReplyLabel::Unrelated, confidence: 0.0, also: Vec::new() };
    };
    let also = found.filter(|(_, probability)| *probability >= ALSO_FROM).map(|(label, _)| label);
    ReplyReading { label, confidence, also: also.collect() }
}
