//! Lists ledger events: of one run, or of all streams of a tenant.

use super::engine::Engine;
use super::runs::{Page, find_run, page_length};
use crate::base::{CorrelationId, EventId, MessageId, Problem, RunId, StreamId, Timestamp};
use crate::boxed;
use crate::store::{EventPosition, EventQuery, LedgerRow, Tx};
use crate::transaction;

/// A filter for a tenant's event log. Selects the events that meet all conditions that are not `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Only events that were committed after the event with this id.
    pub after: Option<EventId>,
    /// Only events in the stream of this run or request, and those of other streams that are about this run.
    pub about: Option<StreamId>,
    /// Only events of this correlation. Then `about` selects nothing.
    pub correlation: Option<CorrelationId>,
    /// Only events at this time or later.
    pub since: Option<Timestamp>,
    /// Maximum number of events; 0 means the default page size.
    pub limit: usize,
}

impl Engine {
    /// Lists a tenant's events of all streams, sorted by the time of their commit.
    ///
    /// # Errors
    /// `invalid_cursor` if the tenant's log has no event with the id `filter.after`.
    #[boxed]
    pub async fn event_log(
        &self,
        tenant: &str,
        filter: EventFilter,
    ) -> Result<Page<LedgerRow>, Problem> {
        let limit = page_length(filter.limit);
        let task = transaction!([tenant = tenant.to_owned()], |tx| {
            let most = i64::try_from(limit + 1).unwrap_or(1);
            let query = EventQuery {
                about: filter.about,
                correlation: filter.correlation,
                since: filter.since,
            };
            let after = match filter.after {
                Some(id) => find_position(tx, &tenant, id).await?,
                None => EventPosition::beginning(),
            };
            Ok(tx.events_after(&tenant, after, query, most).await?)
        });
        let events = self.core.store.read(task).await?;
        Ok(Page::cut(events, limit, |event| event.id.to_string()))
    }

    /// Returns what a message of the tenant, inbound or outbound, belongs to: a correlation that lists the events of
    /// the same story. A message that is not known begins one that has no events.
    #[boxed]
    pub async fn correlation_of(
        &self,
        tenant: &str,
        message: MessageId,
    ) -> Result<CorrelationId, Problem> {
        let task = transaction!([tenant = tenant.to_owned()], |tx| {
            Ok(tx.correlation_of(&tenant, message).await?.unwrap_or(message.into()))
        });
        self.core.store.read_one(task).await
    }

    /// Lists the events of a run's own stream, oldest first. Leaves out the events
    /// up to the sequence number `after`; 0 leaves out none.
    ///
    /// # Errors
    /// `unknown_run`.
    #[boxed]
    pub async fn events(
        &self,
        tenant: &str,
        run: RunId,
        after: i64,
        limit: usize,
    ) -> Result<Page<LedgerRow>, Problem> {
        let limit = page_length(limit);
        let task = transaction!([tenant = tenant.to_owned()], |tx| {
            find_run(tx, &tenant, run).await?;
            let most = i64::try_from(limit + 1).unwrap_or(1);
            Ok(tx.stream_events(run.into(), after, most).await?)
        });
        let events = self.core.store.read(task).await?;
        Ok(Page::cut(events, limit, |event| event.seq.to_string()))
    }

    /// Lists a tenant's events of all streams, newest first.
    /// If the id of an event is given, lists only events that are older than this event.
    #[boxed]
    pub async fn tenant_events(
        &self,
        tenant: &str,
        before: Option<EventId>,
        limit: usize,
    ) -> Result<Page<LedgerRow>, Problem> {
        let limit = page_length(limit);
        let task = transaction!([tenant = tenant.to_owned()], |tx| {
            let most = i64::try_from(limit + 1).unwrap_or(1);
            Ok(tx.tenant_events(&tenant, before, most).await?)
        });
        let events = self.core.store.read_one(task).await?;
        Ok(Page::cut(events, limit, |event| event.id.to_string()))
    }
}

/// Returns the position of an event among all events of the tenant.
///
/// # Errors
/// `invalid_cursor` if the log has no such event.
async fn find_position(tx: &mut Tx, tenant: &str, id: EventId) -> Result<EventPosition, Problem> {
    tx.event_place(tenant, id).await?.ok_or_else(|| {
        Problem::caller("invalid_cursor", format!("the log has no event {id}"))
            .with_hint("omit `after` to read the log from its beginning")
    })
}
