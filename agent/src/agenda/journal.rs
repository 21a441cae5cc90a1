//! The journal of an agenda: what happened to its goals, and why.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::goal::GoalStatus;
use crate::words;

words! {
    /// What happened.
    pub enum JournalEventType {
        /// A goal was carried over from an earlier session.
        Seeded = "seeded",
        /// A goal was created.
        Created = "created",
        /// A goal was touched again, or an answer ignored it.
        Updated = "updated",
        /// A goal was reached.
        Completed = "completed",
        /// A goal was given up.
        Abandoned = "abandoned",
        /// An older goal rose to the top of the stack.
        Promoted = "promoted",
        /// The active goals after a turn.
        Snapshot = "snapshot",
    }
}

words! {
    /// Why a goal is no longer pursued.
    pub enum CloseReason {
        /// The profile has a name and a city.
        ProfileComplete = "profile_complete",
        /// The user wants to book.
        Booked = "booked",
        /// Nothing touched it for too long.
        Stale = "stale",
        /// The user gave it up.
        Cancelled = "cancelled",
        /// Six other goals are more urgent.
        Trimmed = "trimmed",
    }
}

impl CloseReason {
    /// Returns the status of a goal that was ended for this reason.
    #[must_use]
    pub const fn status(self) -> GoalStatus {
        match self {
            Self::ProfileComplete | Self::Booked => GoalStatus::Completed,
            Self::Stale | Self::Cancelled | Self::Trimmed => GoalStatus::Abandoned,
        }
    }
}

/// An entry of the journal. The caller adds the user, the session and the time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// What happened.
    pub event: JournalEventType,
    /// The goal that it happened to; `None` for a snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<i64>,
    /// The details.
    pub payload: Value,
}
