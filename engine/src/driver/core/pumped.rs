//! What one look of a part at what is due came to.

use crate::base::Timestamp;

/// What was done, and when there is more to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::driver) struct Pumped {
    /// How many things were done.
    pub(in crate::driver) did: u64,
    /// When there is something to do next, as far as that is known: now, where there may be more.
    pub(in crate::driver) due: Option<Timestamp>,
}
