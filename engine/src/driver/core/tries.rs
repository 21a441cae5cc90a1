//! Counts how often applying an inbound message failed, so that the driver gives up after a maximum number
//! of failures.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::base::{MessageId, Span, Timestamp, limits};

/// The pause after an inbound message could not be applied, before the tenant's messages are tried again.
pub(in crate::driver) const TRIED_EVERY: Span = Span::from_secs(1);

/// For each inbound message that could not be applied yet, the number of counted failures and the time of the
/// last counted one. Callers count only temporary failures.
#[derive(Default)]
pub(in crate::driver) struct Tries(Mutex<BTreeMap<MessageId, (u32, Timestamp)>>);

impl Tries {
    /// Counts a failure to apply a message, but at most one failure per `TRIED_EVERY`.
    /// Returns true once the message has failed as often as is allowed.
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
