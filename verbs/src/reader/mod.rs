//! What a text says, in as far as a small, fixed set of phrases can tell.
//!
//! The reader is deterministic and modest: it knows yes, no and "I cannot any more" in many
//! wordings, and one request of staff ("fill 5 nursery spots for the 9am service"). Whatever it
//! does not know for certain is [`Label::Unclear`] or a clarification, never a guess. A larger
//! understanding can take its place behind [`Interpreter`].

mod mention;
mod number;
mod phrase;
mod reply;
pub mod role;
pub mod ruling;
mod staff;
mod token;
pub mod when;

use abide_engine::base::{Timestamp, Value};
use serde::{Deserialize, Serialize};

pub use mention::{Mentions, mentions};
pub use staff::{Intent, Missing, StaffReading};
pub use when::Calendar;

use crate::transition::words;

words! {
    /// What a volunteer's text does.
    pub enum Label {
        /// Commits to what was asked.
        Accept = "accept",
        /// Refuses what was asked, also where something else is offered.
        Decline = "decline",
        /// Takes back an earlier yes.
        CancelLater = "cancel_later",
        /// Anything else: a question, a condition, odds, small talk.
        Unclear = "unclear",
    }
}

/// What the person who writes last had from us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyContext {
    /// An invitation that is open.
    Invite,
    /// A place: every no takes it back.
    Place,
    /// Nothing that waits for an answer.
    Nothing,
}

/// A reading of a volunteer's text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// What it does.
    pub label: Label,
    /// From 0 to 1; what is unclear has none.
    pub confidence: f64,
}

impl Reading {
    /// Nothing that may be acted upon.
    pub const UNCLEAR: Self = Self { label: Label::Unclear, confidence: 0.0 };

    /// This reading, or an unclear one if its confidence is lower than `least`.
    #[must_use]
    pub fn at_least(self, least: f64) -> Self {
        if self.confidence < least { Self::UNCLEAR } else { self }
    }

    /// As stored with the inbound message.
    #[must_use]
    pub fn to_value(self) -> Value {
        serde_json::json!({"label": self.label.as_str(), "confidence": self.confidence})
    }

    /// From [`Self::to_value`]; whatever is malformed reads as unclear.
    #[must_use]
    pub fn from_value(value: &Value) -> Self {
        let label = value.get("label").and_then(Value::as_str).and_then(Label::parse);
        let confidence = value.get("confidence").and_then(Value::as_f64).unwrap_or(0.0);
        label.map_or(Self::UNCLEAR, |label| Self { label, confidence })
    }
}

/// Reads texts. Deterministic: the same text, context and instant give the same reading.
pub trait Interpreter: Send + Sync {
    /// What a volunteer's answer does.
    fn reply(&self, text: &str, context: ReplyContext) -> Reading;

    /// What staff ask for.
    fn staff(&self, text: &str, now: Timestamp, calendar: &Calendar) -> StaffReading;
}

/// The embedded reader.
#[derive(Debug, Clone, Copy, Default)]
pub struct PhraseReader;

impl Interpreter for PhraseReader {
    fn reply(&self, text: &str, context: ReplyContext) -> Reading {
        reply::read(text, context)
    }

    fn staff(&self, text: &str, now: Timestamp, calendar: &Calendar) -> StaffReading {
        staff::read(text, now, calendar)
    }
}
