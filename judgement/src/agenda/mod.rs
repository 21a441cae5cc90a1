//! The agenda: what each conversation is about, kept after its answers have left.
//!
//! A message is queued with the answer to it (`data::agenda::queue`) and evaluated later in a transaction of its own,
//! which locks the row of the session. The rules are pure (`abide_agent::agenda`). Nothing waits for an evaluation.

mod cache;
mod evaluate;
mod proposal;
mod view;

pub use cache::GoalCache;
pub use evaluate::{TURNS_MAX, evaluate_queued};
pub use proposal::propose_goals;
pub use view::{GoalList, JournalEntryView, journal, list, stack};
