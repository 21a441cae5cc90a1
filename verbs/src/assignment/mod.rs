//! An assignment: what one person is to one role of one request.

pub mod transition;

use abide_engine::base::{PersonId, RequestId, Timestamp};

pub use transition::{Cause, State};

/// An assignment as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Of which request.
    pub request: RequestId,
    /// Who.
    pub person: PersonId,
    /// For what.
    pub role: String,
    /// Asked, in, out, or waiting for a place.
    pub state: State,
    /// Which of the role's places, from 1; only while accepted.
    pub seat: Option<i64>,
    /// The request's version when the seat was taken.
    pub version: Option<i64>,
    /// The order in which answers of this request took effect: it alone decides who was first.
    pub ord: Option<i64>,
    /// When the yes was received; only while accepted or waitlisted.
    pub accepted_at: Option<Timestamp>,
}
