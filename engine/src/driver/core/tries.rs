//! How often something was tried that could not be done, before it is given up.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::base::{MessageId, Span, Timestamp, limits};

/// The pause before the messages of a tenant are tried again of which one could not be applied now.
pub(in crate::driver) const TRIED_EVERY: Span = Span::from_secs(1);

/// How often each message could not be applied so far, for a reason that may pass, and when last.
#[derive(Default)]
pub(in crate::driver) struct Tries(Mutex<BTreeMap<MessageId, (u32, Timestamp)>>);

impl Tries {
    /// Counts one more, but of several within a pause only the first; true where there were enough.
    pub(in crate::driver) fn are_over(&self, message: MessageId, now: Timestamp) -> bool {
        let mut tries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, last) = tries.entry(message).or_insert((0, now - TRIED_EVERY));
        if now >= *last + TRIED_EVERY {
            (*count, *last) = (*count + 1, now);
        }
        *count >= limits::APPLY_TRIES_MAX
    }

    pub(in crate::driver) fn forget(&self, message: MessageId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&message);
    }
}
