//! The words in which a contract speaks of effects, repetition and risk.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a verb does to the world; it decides which commit carries the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing, and it looks at nothing but its arguments.
    Pure,
    /// Nothing; it reads the database.
    Read,
    /// It writes the database, in the commit of its receipt; messages are rows of the outbox.
    Write,
    /// It waits for people; the run parks.
    Wait,
    /// It acts outside the database, behind a committed intent.
    External,
}

/// What a second call with the same arguments does to the world outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Idempotency {
    /// It acts again.
    None,
    /// Nothing more than the first.
    SafeRetry,
    /// Nothing more than the first, if it carries the same key.
    Keyed,
}

/// How much can go wrong, from a look (T0) to what cannot be taken back (T4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Risk {
    /// Reads and calculations.
    T0,
    /// Everyday writes and messages under budgets.
    T1,
    /// Writes that others notice.
    T2,
    /// Needs an approval: many people, money, the outside world.
    T3,
    /// Needs a supervisor: cannot be taken back.
    T4,
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// The messages that a verb sends: enough for the checker to count them and to check their words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sends {
    /// The argument with the people: one message to each.
    pub to: String,
    /// The argument that names the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The argument with the template's variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vars: Option<String>,
    /// The template that is sent where no argument names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_template: Option<String>,
    /// More people than this in one call are refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u64>,
    /// Where an approval begins to be needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
}

/// Messages that a call leads to later, whatever the run does meanwhile: one to each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FollowUp {
    /// To whom.
    pub to: Recipients,
    /// One of these texts.
    pub templates: Vec<String>,
    /// When, in words.
    pub when: String,
}

/// Whom a follow-up goes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipients {
    /// One person a call.
    One,
    /// Everybody who was asked for the request, or has a place in it.
    Request,
    /// The people of this argument.
    Argument(String),
}

/// A variable that a step fills besides its `out`: the list of what came of it, item by item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Implies {
    /// The variable.
    pub variable: String,
    /// The member of the result that each item adds to it.
    pub item: String,
    /// The member of the result that must be true for that; none: every item counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_if: Option<String>,
}

/// More people than a setting allows: the call is of a higher risk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// The setting with the number of people.
    pub setting: String,
    /// The risk beyond it.
    pub risk: Risk,
}
