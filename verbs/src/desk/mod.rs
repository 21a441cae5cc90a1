//! The office's desk: what changes while a request is locked, each thing done in one place.
//!
//! Whoever calls here holds the request's lock. Order of locks: request, people, rows, outbox.

pub mod amend;
pub mod asks;
pub mod budget;
pub mod capacity;
pub mod letter;
pub mod offers;
pub mod places;
pub mod requests;
mod scene;
pub mod turns;

pub use scene::Scene;
