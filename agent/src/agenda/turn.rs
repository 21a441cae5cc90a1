//! What a user wrote, what a classifier thinks of it, and what is known about the user.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::goal::{GoalSlot, Slots};
use super::propose::GoalProposal;
use crate::words;

words! {
    /// How keen the user is, which raises or lowers the priority of goals.
    pub enum Pulse {
        /// Takes the lead.
        Proactive = "PROACTIVE",
        /// Takes part.
        Engaged = "ENGAGED",
        /// Hardly answers.
        Passive = "PASSIVE",
    }
}

words! {
    /// How much a message asks for.
    pub enum Complexity {
        /// A greeting, thanks, small talk.
        Simple = "simple",
        /// A question that takes one step.
        Moderate = "moderate",
        /// A question that takes several steps.
        Complex = "complex",
    }
}

impl Pulse {
    /// Returns what the pulse adds to the priority of a goal.
    #[must_use]
    pub const fn boost(self) -> i64 {
        match self {
            Self::Proactive => 2,
            Self::Engaged => 1,
            Self::Passive => -1,
        }
    }
}

/// What a classifier thinks of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Classification {
    /// How much the message asks for.
    pub complexity: Complexity,
    /// What the user wants, in a word of the classifier, such as `plan` or `redirect`.
    #[serde(default)]
    pub goal: String,
    /// How keen the user is.
    pub pulse: Pulse,
    /// The tool that is at work for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_tool: Option<String>,
}

/// What is known about a user.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// What the user is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Where the user lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home_location: Option<String>,
}

impl Profile {
    /// Returns what is known, as slots of the onboarding goal. A blank value is unknown.
    pub(super) fn slots(&self) -> Slots {
        let values = [(GoalSlot::Name, &self.display_name), (GoalSlot::City, &self.home_location)];
        let known = values.into_iter().filter_map(|(slot, value)| {
            let value = value.as_deref()?.trim();
            (!value.is_empty()).then(|| (slot, value.to_owned()))
        });
        known.collect()
    }
}

/// A message of a user, with what is known at that time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgendaTurn {
    /// When the message was received.
    pub at: Timestamp,
    /// The message.
    pub text: String,
    /// What a classifier thinks of it.
    pub classification: Classification,
    /// What is known about the user.
    pub profile: Profile,
    /// The goals that a model proposes; none without a model.
    pub proposals: Vec<GoalProposal>,
}
