//! An assignment: the standing of one person for one role of one request.

pub mod transition;

use abide_engine::base::{PersonId, RequestId, Timestamp};

pub use transition::{AssignmentCause, AssignmentState};

/// An assignment as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The request.
    pub request: RequestId,
    /// The person.
    pub person: PersonId,
    /// The role.
    pub role: String,
    /// Invited, accepted, declined, waitlisted or cancelled.
    pub state: AssignmentState,
    /// The number of the role's place that the person holds, from 1; only while accepted.
    pub seat: Option<i64>,
    /// The version of the request when the place was taken; only while accepted.
    pub version: Option<i64>,
    /// The position in the order in which answers to this request took effect; it alone decides who came
    /// first.
    pub ord: Option<i64>,
    /// When the last yes was received; `None` if there was none since the last invitation.
    pub accepted_at: Option<Timestamp>,
}
