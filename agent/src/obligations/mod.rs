//! Obligations: what a text binds the agent to, in a small closed vocabulary.
//!
//! `read` translates a text into obligations without solving anything. The operations, `math`, `letters`, `people`,
//! `memory` and `clock`, each satisfy one kind of `REPORT`, and can be called by themselves. `answer` runs them over
//! known facts, asks for what is missing, and verifies each answer before it leaves.

pub mod answer;
pub mod calendar;
pub mod clock;
pub mod conversation;
pub mod letters;
pub mod math;
pub mod memory;
pub mod people;
pub mod read;
mod wire;

pub use answer::{AnsweredObligations, KnownFacts, ReportResult, answer, report, verify};
pub use conversation::Conversation;
pub use read::{
    Dialogue, DirectoryWords, OpenSlot, ReadContext, SaidTimes, is_bare_order, read, said_times,
    without_times,
};
pub use wire::{LAST_ANSWER, Obligation, ObligationType, Obligations, SCHEMA};
