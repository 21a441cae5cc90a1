//! A request for volunteers for one service: how many people the service needs in each role.

pub mod targets;
pub mod transition;

use abide_engine::base::{RequestId, Timestamp};

pub use targets::{Fill, Targets};
pub use transition::{RequestCause, RequestStatus};

/// The time that a service takes. Nobody serves in two services whose times overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServicePeriod {
    /// When the service begins.
    pub starts: Timestamp,
    /// When the service ends. A service that begins at this instant does not overlap.
    pub ends: Timestamp,
}

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
    /// When the service ends.
    pub ends_at: Timestamp,
    /// When the service was to begin, if it has moved: what was decided for that time is for the new one.
    pub moved_from: Option<Timestamp>,
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

impl Request {
    /// Whether the service begins at this time, or was to begin then before it moved.
    #[must_use]
    pub fn is_at(&self, time: Timestamp) -> bool {
        self.service_time == time || self.moved_from == Some(time)
    }

    /// Returns the time that the service takes.
    #[must_use]
    pub const fn period(&self) -> ServicePeriod {
        ServicePeriod { starts: self.service_time, ends: self.ends_at }
    }
}
