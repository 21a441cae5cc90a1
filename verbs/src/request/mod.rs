//! A request for volunteers: how many people one service needs in each role, and how many it has.

pub mod targets;
pub mod transition;

use abide_engine::base::{RequestId, Timestamp};

pub use targets::{Fill, Targets};
pub use transition::{RequestCause, RequestStatus};

/// A request as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The id of the request, which is also the partition that serializes every change to the request.
    pub id: RequestId,
    /// The tenant that owns the request.
    pub tenant: String,
    /// The campus of the service; empty in a church with one campus.
    pub campus: String,
    /// When the service begins.
    pub service_time: Timestamp,
    /// Target number of people for each role.
    pub targets: Targets,
    /// The state of the request.
    pub status: RequestStatus,
    /// The version of the request; increases by one with every change.
    pub version: i64,
    /// When the request was created.
    pub created_at: Timestamp,
    /// When the request last changed.
    pub updated_at: Timestamp,
}
