//! Defines the result of one pass, in which a part of the driver does its due work.

use crate::base::Timestamp;

/// The work that a part of the driver did in one pass, and when it has more work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::driver) struct Pumped {
    /// The number of work items done.
    pub(in crate::driver) did: u64,
    /// When the next work item falls due; `None` if no work is planned.
    /// The current instant means that there may be more work now.
    pub(in crate::driver) due: Option<Timestamp>,
}
