//! The terms of a contract: effects, idempotency, risk, and the messages that a call sends.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How a verb acts on the world. The effect decides in which commit the call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The verb does nothing; its result depends only on the arguments.
    Pure,
    /// The verb changes nothing; it reads the database.
    Read,
    /// The verb writes to the database, in the commit that stores the receipt
    /// of the call. A message that the verb sends is a row of the outbox.
    Write,
    /// The verb waits for people. The run takes no steps until the wait ends.
    Wait,
    /// The verb acts outside the database, after a commit has recorded that it is about to act.
    External,
}

crate::words! {
    /// What a second call with the same arguments does.
    pub enum Idempotency {
        /// A second call acts again.
        None = "none",
        /// A second call has no further effect.
        SafeRetry = "safe-retry",
        /// A second call with the same idempotency key has no further effect.
        Keyed = "keyed",
    }
}

/// Why a tool cannot do anything yet, and what would change that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotConfigured {
    /// What is missing, in one sentence.
    pub reason: String,
    /// The environment variables that the tool would need.
    #[serde(default)]
    pub required_env: Vec<String>,
    /// What a person can do about it.
    #[serde(default)]
    pub next_steps: Vec<String>,
}

/// How much harm a call can do, from reading (T0) to acts that cannot be undone (T4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Risk {
    /// Reads and calculations.
    T0,
    /// Everyday writes, and messages within budgets.
    T1,
    /// Writes that other people notice.
    T2,
    /// Acts that need an approval, because they reach many people, cost money or act outside.
    T3,
    /// Acts that need a supervisor, because they cannot be undone.
    T4,
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// The role of those who approve calls whose contracts name nobody.
pub const SUPERVISOR: &str = "supervisor";

/// One link of a chain of approvers: a number of people with one role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Approvers {
    /// The role that they hold in the directory, such as `supervisor`.
    pub role: String,
    /// How many of them must approve.
    #[serde(default = "one_approver")]
    pub n: u32,
}

impl Approvers {
    /// Returns the chain of a contract that names nobody: one supervisor.
    #[must_use]
    pub fn one_supervisor() -> Vec<Self> {
        vec![Self { role: SUPERVISOR.to_owned(), n: one_approver() }]
    }
}

const fn one_approver() -> u32 {
    1
}

/// The messages that a call sends.
/// The checker uses this description to count the messages and to check the variables of their templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sends {
    /// The argument with the recipients. Each recipient gets one message.
    pub to: String,
    /// The argument that names the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The argument with the template's variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vars: Option<String>,
    /// The template that is used if no argument names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_template: Option<String>,
    /// Maximum number of recipients of one call; a call with more recipients fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u64>,
    /// The number of recipients above which the call needs an approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
}

/// Messages that a call can cause later, even after the run has ended: one message to each recipient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FollowUp {
    /// The recipients.
    pub to: Recipients,
    /// The names of the possible templates. The message to a recipient is made from one of them.
    pub templates: Vec<String>,
    /// The condition under which the messages are sent, in words.
    pub when: String,
}

/// The recipients of a follow-up message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipients {
    /// One person per call.
    One,
    /// Everyone who was invited to serve in the request, or who has a place in it.
    Request,
    /// The people in an argument of the call. The string is the name of the argument.
    Argument(String),
}

/// A variable that a step assigns besides its `out`: a list
/// of items taken from the results of the step's calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Implies {
    /// The name of the variable.
    pub variable: String,
    /// The member of a result that is added to the list.
    pub item: String,
    /// The name of a boolean member of a result. The item of the result is added to the list only if
    /// this member is true. If `None`, the items of all results are added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_if: Option<String>,
}

/// A limit on the number of recipients. A call with more recipients has a higher risk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// The name of the setting that contains the limit.
    pub setting: String,
    /// The risk of a call with more recipients than the limit.
    pub risk: Risk,
}
