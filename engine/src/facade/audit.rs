//! Audits the database. Checks that hash chains are unbroken, that each call has at most one receipt,
//! and that something will wake every live run. Also checks that the tables agree with the events,
//! and that the domain's own rules hold.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::engine::Engine;
use super::redactions::Redactions;
use crate::base::{CallId, Digest, Problem, StreamId, TypedId};
use crate::boxed;
use crate::domain::{Breach, Fold};
use crate::ledger::{EventKind, Life};
use crate::run::RunOutcome;
use crate::store::{LedgerRow, Tx};
use crate::transaction;

/// The result of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AuditReport {
    /// Violated rules, each with the rows that violate it.
    pub breaches: Vec<Breach>,
    /// Number of events that were checked.
    pub events: u64,
    /// Number of streams whose hash chain was checked.
    pub streams: u64,
    /// Number of receipts among the events.
    pub receipts: u64,
}

impl AuditReport {
    /// Whether the audit found no breach.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.breaches.is_empty()
    }
}

/// Number of streams that one query lists. Each query is a transaction of its own,
/// and a small number keeps these transactions short.
const STREAMS_PER_READ: i64 = 100;
/// Number of events that one query reads.
const EVENTS_PER_READ: i64 = 1_000;

impl Engine {
    /// Checks all rules of the database. Call this function only while nothing writes to the database:
    /// the audit uses several transactions, between which the data must not change.
    #[boxed]
    pub async fn audit(&self) -> Result<AuditReport, Problem> {
        let mut report = AuditReport { breaches: Vec::new(), events: 0, streams: 0, receipts: 0 };
        let redactions = Redactions::load(&self.core.store).await?;
        let mut after: Option<StreamId> = None;
        loop {
            let task = transaction!(|tx| Ok(tx.streams(after, STREAMS_PER_READ).await?));
            let streams = self.core.store.read(task).await?;
            let Some(last) = streams.last().copied() else { break };
            for stream in streams {
                self.audit_stream(stream, &redactions, &mut report).await?;
            }
            after = Some(last);
        }
        let task = transaction!([core = Arc::clone(&self.core)], |tx| {
            let mut breaches = check_tables(tx).await?;
            breaches.extend(core.domain.audit(tx).await?);
            let broken = core.verbs.audit(tx).await?.into_iter();
            breaches.extend(broken.map(|row| breach(row.rule, row.id)));
            Ok(breaches)
        });
        report.breaches.extend(self.core.store.read(task).await?);
        Ok(report)
    }

    /// Checks the hash chain of one stream, and compares the tables with the stream's events.
    /// Adds the results to the report.
    async fn audit_stream(
        &self,
        stream: StreamId,
        redactions: &Redactions,
        report: &mut AuditReport,
    ) -> Result<(), Problem> {
        report.streams += 1;
        let mut chain = ChainCheck { stream, last: Digest::ZERO, seq: 0, calls: BTreeSet::new() };
        let (mut life, mut fold) = (Life::default(), self.core.domain.fold());
        loop {
            let after = chain.seq;
            let task =
                transaction!(|tx| Ok(tx.stream_events(stream, after, EVENTS_PER_READ).await?));
            let events = self.core.store.read(task).await?;
            if events.is_empty() {
                break;
            }
            for event in &events {
                report.events += 1;
                report.receipts += u64::from(event.kind == EventKind::Receipt);
                report.breaches.extend(chain.add(event, redactions));
                life = life.after(&event.kind, &event.body);
                fold.add(event);
            }
        }
        let folded = Arc::new(FoldedStream { stream, last: chain.last, life, fold });
        let task = transaction!([folded], |tx| folded.compare(tx).await);
        report.breaches.extend(self.core.store.read(task).await?);
        Ok(())
    }
}

/// The state that follows from the events of a stream.
struct FoldedStream {
    stream: StreamId,
    last: Digest,
    life: Life,
    fold: Box<dyn Fold>,
}

impl FoldedStream {
    /// Checks that the last hash that the database records for the stream is the hash of its last event,
    /// and that the rows of the run or request agree with the state that follows from the events.
    /// Returns what does not agree.
    async fn compare(&self, tx: &mut Tx) -> Result<Vec<Breach>, Problem> {
        let (mut found, stream) = (Vec::new(), self.stream);
        if tx.chain_end(stream).await?.is_some_and(|head| head != self.last) {
            found.push(breach("chain_end", format!("{stream}: the head has another last hash")));
        }
        let Some(run) = tx.run(TypedId::from_uuid(stream.uuid())).await? else {
            found.extend(self.fold.compare(tx, stream).await?);
            return Ok(found);
        };
        let (status, outcome) = (run.status.as_str(), run.outcome.map(RunOutcome::as_str));
        if !self.life.is(status, outcome) {
            let (id, life) = (run.id, &self.life);
            let detail = format!("{id}: it is `{status}`, but its events say {life:?}");
            found.push(breach("ledger_differs", detail));
        }
        Ok(found)
    }
}

/// The progress of checking a stream's hash chain: the last event that was checked,
/// and the calls of all receipts so far.
struct ChainCheck {
    stream: StreamId,
    last: Digest,
    seq: i64,
    calls: BTreeSet<CallId>,
}

impl ChainCheck {
    /// Checks that the next event continues the chain, or that it was redacted and is as its record says.
    /// If the event is a receipt, also checks that its call has no earlier receipt.
    /// Returns the rules that the event breaks.
    fn add(&mut self, event: &LedgerRow, redactions: &Redactions) -> Vec<Breach> {
        let mut found = Vec::new();
        let place = format!("{} event {}", self.stream, event.seq);
        if event.seq != self.seq + 1 {
            found.push(breach("chain_gap", format!("{place} follows {}", self.seq)));
        }
        let is_as_written = Digest::chain(self.last, event.canonical().as_bytes()) == event.hash;
        if !is_as_written && !redactions.explain(event) {
            found.push(breach("chain_broken", place.clone()));
        }
        if event.kind == EventKind::Receipt
            && event.call.is_none_or(|call| !self.calls.insert(call))
        {
            found.push(breach("receipt_twice", place));
        }
        self.last = event.hash;
        self.seq = event.seq;
        found
    }
}

fn breach(rule: &str, detail: String) -> Breach {
    Breach { rule: rule.to_owned(), detail }
}

/// Checks the rules about heads, turns, waits, messages and schedules.
/// Each rule is a query that returns the rows that violate the rule.
async fn check_tables(tx: &mut Tx) -> Result<Vec<Breach>, Problem> {
    let mut breaches = Vec::new();
    for (rule, found) in tx.broken_heads().await? {
        breaches.push(breach(rule, found));
    }
    for (rule, found) in tx.broken_schedules().await? {
        breaches.push(breach(rule, found.to_string()));
    }
    Ok(breaches)
}
