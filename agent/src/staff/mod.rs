//! What staff ask for: an intent with its slots, or what is missing.

mod amount;
mod assemble;
mod mask;
mod role;
mod when;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::Zoned;
use serde::Serialize;

use crate::church::ChurchWords;
use crate::classify::Classifier;
use crate::text::words as words_of;
use crate::words;

/// The weights of the classifier of staff texts.
static CLASSIFIER: LazyLock<Option<Classifier>> =
    LazyLock::new(|| Classifier::from_bytes(include_bytes!("../../weights/staff.bin")).ok());

words! {
    /// What a text of staff asks for.
    pub enum StaffIntent {
        /// Ask people until the wanted number have a place.
        FillRole = "fill_role",
        /// Fewer people are needed.
        ReduceTarget = "reduce_target",
        /// More people are needed.
        IncreaseTarget = "increase_target",
        /// Move people between roles.
        Rebalance = "rebalance",
        /// Call something off.
        CancelEvent = "cancel_event",
        /// Say how far it is.
        Status = "status",
        /// Say who, or which.
        List = "list",
        /// Approve what was asked.
        Approve = "approve",
        /// Refuse what was asked.
        Reject = "reject",
        /// Send nothing for now.
        Pause = "pause",
        /// Go on sending.
        Resume = "resume",
        /// None of these.
        Unrelated = "unrelated",
        /// One of these, but something is missing.
        Clarify = "clarify",
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
    let words = words_of(text);
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
