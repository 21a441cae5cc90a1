//! The audit: chains whole, one receipt a call, every live run with something that will wake it,
//! what the events say in the tables, the domain's own rules.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::Engine;
use crate::base::{CallId, Digest, Problem, StreamId, TypedId};
use crate::domain::{Breach, Fold};
use crate::ledger::Life;
use crate::store::{LedgerRow, Tx, work};

/// What an audit found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditReport {
    /// Rules that do not hold.
    pub breaches: Vec<Breach>,
    /// Events whose link was checked.
    pub events: u64,
    /// Streams whose chain was checked.
    pub streams: u64,
    /// Receipts among the events.
    pub receipts: u64,
}

impl AuditReport {
    /// True without breaches.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.breaches.is_empty()
    }
}

/// Streams of one look, so that no snapshot is held for long.
const STREAMS_A_LOOK: i64 = 100;
/// Events of one look.
const EVENTS_A_LOOK: i64 = 1_000;

impl Engine {
    /// Checks everything that must hold whenever nobody is writing.
    pub async fn audit(&self) -> Result<AuditReport, Problem> {
        let mut report = AuditReport { breaches: Vec::new(), events: 0, streams: 0, receipts: 0 };
        let mut after: Option<StreamId> = None;
        loop {
            let task = work(move |tx| {
                Box::pin(async move { Ok(tx.streams(after, STREAMS_A_LOOK).await?) })
            });
            let streams = self.core.store.read(task).await?;
            let Some(last) = streams.last().copied() else { break };
            for stream in streams {
                self.audit_stream(stream, &mut report).await?;
            }
            after = Some(last);
        }
        let domain = self.core.domain.clone();
        let task = work(move |tx| {
            let domain = domain.clone();
            Box::pin(async move {
                let mut breaches = heads(tx).await?;
                breaches.extend(domain.audit(tx).await?);
                Ok(breaches)
            })
        });
        report.breaches.extend(self.core.store.read(task).await?);
        Ok(report)
    }

    async fn audit_stream(
        &self,
        stream: StreamId,
        report: &mut AuditReport,
    ) -> Result<(), Problem> {
        report.streams += 1;
        let mut chain = Chain { stream, last: Digest::ZERO, seq: 0, calls: BTreeSet::new() };
        let (mut life, mut fold) = (Life::default(), self.core.domain.fold());
        loop {
            let after = chain.seq;
            let task = work(move |tx| {
                Box::pin(async move { Ok(tx.stream_events(stream, after, EVENTS_A_LOOK).await?) })
            });
            let events = self.core.store.read(task).await?;
            if events.is_empty() {
                break;
            }
            for event in &events {
                report.events += 1;
                report.receipts += u64::from(event.kind == "receipt");
                report.breaches.extend(chain.check(event));
                life = life.after(&event.kind, &event.body);
                fold.add(event);
            }
        }
        let told = Arc::new(Told { stream, last: chain.last, life, fold });
        let task = work(move |tx| {
            let told = told.clone();
            Box::pin(async move { told.compare(tx).await })
        });
        report.breaches.extend(self.core.store.read(task).await?);
        Ok(())
    }
}

/// What the events of a stream came to.
struct Told {
    stream: StreamId,
    last: Digest,
    life: Life,
    fold: Box<dyn Fold>,
}

impl Told {
    /// Holds the stream's head, and the rows that its events tell of, against it.
    async fn compare(&self, tx: &mut Tx) -> Result<Vec<Breach>, Problem> {
        let (mut found, stream) = (Vec::new(), self.stream);
        if tx.chain_end(stream).await?.is_some_and(|head| head != self.last) {
            found.push(breach("chain_end", format!("{stream}: the head names another end")));
        }
        let Some(run) = tx.run(TypedId::from_uuid(stream.uuid())).await? else {
            found.extend(self.fold.compare(tx, stream).await?);
            return Ok(found);
        };
        if !self.life.is(&run.status, run.outcome.as_deref()) {
            let (id, status, life) = (run.id, &run.status, &self.life);
            let detail = format!("{id}: it is `{status}`, its events say {life:?}");
            found.push(breach("ledger_differs", detail));
        }
        Ok(found)
    }
}

struct Chain {
    stream: StreamId,
    last: Digest,
    seq: i64,
    calls: BTreeSet<CallId>,
}

impl Chain {
    fn check(&mut self, event: &LedgerRow) -> Vec<Breach> {
        let mut found = Vec::new();
        let place = format!("{} event {}", self.stream, event.seq);
        if event.seq != self.seq + 1 {
            found.push(breach("chain_gap", format!("{place} follows {}", self.seq)));
        }
        if Digest::chain(self.last, event.canonical().as_bytes()) != event.hash {
            found.push(breach("chain_broken", place.clone()));
        }
        if event.kind == "receipt" && event.call.is_none_or(|call| !self.calls.insert(call)) {
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

/// Rules over heads, turns, waits, messages and schedules, each a query that must find nothing.
async fn heads(tx: &mut Tx) -> Result<Vec<Breach>, Problem> {
    let mut breaches = Vec::new();
    for (rule, found) in tx.broken_heads().await? {
        breaches.push(breach(rule, found));
    }
    for (rule, found) in tx.broken_schedules().await? {
        breaches.push(breach(rule, found.to_string()));
    }
    Ok(breaches)
}
