//! What staff ask for: an intent with its slots, or what is missing.

mod amount;
mod aside;
mod assemble;
mod clause;
mod correction;
mod day;
mod denial;
mod filling;
mod follow_up;
mod fragment;
mod intent;
mod lexicon;
mod mask;
mod moves;
mod noun;
mod numbered;
mod own;
mod people;
mod request;
mod role;
mod said;
mod sense;
mod slots;
mod spelling;
#[cfg(test)]
mod tests;
mod token;
mod when;

use std::collections::BTreeMap;

use jiff::Zoned;
use jiff::civil::date;
use serde::Serialize;

pub use self::follow_up::{WayOn, follow_up};
pub(crate) use self::own::IntentReader;
pub use self::own::{Choice, Intents, OwnIntent, OwnRequest, Slot, SlotKind, WeightsCache};
pub use self::slots::{NamedSlots, slots};
use crate::church::ChurchWords;
use crate::classify::{Classifier, train};
use crate::words;

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
        /// What a home adds.
        Own = "own",
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
    /// What is missing, of `role count time targets`, or of the slots of an intent of a home.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What it asks for, if the intent is one of a home.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnRequest>,
    /// The people and groups whom it would rather have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prefer: Vec<String>,
    /// The people and groups whom it leaves out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// The least number of people that would do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<i64>,
    /// What the people must be able to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// When an answer is needed (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// Further requests in the same text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<StaffText>,
    /// Whether a person must agree first, because it asks very many people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub requires_approval: bool,
    /// How sure that is, from 0 to 1.
    pub confidence: f32,
}

/// Reads a text of staff at an instant. It can ask for what `intents` contains.
#[must_use]
pub fn read(text: &str, now: &Zoned, church: &ChurchWords, intents: &Intents) -> StaffText {
    assemble::read(text, now, church, intents)
}

/// Returns the text as the classifier sees it: roles, times and numbers are hidden.
#[must_use]
pub fn as_classified(text: &str, church: &ChurchWords) -> String {
    // What is hidden does not depend on the instant, as long as it is the same for all texts.
    let now = date(2025, 9, 30).at(12, 0, 0, 0).to_zoned(church.zone.clone());
    now.map(|now| assemble::as_classified(text, &now, church)).unwrap_or_default()
}

/// Trains the classifier of staff texts on all examples of these intents. This takes seconds.
#[must_use]
pub fn train_on_examples(intents: &Intents) -> Classifier {
    let church = ChurchWords::demo();
    let mut all = intents.examples();
    for example in &mut all {
        example.text = intents.masked(&as_classified(&example.text, &church));
    }
    train(&own::without_rivals(all))
}
