//! A request for volunteers for one service: how many people the service needs in each role.

pub mod targets;
pub mod transition;

use abide_engine::base::{RequestId, Timestamp};

pub use targets::{Fill, Targets};
pub use transition::{RequestCause, RequestStatus};

/// A request as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The id of the request. It is also the id of the partition that serialises changes of the request.
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
    /// The number of the request's version, from 1; increases by one with every change.
    pub version: i64,
    /// When the request was created.
    pub created_at: Timestamp,
    /// When the request last changed.
    pub updated_at: Timestamp,
}
