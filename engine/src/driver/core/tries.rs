//! Counts the failed tries to apply each inbound message, until the message is given up.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::base::{MessageId, Span, Timestamp, limits};

/// The pause before a tenant's messages are tried again after one of them could not be applied.
pub(in crate::driver) const TRIED_EVERY: Span = Span::from_secs(1);

/// For each message, the number of temporary failures to apply it, and the time of the last one.
#[derive(Default)]
pub(in crate::driver) struct Tries(Mutex<BTreeMap<MessageId, (u32, Timestamp)>>);

impl Tries {
    /// Counts a failed try, but at most one per `TRIED_EVERY`. Returns true once the maximum is reached.
    pub(in crate::driver) fn count_and_check(&self, message: MessageId, now: Timestamp) -> bool {
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
