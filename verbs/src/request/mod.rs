//! A VolunteerRequest: how many people one service needs in each role, and how many it has.

pub mod targets;
pub mod transition;

use abide_engine::base::{RequestId, Timestamp};

pub use targets::{Fill, Targets};
pub use transition::{RequestCause, RequestStatus};

/// A request as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Its id, which is also the partition that serializes every change to it.
    pub id: RequestId,
    /// The tenant that owns the request.
    pub tenant: String,
    /// The campus; empty in a church with one campus.
    pub campus: String,
    /// When the service begins.
    pub service_time: Timestamp,
    /// Wanted places by role.
    pub targets: Targets,
    /// Its state.
    pub status: RequestStatus,
    /// Increases by one with every change.
    pub version: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
