//! Reads the context of runs and requests: a tenant's settings, its event log, and the graph that a run is
//! pinned to.

use std::sync::Arc;

use super::Engine;
use super::runs::{Page, page_length};
use crate::base::{EventId, Problem, RunId, StreamId, Timestamp};
use crate::method::Graph;
use crate::policy::Settings;
use crate::store::{EventPosition, EventQuery, LedgerRow, Tx, tx_closure};

/// A filter for a tenant's event log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Only events after this one.
    pub after: Option<EventId>,
    /// Only events of this run or request.
    pub about: Option<StreamId>,
    /// Only events at this time or later.
    pub since: Option<Timestamp>,
    /// Maximum number of events; 0 means the default page size.
    pub limit: usize,
}

impl Engine {
    /// Lists a tenant's events of all streams, in the order in which they were committed.
    ///
    /// # Errors
    /// `invalid_cursor` if the tenant's log has no event `after`.
    pub async fn event_log(
        &self,
        tenant: &str,
        filter: EventFilter,
    ) -> Result<Page<LedgerRow>, Problem> {
        let (tenant, limit) = (tenant.to_owned(), page_length(filter.limit));
        let task = tx_closure(move |tx| {
            let tenant = tenant.clone();
            Box::pin(async move {
                let most = i64::try_from(limit + 1).unwrap_or(1);
                let query = EventQuery { about: filter.about, since: filter.since };
                let after = match filter.after {
                    Some(id) => place(tx, &tenant, id).await?,
                    None => EventPosition::beginning(),
                };
                Ok(tx.events_after(&tenant, after, query, most).await?)
            })
        });
        let events = self.core.store.read(task).await?;
        Ok(Page::cut(events, limit, |event| event.id.to_string()))
    }

    /// Returns a tenant's settings: those of the process, overridden by the tenant's own.
    pub async fn settings(&self, tenant: &str) -> Result<Arc<Settings>, Problem> {
        let (core, tenant) = (self.core.clone(), tenant.to_owned());
        let task = tx_closure(move |tx| {
            let (core, tenant) = (core.clone(), tenant.clone());
            Box::pin(async move { core.settings(tx, &tenant).await })
        });
        self.core.store.read(task).await
    }

    /// Returns the graph that a run executes: the stored, compiled form of the texts that it is pinned to.
    ///
    /// # Errors
    /// `unknown_run`.
    pub async fn graph(&self, tenant: &str, run: RunId) -> Result<Graph, Problem> {
        let (core, tenant) = (self.core.clone(), tenant.to_owned());
        let task = tx_closure(move |tx| {
            let (core, tenant) = (core.clone(), tenant.clone());
            Box::pin(async move {
                let row = super::runs::row(tx, &tenant, run).await?;
                Ok(core.bundle(tx, row.bundle).await?.graph.clone())
            })
        });
        self.core.store.read(task).await
    }
}

async fn place(tx: &mut Tx, tenant: &str, id: EventId) -> Result<EventPosition, Problem> {
    tx.event_place(tenant, id).await?.ok_or_else(|| {
        Problem::caller("invalid_cursor", format!("the log has no event {id}"))
            .with_hint("omit `after` to read the log from its beginning")
    })
}
