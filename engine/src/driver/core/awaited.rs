//! Callers that wait until the message which they have delivered is applied. Each is woken for its own message only: if all
//! were woken for each message, many callers would ask the database about many messages.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::store::InboundRow;

/// Maximum number of messages that callers wait for at a time. When more people write at once, the callers beyond get their
/// answers as soon as their messages are stored, so that no gateway is kept waiting by the messages of others. A gateway
/// has a limited number of connections; if most of them waited, it could not deliver.
const CALLERS_MAX: usize = 16;

/// A message that somebody waits for: its tenant, and the id that its gateway gave it.
type MessageKey = (String, String);

/// The messages that callers of this process wait for.
#[derive(Default)]
pub(crate) struct AwaitedMessages(Mutex<BTreeMap<MessageKey, Vec<Arc<Notify>>>>);

/// A caller that waits for one message. Dropping it ends the wait.
pub(crate) struct AwaitedMessage<'a> {
    all: &'a AwaitedMessages,
    key: MessageKey,
    applied: Arc<Notify>,
}

impl AwaitedMessages {
    /// Begins to wait for a message. From now on, its application is not missed. Returns `None` if [`CALLERS_MAX`] others wait.
    pub(crate) fn expect(&self, tenant: &str, provider_id: &str) -> Option<AwaitedMessage<'_>> {
        let (key, applied) = ((tenant.to_owned(), provider_id.to_owned()), Arc::new(Notify::new()));
        let is_waiting = self.with(|waiting| {
            let has_room = waiting.len() < CALLERS_MAX;
            if has_room {
                waiting.entry(key.clone()).or_default().push(Arc::clone(&applied));
            }
            has_room
        });
        is_waiting.then_some(AwaitedMessage { all: self, key, applied })
    }

    /// Wakes the callers that wait for this message. The message has been applied.
    pub(in crate::driver) fn tell(&self, message: &InboundRow) {
        let key = (message.tenant.clone(), message.provider_id.clone());
        let waiting = self.with(|waiting| waiting.get(&key).cloned().unwrap_or_default());
        waiting.iter().for_each(|applied| applied.notify_one());
    }

    fn with<T>(&self, act: impl FnOnce(&mut BTreeMap<MessageKey, Vec<Arc<Notify>>>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl AwaitedMessage<'_> {
    /// Waits until this process has applied the message.
    pub(super) async fn applied(&self) {
        self.applied.notified().await;
    }
}

impl Drop for AwaitedMessage<'_> {
    fn drop(&mut self) {
        self.all.with(|waiting| {
            if let Some(callers) = waiting.get_mut(&self.key) {
                callers.retain(|applied| !Arc::ptr_eq(applied, &self.applied));
                if callers.is_empty() {
                    waiting.remove(&self.key);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_is_woken_for_its_own_message_and_many_do_not_wait() {
        let awaited = AwaitedMessages::default();
        let waiting: Vec<_> =
            (0..CALLERS_MAX).map(|nth| awaited.expect("grace", &nth.to_string())).collect();
        assert!(waiting.iter().all(Option::is_some));
        assert!(awaited.expect("grace", "one more").is_none());
        drop(waiting);
        let again = awaited.expect("grace", "one more");
        assert!(again.is_some());
        drop(again);
        assert!(awaited.with(|waiting| waiting.is_empty()));
    }
}
