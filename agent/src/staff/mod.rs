//! What staff ask for: an intent with its slots, or what is missing.

mod amount;
mod assemble;
mod mask;
mod role;
mod when;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use jiff::Zoned;
use serde::{Deserialize, Serialize};

use crate::church::ChurchWords;
use crate::classify::Classifier;
use crate::text::words;

/// The weights of the classifier of staff texts.
static CLASSIFIER: LazyLock<Option<Classifier>> =
    LazyLock::new(|| Classifier::from_bytes(include_bytes!("../../weights/staff.bin")).ok());

/// What a text of staff asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StaffIntent {
    /// Ask people until so many have a place.
    FillRole,
    /// Fewer people are needed.
    ReduceTarget,
    /// More people are needed.
    IncreaseTarget,
    /// Move people between roles.
    Rebalance,
    /// Call something off.
    CancelEvent,
    /// Say how far it is.
    Status,
    /// Say who, or which.
    List,
    /// Approve what was asked.
    Approve,
    /// Refuse what was asked.
    Reject,
    /// Send nothing for now.
    Pause,
    /// Go on sending.
    Resume,
    /// None of these.
    Unrelated,
    /// One of these, but something is missing.
    Clarify,
}

impl StaffIntent {
    /// All intents.
    pub const ALL: [Self; 13] = [
        Self::FillRole,
        Self::ReduceTarget,
        Self::IncreaseTarget,
        Self::Rebalance,
        Self::CancelEvent,
        Self::Status,
        Self::List,
        Self::Approve,
        Self::Reject,
        Self::Pause,
        Self::Resume,
        Self::Unrelated,
        Self::Clarify,
    ];

    /// Returns the intent as a word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FillRole => "fill_role",
            Self::ReduceTarget => "reduce_target",
            Self::IncreaseTarget => "increase_target",
            Self::Rebalance => "rebalance",
            Self::CancelEvent => "cancel_event",
            Self::Status => "status",
            Self::List => "list",
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Unrelated => "unrelated",
            Self::Clarify => "clarify",
        }
    }

    /// Returns the intent with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|intent| intent.as_str() == word)
    }
}

impl fmt::Display for StaffIntent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The reading of a text of staff. Slots that the text does not name are absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StaffText {
    /// What it asks for.
    pub intent: StaffIntent,
    /// What it would ask for if nothing were missing, if the intent is [`StaffIntent::Clarify`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<StaffIntent>,
    /// The stored name of the role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The new total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// How many more, or fewer if it is negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<i64>,
    /// The time of the service (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The day, if it names no service of that day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The new totals of several roles.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, i64>,
    /// What is missing, of `role count time targets`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<&'static str>,
    /// Further requests in the same text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<StaffText>,
    /// How sure that is, from 0 to 1.
    pub confidence: f32,
}

/// Reads a text of staff at an instant.
#[must_use]
pub fn read(text: &str, now: &Zoned, church: &ChurchWords) -> StaffText {
    assemble::read(text, now, church)
}

/// Returns the text as the classifier sees it: roles and times are hidden.
#[must_use]
pub fn as_classified(text: &str, church: &ChurchWords) -> String {
    let words = words(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    mask::masked(&words, church)
}

/// Returns the most probable intent of a text whose slots are hidden.
fn classify(masked: &str) -> (StaffIntent, f32) {
    let scores = CLASSIFIER.as_ref().map(|classifier| classifier.scores(masked, ""));
    let best = scores.and_then(|scores| {
        let best = scores.first()?;
        Some((StaffIntent::parse(best.label)?, best.probability))
    });
    best.unwrap_or((StaffIntent::Unrelated, 0.0))
}
