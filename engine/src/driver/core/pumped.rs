//! The result of one pump of a part.

use crate::base::Timestamp;

/// The number of work items that a pump did, and when the part has more work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::driver) struct Pumped {
    /// The number of work items done.
    pub(in crate::driver) did: u64,
    /// When the next work item falls due, as far as is known.
    /// The current instant means that there may be more work now.
    pub(in crate::driver) due: Option<Timestamp>,
}
