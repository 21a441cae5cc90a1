//! Describes what a shadow run plays.

use serde::{Deserialize, Serialize};

use crate::base::{RequestId, RunId};

/// The number of the format in which the state of a shadow run is stored. A build that knows no shadow runs
/// would carry out what such a run only reports, so it must not be able to read the state.
pub const SHADOW_STATE_V: i64 = 2;

/// What a shadow run plays in a copy of the database: the start of a real run, besides its method, goal and
/// variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ShadowStart {
    /// Request that the run would work on, if the caller named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestId>,
    /// Whether the run would replace a live run that does the same work.
    #[serde(default)]
    pub replace: bool,
    /// The real run beside which the shadow run tries another version of its method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<RunId>,
}
