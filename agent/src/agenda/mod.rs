//! The agenda of a conversation: what the assistant works toward, as a stack of goals for each user and session.
//!
//! ```text
//!            turn                      answer
//!             │                          │
//!             ▼                          ▼
//!   stale ▸ onboarding ▸ cancellation  note_answer ──▶ the goal, phrased into the next answer
//!         ▸ intent ▸ trim ▸ journal
//!             │
//!             ▼
//!   AgendaEvalResult + AgendaChanges (goals and journal entries to persist)
//! ```
//!
//! Everything here is pure. The caller loads the active goals under a lock of the user and session, calls
//! [`evaluate`], persists [`Agenda::take_changes`] and releases the lock.

mod answer;
mod carry;
mod classify;
mod dialogue;
mod dishes;
mod evaluate;
mod goal;
mod heard;
mod journal;
mod lexicon;
mod propose;
mod said;
mod slots;
mod stack;
mod switches;
#[cfg(test)]
mod tests;
mod token;
mod topic;
mod turn;
mod wording;

pub use self::answer::{GoalPhrase, note_answer};
pub use self::carry::{begin_session, carried_over};
pub use self::classify::classify;
pub use self::dialogue::{AgendaDialogue, AgendaDialogueResult, AgendaTurnResult, play};
pub use self::evaluate::{AgendaEvalResult, evaluate, take_up_proposals};
pub use self::goal::{AgendaGoal, GoalSlot, GoalStatus, GoalType};
pub use self::journal::{CloseReason, JournalEntry, JournalEventType};
pub use self::propose::{
    AcceptedProposal, CheckedProposals, GoalProposal, ProposalFault, RefusedProposal, proposed,
};
pub use self::stack::{Agenda, AgendaChanges};
pub use self::switches::{AgendaSwitch, AgendaSwitches};
pub use self::turn::{AgendaTurn, Classification, Complexity, Profile, Pulse};

/// Maximum number of active goals of a user in a session. More would dilute what the assistant works toward.
pub const ACTIVE_MAX: usize = 6;
/// Number of goals that the assistant is shown.
pub const STACK_MAX: usize = 3;
/// A goal that nothing has touched for longer than this is stale.
pub const STALE_AFTER_HOURS: i64 = 72;
