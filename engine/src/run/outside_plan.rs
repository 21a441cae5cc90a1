//! Describes the plan of calls that a run carries out for a caller from outside.

use serde::{Deserialize, Serialize};

use crate::contract::Risk;

/// The number of the format in which the state of such a run is stored. A build that does not know such runs
/// would not ask for the approval of the plan, so it must not continue them.
pub const PLAN_STATE_V: i64 = 3;

/// Marks a run that carries out a plan of calls for a caller from outside, and nothing else. The plan is approved as a
/// whole, before its first call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutsidePlan {
    /// The highest risk among the calls, each judged as a call from outside.
    pub risk: Risk,
    /// The number of calls.
    pub calls: usize,
}

impl OutsidePlan {
    /// Whether the approval of the plan covers a call of this risk. What cannot be undone is decided about by
    /// itself, unless it is all that the plan does.
    #[must_use]
    pub fn covers(self, risk: Risk) -> bool {
        risk < Risk::T4 || self.calls == 1
    }
}
