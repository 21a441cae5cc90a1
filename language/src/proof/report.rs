//! What was proved of a method, as `lint --prove --json` prints it.

use serde::Serialize;

use super::amount::Bound;
use super::cost::Cost;
use super::ending::{Breach, Loop};
use super::finish::Finish;
use super::quiet::Clash;
use super::sending::Sending;
use super::symbols::Assumption;
use super::waiting::Wait;

/// What was proved of a method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proof {
    /// Its name.
    pub method: String,
    /// Laws that it breaks; none where it is proved.
    pub breaches: Vec<Breach>,
    /// What goes round, and how often at most.
    pub loops: Vec<Loop>,
    /// What it waits for, and how each wait ends.
    pub waits: Vec<Wait>,
    /// What it sends.
    pub messages: Messages,
    /// What that costs.
    pub cost: Cost,
    /// When it is over.
    pub finish: Finish,
    /// The texts that the night can hold back, where the start is known.
    pub quiet_hours: Vec<Clash>,
    /// What the formulas' symbols are taken to be.
    pub assumptions: Vec<Assumption>,
    /// What could not be told from the text, and why.
    pub notes: Vec<String>,
}

/// How many messages there can be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Messages {
    /// To any one person.
    pub one_person: Bound,
    /// To everybody together.
    pub in_all: Bound,
    /// The method's own limit, where it is what bounds the number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_to: Option<u64>,
    /// More, if the run fails or is called off: by `compensate` and `on_cancel`.
    pub if_undone: Bound,
    /// Step by step.
    pub by_step: Vec<Sending>,
}

impl Proof {
    /// True where no law is broken.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.breaches.is_empty()
    }
}
