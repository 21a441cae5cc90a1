//! The result of a proof, in the form that `lint --prove --json` prints.

use serde::Serialize;

use super::amount::Bound;
use super::cost::Cost;
use super::ending::{Loop, ProofFault};
use super::finish::Finish;
use super::quiet::Clash;
use super::sending::Sending;
use super::symbols::Assumption;
use super::waiting::Wait;

/// The result of a proof: bounds that hold for every run of a method under the listed assumptions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proof {
    /// Name of the method.
    pub method: String,
    /// Laws that the method violates; empty if it violates none.
    pub breaches: Vec<ProofFault>,
    /// Loops, with their maximum number of rounds.
    pub loops: Vec<Loop>,
    /// Waits, with the ways in which each of them can end.
    pub waits: Vec<Wait>,
    /// Messages that a run can send.
    pub messages: Messages,
    /// Approvals that a run asks for because of the risk of its tools.
    pub approvals: Approvals,
    /// Cost of the messages.
    pub cost: Cost,
    /// Duration of a run.
    pub finish: Finish,
    /// Messages that quiet hours can delay; empty if the time of the run's start is unknown.
    pub quiet_hours: Vec<Clash>,
    /// The symbols in the formulas, with the largest value that is assumed for each.
    pub assumptions: Vec<Assumption>,
    /// Explanations of the quantities that the analysis could not determine.
    pub notes: Vec<String>,
}

/// Approvals that a run asks for because of the risk of its tools. The rules that look at what a call would do,
/// such as `broadcast_approval_over`, may ask for more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Approvals {
    /// Maximum number of approvals of calls.
    pub calls: Bound,
    /// Whether the run needs one consent to its calls of risk T2.
    pub consent: bool,
}

/// Maximum numbers of messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Messages {
    /// Maximum number of messages to any one person.
    pub one_person: Bound,
    /// Maximum number of messages to all people together.
    pub in_all: Bound,
    /// The method's `max_messages`; `None` if the steps cannot send more messages than that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_to: Option<u64>,
    /// Maximum number of messages that `compensate` and `on_cancel` send, which happens only if the run
    /// fails or is cancelled. They are included in `in_all`.
    pub if_undone: Bound,
    /// Messages of each step that can send any.
    pub by_step: Vec<Sending>,
}

impl Proof {
    /// Whether the method violates no law.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.breaches.is_empty()
    }
}
