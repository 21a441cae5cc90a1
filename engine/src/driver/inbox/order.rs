//! Determines which inbound messages must be applied one after another: messages from one sender,
//! and messages that concern one request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::core::Core;
use super::reading::{Interpretation, understand, understand_all};
use crate::base::{MessageId, RequestId, limits};
use crate::store::InboundRow;

/// Groups messages into chains and returns the chains. In each chain the oldest message comes first.
/// Messages that may affect each other are in the same chain. For a message that cannot be interpreted,
/// only its sender determines the chain; the error is reported later, when the process tries to apply the
/// message.
pub(super) async fn chains(core: &Arc<Core>, messages: Vec<InboundRow>) -> Vec<MessageChain> {
    let messages: Vec<Arc<InboundRow>> = messages.into_iter().map(Arc::new).collect();
    let mut readings = readings(core, &messages).await;
    let mut chains = Chains::default();
    for message in messages {
        let requests = readings.get(&message.id).map_or(&[][..], |read| &read.requests);
        chains.add(Arc::clone(&message), requests);
    }
    let mut with_reading = |message: Arc<InboundRow>| {
        let understood = readings.remove(&message.id).map(Arc::new);
        ReadMessage { message, understood }
    };
    let mut all = Vec::new();
    for chain in chains.done() {
        all.push(in_groups(chain.into_iter().map(&mut with_reading)));
    }
    all
}

/// Interprets messages together. If that fails, interprets each by itself, and leaves out those with which it fails again.
async fn readings(
    core: &Arc<Core>,
    messages: &[Arc<InboundRow>],
) -> BTreeMap<MessageId, Interpretation> {
    if let Ok(understood) = understand_all(core, messages).await {
        return messages.iter().map(|message| message.id).zip(understood).collect();
    }
    let mut readings = BTreeMap::new();
    for message in messages {
        readings.extend(understand(core, message).await.ok().map(|read| (message.id, read)));
    }
    readings
}

/// Splits a chain into the groups of messages that are applied in one go: each sender has one message in a group.
/// What a person says depends on what they were asked when their earlier message was applied.
fn in_groups(chain: impl Iterator<Item = ReadMessage>) -> MessageChain {
    let (mut groups, mut senders) = (vec![Vec::new()], BTreeSet::new());
    for read in chain {
        if !senders.insert(read.message.sender) {
            senders = BTreeSet::from([read.message.sender]);
            groups.push(Vec::new());
        }
        if let Some(group) = groups.last_mut() {
            add(group, read);
        }
    }
    MessageChain { groups }
}

/// Adds a message to a group: to the last unit of the group, if the message answers the same request as those in it.
fn add(group: &mut Vec<ApplyUnit>, read: ReadMessage) {
    let answered = read.answered();
    match group.last_mut() {
        Some(unit) if unit.takes(answered) => unit.messages.push(read),
        _ => group.push(ApplyUnit { messages: vec![read], answered }),
    }
}

/// Messages that are applied one after another.
pub(super) struct MessageChain {
    /// Messages of different senders, group by group. The units of a group share commits: each is queued without waiting for the
    /// one before it.
    pub(super) groups: Vec<Vec<ApplyUnit>>,
}

/// Messages that one transaction applies: a single message, or plain answers to the same request.
pub(super) struct ApplyUnit {
    pub(super) messages: Vec<ReadMessage>,
    answered: Option<RequestId>,
}

impl ApplyUnit {
    /// Whether there is room for another message which answers this request.
    fn takes(&self, answered: Option<RequestId>) -> bool {
        let has_room = self.messages.len() < limits::CHUNK_PEOPLE_MAX;
        answered.is_some() && answered == self.answered && has_room
    }
}

/// A message, and how it was understood when it was read; `None` if it could not be interpreted. Applying an earlier message may
/// change what its sender was asked. It is then interpreted once more.
#[derive(Clone)]
pub(super) struct ReadMessage {
    pub(super) message: Arc<InboundRow>,
    pub(super) understood: Option<Arc<Interpretation>>,
}

impl ReadMessage {
    fn answered(&self) -> Option<RequestId> {
        self.understood.as_ref().and_then(|understood| understood.answered())
    }
}

/// A sender or a request that messages of one chain have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ChainKey {
    Sender(crate::store::ContactId),
    Request(RequestId),
}

#[derive(Default)]
struct Chains {
    chains: Vec<Vec<Arc<InboundRow>>>,
    /// For each sender and each request, the index of its chain in `chains`.
    by_key: BTreeMap<ChainKey, usize>,
}

impl Chains {
    fn add(&mut self, message: Arc<InboundRow>, requests: &[RequestId]) {
        let sender = ChainKey::Sender(message.sender);
        let keys: Vec<ChainKey> = std::iter::once(sender)
            .chain(requests.iter().copied().map(ChainKey::Request))
            .collect();
        let mut tied: Vec<usize> =
            keys.iter().filter_map(|key| self.by_key.get(key).copied()).collect();
        tied.sort_unstable();
        tied.dedup();
        let chain = match tied.split_first() {
            Some((first, others)) => self.join(*first, others),
            None => {
                self.chains.push(Vec::new());
                self.chains.len() - 1
            }
        };
        self.chains[chain].push(message);
        self.by_key.extend(keys.into_iter().map(|key| (key, chain)));
    }

    /// Merges the chains `others` into the chain `first`. Returns `first`.
    fn join(&mut self, first: usize, others: &[usize]) -> usize {
        for other in others {
            let moved = std::mem::take(&mut self.chains[*other]);
            self.chains[first].extend(moved);
        }
        let place = |m: &Arc<InboundRow>| (m.received_at, m.provider_id.clone());
        self.chains[first].sort_by_key(place);
        self.by_key
            .values_mut()
            .filter(|chain| others.contains(chain))
            .for_each(|chain| *chain = first);
        first
    }

    fn done(self) -> Vec<Vec<Arc<InboundRow>>> {
        self.chains.into_iter().filter(|chain| !chain.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::base::{Timestamp, TypedId as _};
    use crate::store::ContactId;

    use super::*;

    fn message(nth: i64, sender: &str) -> Arc<InboundRow> {
        let id = uuid::Uuid::from_u128(nth.unsigned_abs().into());
        Arc::new(InboundRow {
            id: crate::base::MessageId::from_uuid(id),
            tenant: "default".to_owned(),
            provider_id: nth.to_string(),
            sender: ContactId::from_digest(crate::base::Digest::of(sender.as_bytes())),
            from: sender.to_owned(),
            to: String::new(),
            body: String::new(),
            carrier_word: None,
            received_at: Timestamp::from_micros(nth),
            partition: None,
            ord: None,
            run: None,
            applied_at: None,
            handled_as: None,
            correlation: None,
        })
    }

    /// Each element of `messages` describes one message: its sender, and the numbers of the requests that
    /// it concerns. Builds these messages, numbers them from 1, and groups them into chains. Returns the
    /// numbers of the messages in each chain.
    fn chains(messages: &[(&str, &[u128])]) -> Vec<Vec<i64>> {
        let mut chains = Chains::default();
        for (nth, (sender, requests)) in (1..).zip(messages) {
            let requests: Vec<RequestId> =
                requests.iter().map(|n| RequestId::from_uuid(uuid::Uuid::from_u128(*n))).collect();
            chains.add(message(nth, sender), &requests);
        }
        let numbers = |chain: Vec<Arc<InboundRow>>| -> Vec<i64> {
            chain.iter().map(|m| m.received_at.micros()).collect()
        };
        chains.done().into_iter().map(numbers).collect()
    }

    #[test]
    fn one_sender_or_one_request_makes_one_chain() {
        assert_eq!(chains(&[("a", &[]), ("b", &[]), ("a", &[])]), [vec![1, 3], vec![2]]);
        assert_eq!(chains(&[("a", &[1]), ("b", &[2]), ("c", &[1])]), [vec![1, 3], vec![2]]);
        assert_eq!(chains(&[("a", &[1]), ("b", &[2]), ("c", &[1, 2])]), [vec![1, 2, 3]]);
        assert_eq!(
            chains(&[("a", &[1]), ("b", &[2]), ("b", &[1]), ("c", &[2]), ("d", &[])]),
            [vec![1, 2, 3, 4], vec![5]]
        );
    }
}
