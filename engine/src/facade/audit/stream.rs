//! Checks one stream: its chain, and that the tables agree with its events.

use crate::base::{Digest, Problem, StreamId, TypedId as _};
use crate::domain::{Breach, Domain, Fold};
use crate::ledger::{EventKind, Life};
use crate::run::RunOutcome;
use crate::store::{ChainBase, LedgerRow, StreamHead, Tx};

use super::chain::{CHAIN_BROKEN, ChainCheck, breach};
use super::records::Records;

/// Number of events that one query reads.
pub(super) const EVENTS_PER_READ: i64 = 1_000;

/// The state that follows from the events of a stream so far, and the rules that they break.
pub(super) struct StreamCheck {
    chain: ChainCheck,
    life: Life,
    fold: Box<dyn Fold>,
    /// Whether the first events have been archived. Then the state does not follow from the other events.
    has_base: bool,
    pub(super) breaches: Vec<Breach>,
    pub(super) events: u64,
    pub(super) receipts: u64,
}

impl StreamCheck {
    pub(super) fn new(stream: StreamId, base: Option<ChainBase>, domain: &dyn Domain) -> Self {
        Self {
            chain: ChainCheck::new(stream, base),
            life: Life::default(),
            fold: domain.fold(),
            has_base: base.is_some(),
            breaches: Vec::new(),
            events: 0,
            receipts: 0,
        }
    }

    pub(super) fn stream(&self) -> StreamId {
        self.chain.stream
    }

    /// Returns the position of the last event.
    pub(super) fn seq(&self) -> i64 {
        self.chain.seq
    }

    /// Returns the hash of the last event.
    pub(super) fn last(&self) -> Digest {
        self.chain.last
    }

    pub(super) fn add(&mut self, event: &LedgerRow) {
        self.events += 1;
        self.receipts += u64::from(event.kind == EventKind::Receipt);
        self.breaches.extend(self.chain.add(event));
        self.life = std::mem::take(&mut self.life).after(&event.kind, &event.body);
        self.fold.add(event);
    }

    /// Takes back the breaches of events that were redacted, and that are as their records say.
    async fn acquit_redacted(&mut self, tx: &mut Tx) -> Result<(), Problem> {
        let suspects = std::mem::take(&mut self.chain.suspects);
        let Some(first) = suspects.first() else { return Ok(()) };
        let records = Records::load(tx, &first.tenant).await?;
        for suspect in suspects.iter().filter(|suspect| records.explain(&suspect.event)) {
            self.breaches.retain(|it| it.rule != CHAIN_BROKEN || it.detail != suspect.detail);
        }
        Ok(())
    }

    /// Checks that the last hash that the database records for the stream is the hash of its last event, and that the
    /// rows of the run or request agree with the state that follows from the events.
    pub(super) async fn compare(
        &mut self,
        tx: &mut Tx,
        head: Option<&StreamHead>,
    ) -> Result<(), Problem> {
        let stream = self.chain.stream;
        if head.is_some_and(|head| head.last_hash != self.chain.last) {
            let detail = format!("{stream}: the head has another last hash");
            self.breaches.push(breach("chain_end", detail));
        }
        if self.has_base {
            return Ok(());
        }
        let Some(status) = head.and_then(|head| head.status) else {
            self.breaches.extend(self.fold.compare(tx, stream).await?);
            return Ok(());
        };
        let outcome = head.and_then(|head| head.outcome).map(RunOutcome::as_str);
        if !self.life.is(status.as_str(), outcome) {
            let (id, life) = (crate::base::RunId::from_uuid(stream.uuid()), &self.life);
            let status = status.as_str();
            let detail = format!("{id}: it is `{status}`, but its events say {life:?}");
            self.breaches.push(breach("ledger_differs", detail));
        }
        Ok(())
    }
}

/// Checks a whole stream in the transaction `tx`.
pub(super) async fn check_at_once(
    tx: &mut Tx,
    domain: &dyn Domain,
    stream: StreamId,
) -> Result<StreamCheck, Problem> {
    let base = tx.chain_bases(&[stream]).await?.first().copied();
    let mut check = StreamCheck::new(stream, base, domain);
    loop {
        let events = tx.stream_events(stream, check.seq(), EVENTS_PER_READ).await?;
        let Some(last) = events.last().map(|event| event.seq) else { break };
        if last <= check.seq() {
            break;
        }
        events.iter().for_each(|event| check.add(event));
    }
    check.acquit_redacted(tx).await?;
    let heads = tx.stream_heads(&[stream]).await?;
    check.compare(tx, heads.first()).await?;
    Ok(check)
}
