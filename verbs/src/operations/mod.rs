//! Operations that change a request, its offers, places and questions,
//! and that send the messages about the changes.
//!
//! The caller holds the request's lock. Locks are taken in this order: request, people, rows, outbox.

pub mod amend;
pub mod asks;
pub mod budget;
pub mod cancel;
pub mod capacity;
mod context;
pub mod messages;
pub mod offers;
pub mod places;
pub mod requests;
pub mod send_plan;
pub mod sender;

pub use context::OperationContext;
