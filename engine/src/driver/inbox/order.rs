//! Determines which messages must be applied one after another: those of one sender, and those that
//! concern one request.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::core::Core;
use super::reading::{Understood, understand};
use crate::base::RequestId;
use crate::store::InboundRow;

/// Groups messages into lines, each in the order in which they were received: messages that may affect
/// each other are in one line. A message that cannot be interpreted is tied by its sender only; applying
/// it reports the error.
pub(super) async fn lines(core: &Arc<Core>, messages: Vec<InboundRow>) -> Vec<Line> {
    let (mut lines, mut readings) = (Lines::default(), BTreeMap::new());
    for message in messages {
        let message = Arc::new(message);
        let understood = understand(core, &message).await.ok();
        let requests = understood.as_ref().map_or(&[][..], |understood| &understood.requests);
        lines.add(Arc::clone(&message), requests);
        readings.extend(understood.map(|understood| (message.id, understood)));
    }
    let line = |messages: Vec<Arc<InboundRow>>| {
        let first = messages.first().and_then(|first| readings.remove(&first.id));
        Line { messages, first }
    };
    lines.done().into_iter().map(line).collect()
}

/// Messages that are applied one after another.
pub(super) struct Line {
    pub(super) messages: Vec<Arc<InboundRow>>,
    /// The interpretation of the first message. The others are interpreted later, because applying one
    /// message may change what the next one answers.
    pub(super) first: Option<Understood>,
}

/// What two messages of one line have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Tie {
    Sender(crate::store::ContactId),
    Request(RequestId),
}

#[derive(Default)]
struct Lines {
    lines: Vec<Vec<Arc<InboundRow>>>,
    /// The index of the line of each sender and each request.
    by_tie: BTreeMap<Tie, usize>,
}

impl Lines {
    fn add(&mut self, message: Arc<InboundRow>, requests: &[RequestId]) {
        let sender = Tie::Sender(message.sender);
        let ties: Vec<Tie> =
            std::iter::once(sender).chain(requests.iter().copied().map(Tie::Request)).collect();
        let mut tied: Vec<usize> =
            ties.iter().filter_map(|tie| self.by_tie.get(tie).copied()).collect();
        tied.sort_unstable();
        tied.dedup();
        let line = match tied.split_first() {
            Some((first, others)) => self.join(*first, others),
            None => {
                self.lines.push(Vec::new());
                self.lines.len() - 1
            }
        };
        self.lines[line].push(message);
        self.by_tie.extend(ties.into_iter().map(|tie| (tie, line)));
    }

    /// Merges several lines into one.
    fn join(&mut self, first: usize, others: &[usize]) -> usize {
        for other in others {
            let moved = std::mem::take(&mut self.lines[*other]);
            self.lines[first].extend(moved);
        }
        let place = |m: &Arc<InboundRow>| (m.received_at, m.provider_id.clone());
        self.lines[first].sort_by_key(place);
        self.by_tie
            .values_mut()
            .filter(|line| others.contains(line))
            .for_each(|line| *line = first);
        first
    }

    fn done(self) -> Vec<Vec<Arc<InboundRow>>> {
        self.lines.into_iter().filter(|line| !line.is_empty()).collect()
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
        })
    }

    /// Groups messages with these senders and request numbers into lines. Returns the numbers of the
    /// messages in each line.
    fn lines(messages: &[(&str, &[u128])]) -> Vec<Vec<i64>> {
        let mut lines = Lines::default();
        for (nth, (sender, requests)) in (1..).zip(messages) {
            let requests: Vec<RequestId> =
                requests.iter().map(|n| RequestId::from_uuid(uuid::Uuid::from_u128(*n))).collect();
            lines.add(message(nth, sender), &requests);
        }
        let numbers = |line: Vec<Arc<InboundRow>>| -> Vec<i64> {
            line.iter().map(|m| m.received_at.micros()).collect()
        };
        lines.done().into_iter().map(numbers).collect()
    }

    #[test]
    fn one_sender_or_one_request_makes_one_line() {
        assert_eq!(lines(&[("a", &[]), ("b", &[]), ("a", &[])]), [vec![1, 3], vec![2]]);
        assert_eq!(lines(&[("a", &[1]), ("b", &[2]), ("c", &[1])]), [vec![1, 3], vec![2]]);
        assert_eq!(lines(&[("a", &[1]), ("b", &[2]), ("c", &[1, 2])]), [vec![1, 2, 3]]);
        assert_eq!(
            lines(&[("a", &[1]), ("b", &[2]), ("b", &[1]), ("c", &[2]), ("d", &[])]),
            [vec![1, 2, 3, 4], vec![5]]
        );
    }
}
