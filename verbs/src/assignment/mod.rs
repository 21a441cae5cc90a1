//! An assignment: the state of one person for one role of one request.

pub mod transition;

use abide_engine::base::{PersonId, RequestId, Timestamp};

pub use transition::{AssignmentCause, AssignmentState};

/// An assignment as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The request of the assignment.
    pub request: RequestId,
    /// The assigned person.
    pub person: PersonId,
    /// The assigned role.
    pub role: String,
    /// The state: invited, accepted, declined, waitlisted or cancelled.
    pub state: AssignmentState,
    /// The number of the place that the person holds in the role, from 1; only while accepted.
    pub seat: Option<i64>,
    /// The number of the request's version at which the person took the place; only while accepted.
    pub version: Option<i64>,
    /// Sequence number of the change that gave the person a place or a rank on the waitlist.
    /// Among the people of a request, a lower number means that the person came earlier.
    pub ord: Option<i64>,
    /// When the person's latest yes was received; `None` if the person has not said yes
    /// since the latest invitation.
    pub accepted_at: Option<Timestamp>,
}
