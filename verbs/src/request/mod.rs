//! A VolunteerRequest: how many people of each role one service needs, and how far that has come.

pub mod targets;
pub mod transition;

use abide_engine::base::{RequestId, Timestamp};

pub use targets::{Fill, Targets};
pub use transition::{Cause, Status};

/// A request as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Its id, and the partition in which everything that changes it is serialized.
    pub id: RequestId,
    /// Whose it is.
    pub tenant: String,
    /// Where; empty in a church with one campus.
    pub campus: String,
    /// When the service begins.
    pub service_time: Timestamp,
    /// Wanted places by role.
    pub targets: Targets,
    /// How far it has come.
    pub status: Status,
    /// Grows by one with every change.
    pub version: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
