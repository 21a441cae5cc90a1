//! Keeps what the language model has said about messages that are not applied yet. In memory only: after a crash,
//! the model is asked again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::base::{Digest, MessageId, Timestamp, Value};

/// Maximum number of requests to the model at a time. A burst of texts must not become a burst of requests.
const REQUESTS_MAX: usize = 8;
/// Maximum number of times that the model is asked about a message, if what it is asked keeps changing.
const ASKED_MAX: u32 = 3;

/// What the model has said about messages that are not applied yet.
#[derive(Default)]
pub(in crate::driver) struct Proposals(Mutex<BTreeMap<MessageId, Asked>>);

/// What the model was asked about a message.
struct Asked {
    /// Digest of the request.
    about: Digest,
    since: Timestamp,
    times: u32,
    answer: Answer,
}

/// How far the model has got with a request.
#[derive(Clone)]
pub(in crate::driver) enum Answer {
    /// It works on it.
    Pending,
    /// The proposal; `None` if the model has failed.
    Given(Option<Arc<Value>>),
}

impl Proposals {
    /// Forgets a message that is applied.
    pub(in crate::driver) fn forget(&self, message: MessageId) {
        self.locked().remove(&message);
    }

    /// Returns what is known of a request. If the model has not been asked it yet, returns `None`, and remembers
    /// that the caller asks it now.
    pub(in crate::driver) fn look(
        &self,
        message: MessageId,
        about: Digest,
        now: Timestamp,
    ) -> Option<(Answer, Timestamp)> {
        let mut known = self.locked();
        let times = match known.get(&message) {
            Some(asked) if asked.about == about => {
                return Some((asked.answer.clone(), asked.since));
            }
            Some(asked) if asked.times >= ASKED_MAX => return Some((Answer::Given(None), now)),
            Some(asked) => asked.times,
            None => 0,
        };
        let busy = known.values().filter(|asked| matches!(asked.answer, Answer::Pending)).count();
        if busy >= REQUESTS_MAX {
            return Some((Answer::Pending, now)); // asked when another request has ended
        }
        let asked = Asked { about, since: now, times: times + 1, answer: Answer::Pending };
        known.insert(message, asked);
        None
    }

    /// Remembers the answer to a request, unless the message is applied already or asks something else by now.
    pub(in crate::driver) fn keep(
        &self,
        message: MessageId,
        about: Digest,
        answer: Option<Arc<Value>>,
    ) {
        if let Some(asked) = self.locked().get_mut(&message).filter(|asked| asked.about == about) {
            asked.answer = Answer::Given(answer);
        }
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<MessageId, Asked>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TypedId as _;

    fn id(n: u128) -> MessageId {
        MessageId::from_uuid(uuid::Uuid::from_u128(n))
    }

    #[test]
    fn a_request_is_made_once_and_its_answer_kept_until_the_message_is_applied() {
        let (proposals, now) = (Proposals::default(), Timestamp::EPOCH);
        let (one, other) = (Digest::of(b"one"), Digest::of(b"other"));
        assert!(proposals.look(id(1), one, now).is_none(), "the caller asks");
        assert!(matches!(proposals.look(id(1), one, now), Some((Answer::Pending, _))));
        proposals.keep(id(1), other, None);
        assert!(matches!(proposals.look(id(1), one, now), Some((Answer::Pending, _))));
        proposals.keep(id(1), one, Some(Arc::new(Value::Null)));
        assert!(matches!(proposals.look(id(1), one, now), Some((Answer::Given(Some(_)), _))));
        for n in 1..ASKED_MAX {
            let next = Digest::of(&n.to_be_bytes());
            assert!(proposals.look(id(1), next, now).is_none(), "the asks have changed");
        }
        let answer = proposals.look(id(1), other, now);
        assert!(matches!(answer, Some((Answer::Given(None), _))), "they change too often");
        proposals.forget(id(1));
        assert!(proposals.look(id(1), one, now).is_none());
    }

    #[test]
    fn only_some_requests_are_made_at_a_time() {
        let (proposals, now) = (Proposals::default(), Timestamp::EPOCH);
        let about = Digest::of(b"one");
        for n in 0..REQUESTS_MAX {
            assert!(proposals.look(id(n as u128), about, now).is_none());
        }
        assert!(matches!(proposals.look(id(99), about, now), Some((Answer::Pending, _))));
        proposals.keep(id(0), about, None);
        assert!(proposals.look(id(99), about, now).is_none());
    }
}
