//! Describes which runs a list contains.

use crate::base::{RequestId, RunId};

/// A filter for lists of runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// If set, only runs with this status.
    pub status: Option<String>,
    /// If set, only runs of this method.
    pub method: Option<String>,
    /// If set, only runs that work on this request.
    pub request: Option<RequestId>,
    /// If true, only stuck runs. A run is stuck if it is overdue, if no running process can continue it,
    /// or if it is held although its tenant is not paused. A run with a stuck branch is stuck too.
    pub stuck: bool,
    /// If true, only runs that have not ended.
    pub live: bool,
    /// If true, only waiting runs; `status` is then ignored.
    pub waiting: bool,
    /// If set, only runs older than this run.
    pub before: Option<RunId>,
    /// Maximum number of runs. If this is 0, the default page size applies.
    pub limit: usize,
}
