//! Determines which inbound messages must be applied one after another: messages from one sender,
//! and messages that concern one request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream;

use super::super::core::Core;
use super::reading::{Interpretation, understand};
use crate::base::RequestId;
use crate::store::InboundRow;

/// Number of messages that are read at a time: a reader of the database for each.
const READ_ABREAST: usize = 4;

/// Groups messages into chains and returns the chains. In each chain the oldest message comes first.
/// Messages that may affect each other are in the same chain. For a message that cannot be interpreted,
/// only its sender determines the chain; the error is reported later, when the process tries to apply the
/// message.
pub(super) async fn chains(core: &Arc<Core>, messages: Vec<InboundRow>) -> Vec<MessageChain> {
    let (mut chains, mut readings) = (Chains::default(), BTreeMap::new());
    let read = messages.into_iter().map(|message| async move {
        let message = Arc::new(message);
        let understood = understand(core, &message).await.ok();
        (message, understood)
    });
    let mut read = stream::iter(read).buffered(READ_ABREAST);
    while let Some((message, understood)) = read.next().await {
        let requests = understood.as_ref().map_or(&[][..], |understood| &understood.requests);
        chains.add(Arc::clone(&message), requests);
        readings.extend(understood.map(|understood| (message.id, understood)));
    }
    drop(read);
    let mut with_reading = |message: Arc<InboundRow>| {
        let understood = readings.remove(&message.id);
        ReadMessage { message, understood }
    };
    let mut all = Vec::new();
    for chain in chains.done() {
        all.push(together(chain.into_iter().map(&mut with_reading)));
    }
    all
}

/// Splits a chain into the groups of messages that are applied in one go: each sender has one message in a group.
/// What a person says depends on what they were asked when their earlier message was applied.
fn together(chain: impl Iterator<Item = ReadMessage>) -> MessageChain {
    let (mut groups, mut senders) = (vec![Vec::new()], BTreeSet::new());
    for read in chain {
        if !senders.insert(read.message.sender) {
            senders = BTreeSet::from([read.message.sender]);
            groups.push(Vec::new());
        }
        if let Some(group) = groups.last_mut() {
            group.push(read);
        }
    }
    MessageChain { groups }
}

/// Messages that are applied one after another.
pub(super) struct MessageChain {
    /// Messages of different senders, group by group. The messages of a group share commits: each is queued without waiting for the
    /// one before it.
    pub(super) groups: Vec<Vec<ReadMessage>>,
}

/// A message, and how it was understood when it was read; `None` if it could not be interpreted. Applying an earlier message may
/// change what its sender was asked. It is then interpreted once more.
pub(super) struct ReadMessage {
    pub(super) message: Arc<InboundRow>,
    pub(super) understood: Option<Interpretation>,
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
