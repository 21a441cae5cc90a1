//! The result of one pump of a part.

use crate::base::Timestamp;

/// What a pump did, and when there is more to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::driver) struct Pumped {
    /// Number of things done.
    pub(in crate::driver) did: u64,
    /// When there is something to do next, as far as is known; the current instant if there may be more
    /// now.
    pub(in crate::driver) due: Option<Timestamp>,
}
