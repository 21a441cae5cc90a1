//! Operations that change a request, its offers, its places and its questions,
//! and that queue the messages about these changes.
//!
//! The caller must have locked the request. To avoid deadlocks, locks are taken in this sequence:
//! request, people, other rows, outbox.

pub mod amend;
pub mod ask_order;
pub mod asks;
pub mod budget;
pub mod cancel;
pub mod capacity;
pub mod claims;
mod context;
pub mod messages;
pub mod moving;
pub mod offers;
pub mod places;
pub mod removal;
pub mod requests;
pub mod send_plan;
pub mod sender;
pub mod staff_inbox;
pub mod time_zone;
pub mod unreachable;

pub use context::OperationContext;
