//! Defines the error for an illegal transition, and exports the macro for enums with stable names.
//! The state machines of requests, offers and assignments use both.

use abide_engine::base::Problem;

/// A change of state that a state machine does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {noun} in state `{from}` does not allow `{cause}`")]
pub struct IllegalTransition {
    /// The kind of record whose state was to change: `request`, `offer` or `assignment`.
    pub noun: &'static str,
    /// The current state of the record.
    pub from: &'static str,
    /// The cause that the state does not allow.
    pub cause: &'static str,
}

impl From<IllegalTransition> for Problem {
    fn from(illegal: IllegalTransition) -> Self {
        Self::caller("wrong_state", illegal.to_string())
            .with_hint(format!("check the {}'s state first", illegal.noun))
    }
}

pub(crate) use abide_engine::words;
