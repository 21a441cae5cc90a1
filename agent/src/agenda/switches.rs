//! Switches for what the agenda does beyond its basic rules.

use serde::{Deserialize, Serialize};

use crate::words;

words! {
    /// Whether a part of the agenda is used.
    pub enum AgendaSwitch {
        /// It is used.
        On = "on",
        /// It is not used.
        Off = "off",
    }
}

impl AgendaSwitch {
    /// Whether the part is used.
    #[must_use]
    pub const fn is_on(self) -> bool {
        matches!(self, Self::On)
    }
}

/// A switch for each part of the agenda that goes beyond its basic rules. By default all are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgendaSwitches {
    /// A new session begins with the fresh goals of the user's earlier sessions.
    pub carry_over: AgendaSwitch,
    /// A model may propose goals, which the rules check.
    pub proposals: AgendaSwitch,
    /// A description names what the user is talking about; otherwise it is a fixed text.
    pub own_words: AgendaSwitch,
    /// The next action depends on the slots that are missing; otherwise it is a fixed text.
    pub next_by_slot: AgendaSwitch,
    /// A goal that two answers in a row have ignored is phrased into the next answer.
    pub follow_through: AgendaSwitch,
}

impl AgendaSwitches {
    /// Returns the switches of the agenda as it was first specified, with its basic rules alone: all are off.
    #[must_use]
    pub const fn seed() -> Self {
        Self::all(AgendaSwitch::Off)
    }

    const fn all(switch: AgendaSwitch) -> Self {
        Self {
            carry_over: switch,
            proposals: switch,
            own_words: switch,
            next_by_slot: switch,
            follow_through: switch,
        }
    }
}

impl Default for AgendaSwitches {
    fn default() -> Self {
        Self::all(AgendaSwitch::On)
    }
}
