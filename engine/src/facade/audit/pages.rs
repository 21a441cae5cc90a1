//! Checks the streams, a page of events in each transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use uuid::Uuid;

use super::state::{AuditState, Phase};
use super::stream::{StreamCheck, check_at_once};
use crate::base::{EventId, Problem, Span, StreamId, Timestamp, TypedId as _};
use crate::driver::Core;
use crate::store::{ChainBase, LedgerRow, StreamHead, StreamPosition, Tx};
use crate::transaction;

/// Number of events of one page.
const EVENTS_PER_PAGE: i64 = 2_000;
/// Number of changed streams that are checked in one transaction.
const STREAMS_PER_PAGE: usize = 50;
/// How much later an event may be committed than its id says: by far longer than a transaction may last, and than clocks
/// of processes may differ.
const OVERLAP: Span = Span::from_secs(900);

/// The streams that an audit checks, and the stream of which only the first events have been read.
#[derive(Default)]
pub(super) struct Streams {
    open: Option<StreamCheck>,
    changed: Option<Arc<BTreeSet<StreamId>>>,
}

/// What one page has shown.
struct Page {
    whole: Vec<StreamCheck>,
    open: Option<StreamCheck>,
    is_last: bool,
}

impl Streams {
    /// Whether the audit may stop here, so that it goes on with the next stream later.
    pub(super) fn is_between(&self) -> bool {
        self.open.is_none()
    }

    /// Checks the next page of all streams.
    pub(super) async fn next(
        &mut self,
        core: &Arc<Core>,
        state: &mut AuditState,
        after: Option<StreamId>,
    ) -> Result<(), Problem> {
        if let Some(since) = state.since {
            return self.next_changed(core, state, after, Timestamp::from_micros(since)).await;
        }
        let open = Arc::new(std::sync::Mutex::new(self.open.take()));
        let Page { whole, open, is_last } = read_page(core, open, after).await?;
        self.open = open;
        for check in whole {
            state.phase = Phase::Streams(Some(check.stream()));
            state.add_stream(verified(core, check).await?);
        }
        if is_last {
            state.phase = Phase::Archives(None);
        }
        Ok(())
    }

    /// Returns the streams that have changed since an instant.
    pub(super) async fn changed(
        &mut self,
        core: &Arc<Core>,
        since: Timestamp,
    ) -> Result<Arc<BTreeSet<StreamId>>, Problem> {
        if let Some(changed) = &self.changed {
            return Ok(Arc::clone(changed));
        }
        let mut changed = BTreeSet::new();
        let read = transaction!(|tx| Ok(tx.tenants().await?));
        for tenant in core.store.read(read).await? {
            let millis = u128::try_from((since - OVERLAP).micros() / 1000).unwrap_or(0);
            let mut after = EventId::from_uuid(Uuid::from_u128(millis << 80));
            loop {
                let read = transaction!([tenant = tenant.clone()], |tx| {
                    Ok(tx.changed_streams(&tenant, after, EVENTS_PER_PAGE).await?)
                });
                let found = core.store.read(read).await?;
                let Some(last) = found.last() else { break };
                after = last.event;
                changed.extend(found.iter().map(|found| found.stream));
            }
        }
        let changed = Arc::new(changed);
        self.changed = Some(Arc::clone(&changed));
        Ok(changed)
    }

    async fn next_changed(
        &mut self,
        core: &Arc<Core>,
        state: &mut AuditState,
        after: Option<StreamId>,
        since: Timestamp,
    ) -> Result<(), Problem> {
        let changed = self.changed(core, since).await?;
        let follow = changed.iter().filter(|stream| after.is_none_or(|after| **stream > after));
        let page: Vec<StreamId> = follow.take(STREAMS_PER_PAGE).copied().collect();
        let Some(last) = page.last().copied() else {
            state.phase = Phase::Archives(None);
            return Ok(());
        };
        for stream in page {
            state.add_stream(at_once(core, stream).await?);
        }
        state.phase = Phase::Streams(Some(last));
        Ok(())
    }
}

/// A stream that is handed to a transaction and taken back from it.
type Handed = Arc<std::sync::Mutex<Option<StreamCheck>>>;

async fn read_page(
    core: &Arc<Core>,
    open: Handed,
    after: Option<StreamId>,
) -> Result<Page, Problem> {
    // A read that is repeated after a conflict begins the open stream again, because its first attempt has changed it.
    let task = transaction!([core = Arc::clone(core), open], |tx| {
        let open = open.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let from = match (&open, after) {
            (Some(open), _) => StreamPosition { stream: open.stream(), seq: open.seq() },
            (None, Some(after)) => StreamPosition { stream: after, seq: i64::MAX },
            (None, None) => StreamPosition { stream: StreamId::from_uuid(Uuid::nil()), seq: 0 },
        };
        let events = tx.events_by_stream(from, EVENTS_PER_PAGE).await?;
        let is_last = (events.len() as i64) < EVENTS_PER_PAGE;
        check_page(tx, &core, PageOfEvents { events, open, is_last }).await
    });
    core.store.read(task).await
}

struct PageOfEvents {
    events: Vec<LedgerRow>,
    open: Option<StreamCheck>,
    is_last: bool,
}

async fn check_page(tx: &mut Tx, core: &Core, page: PageOfEvents) -> Result<Page, Problem> {
    let PageOfEvents { events, mut open, is_last } = page;
    let streams: Vec<StreamId> = {
        let mut all: Vec<StreamId> = events.iter().map(|event| event.stream).collect();
        all.extend(open.as_ref().map(StreamCheck::stream));
        all.sort_unstable();
        all.dedup();
        all
    };
    let bases: BTreeMap<StreamId, ChainBase> =
        tx.chain_bases(&streams).await?.into_iter().map(|base| (base.stream, base)).collect();
    let heads: BTreeMap<StreamId, StreamHead> =
        tx.stream_heads(&streams).await?.into_iter().map(|head| (head.stream, head)).collect();
    let mut whole = Vec::new();
    for event in &events {
        if open.as_ref().is_none_or(|open| open.stream() != event.stream) {
            whole.extend(open.take());
            let base = bases.get(&event.stream).copied();
            open = Some(StreamCheck::new(event.stream, base, &*core.domain));
        }
        if let Some(open) = &mut open {
            open.add(event);
        }
    }
    if is_last {
        whole.extend(open.take());
    }
    for check in &mut whole {
        let head = heads.get(&check.stream());
        check.compare(tx, head).await?;
    }
    Ok(Page { whole, open, is_last })
}

/// Checks a stream again, in one transaction, if it seems to break a rule: rows may have changed between two pages.
async fn verified(core: &Arc<Core>, check: StreamCheck) -> Result<StreamCheck, Problem> {
    if check.breaches.is_empty() { Ok(check) } else { at_once(core, check.stream()).await }
}

async fn at_once(core: &Arc<Core>, stream: StreamId) -> Result<StreamCheck, Problem> {
    let task = transaction!([core = Arc::clone(core)], |tx| {
        check_at_once(tx, &*core.domain, stream).await
    });
    core.store.read(task).await
}
