//! The messages that a language model rewords or has reworded. In memory only: after a crash, a message that has not
//! left is perhaps reworded again.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::base::{MessageId, Span, Timestamp};

/// Maximum number of messages that are reworded at a time. Further messages leave as they are: a campaign must not
/// wait for a slow model.
const AT_WORK_MAX: usize = 8;
/// How long a message is remembered. By then it has left, or is held for so long that its words may change again.
const REMEMBERED: Span = Span::from_secs(600);

/// The messages that the model rewords or has reworded.
#[derive(Default)]
pub(in crate::driver) struct Rewordings(Mutex<Known>);

#[derive(Default)]
struct Known {
    begun: BTreeMap<MessageId, Timestamp>,
    at_work: usize,
}

impl Rewordings {
    /// Whether the caller is to let a message be reworded now. It then calls [`Rewordings::end`].
    pub(in crate::driver) fn begin(&self, message: MessageId, now: Timestamp) -> bool {
        let mut known = self.locked();
        known.begun.retain(|_, since| *since + REMEMBERED > now);
        if known.at_work >= AT_WORK_MAX || known.begun.contains_key(&message) {
            return false;
        }
        known.begun.insert(message, now);
        known.at_work += 1;
        true
    }

    /// Notes that the model has ended with one message.
    pub(in crate::driver) fn end(&self) {
        let mut known = self.locked();
        known.at_work = known.at_work.saturating_sub(1);
    }

    fn locked(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TypedId as _;

    #[test]
    fn a_message_is_reworded_once_and_only_some_at_a_time() {
        let id = |n: u128| MessageId::from_uuid(uuid::Uuid::from_u128(n));
        let (rewordings, now) = (Rewordings::default(), Timestamp::EPOCH);
        assert!(rewordings.begin(id(0), now));
        assert!(!rewordings.begin(id(0), now), "once");
        for n in 1..AT_WORK_MAX {
            assert!(rewordings.begin(id(n as u128), now));
        }
        assert!(!rewordings.begin(id(99), now), "the model is busy");
        rewordings.end();
        assert!(rewordings.begin(id(99), now));
        rewordings.end();
        assert!(rewordings.begin(id(0), now + REMEMBERED), "long ago");
    }
}
