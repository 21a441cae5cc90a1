//! Lists outbound and inbound messages in the form that the API shows.

use serde::Serialize;
use utoipa::ToSchema;

use super::engine::Engine;
use super::runs::{Page, page_length};
use crate::base::{CorrelationId, MessageId, Problem, RequestId, RunId, Timestamp};
use crate::boxed;
use crate::store::{InboundRow, MessageQuery, MessageState, OutboundRow};
use crate::transaction;

crate::words! {
    /// The direction of a message.
    pub enum Direction {
        /// From a person to the tenant.
        Inbound = "inbound",
        /// From the tenant to a person.
        Outbound = "outbound",
    }
}

/// A filter for a list of messages. Selects the messages that meet all conditions that are not `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageFilter {
    /// Only outbound messages to this phone number.
    pub to: Option<String>,
    /// Only inbound messages from this phone number.
    pub from: Option<String>,
    /// Only messages of this request.
    pub request: Option<RequestId>,
    /// Only messages of this run.
    pub run: Option<RunId>,
    /// Only messages in this direction.
    pub direction: Option<Direction>,
    /// Only messages older than the message with this id.
    pub before: Option<MessageId>,
    /// Maximum number of messages; 0 means the default page size.
    pub limit: usize,
}

/// A text message. Members without a value are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct MessageView {
    /// Id of the message.
    pub id: MessageId,
    /// Direction: `outbound` or `inbound`.
    pub direction: Direction,
    /// Phone number of the recipient.
    pub to: String,
    /// Phone number of the sender.
    pub from: String,
    /// Text of the message.
    pub body: String,
    /// Name of the template of an outbound message; for an inbound message, how it was handled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Key that prevents the same outbound message from being sent twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// State: `queued`, `sending`, `sent`, `delivered`, `undelivered`, `failed`,
    /// `unknown`, `cancelled`, `suppressed` or `shadowed`; for an inbound message `stored` or `applied`.
    pub state: MessageState,
    /// Number of times the message was handed to the gateway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<i64>,
    /// Number of segments that the carrier bills.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<i64>,
    /// Reason why the message was not sent or not delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Id of the request that the message belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    /// What set the message going, or the story that an inbound message belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<CorrelationId>,
    /// Id of the run that decided to send the message, or that an inbound message concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// Time at which the message was queued, or received by the gateway (RFC 3339).
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time at which an outbound message was sent (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub sent_at: Option<String>,
}

impl Engine {
    /// Lists a tenant's messages, newest first.
    #[boxed]
    pub async fn messages(
        &self,
        tenant: &str,
        filter: &MessageFilter,
    ) -> Result<Page<MessageView>, Problem> {
        let limit = page_length(filter.limit);
        let most = i64::try_from(limit + 1).unwrap_or(1);
        let task = transaction!(
            [tenant = tenant.to_owned(), filter = filter.clone(), ours = self.core.sms_from()],
            |tx| {
                let query = MessageQuery {
                    to: filter.to.clone(),
                    from: filter.from.clone(),
                    request: filter.request,
                    run: filter.run,
                    before: filter.before,
                };
                let mut views = Vec::new();
                if filter.direction != Some(Direction::Inbound) && filter.from.is_none() {
                    let sent = tx.outbound_page(&tenant, &query, most).await?;
                    views.extend(sent.into_iter().map(|row| outbound(row, &ours)));
                }
                if filter.direction != Some(Direction::Outbound) && filter.to.is_none() {
                    let received = tx.inbound_page(&tenant, &query, most).await?;
                    views.extend(received.into_iter().map(inbound));
                }
                views.sort_by_key(|view| std::cmp::Reverse(view.id));
                Ok(views)
            }
        );
        let views = self.core.store.read(task).await?;
        Ok(Page::cut(views, limit, |view| view.id.to_string()))
    }
}

fn outbound(row: OutboundRow, ours: &str) -> MessageView {
    MessageView {
        id: row.id,
        direction: Direction::Outbound,
        to: row.to,
        from: ours.to_owned(),
        body: row.body,
        kind: Some(row.kind),
        idempotency_key: Some(row.key),
        state: row.state,
        attempts: Some(row.attempt),
        segments: Some(row.segments),
        error: row.error,
        request_id: row.request,
        correlation_id: row.correlation,
        run_id: row.run,
        created_at: text(row.created_at),
        sent_at: row.sent_at.map(text),
    }
}

fn inbound(row: InboundRow) -> MessageView {
    MessageView {
        id: row.id,
        direction: Direction::Inbound,
        to: row.to,
        from: row.from,
        body: row.body,
        kind: row.handled_as,
        idempotency_key: None,
        state: match row.applied_at {
            Some(_) => MessageState::Applied,
            None => MessageState::Stored,
        },
        attempts: None,
        segments: None,
        error: None,
        request_id: row.partition.map(crate::base::TypedId::from_uuid),
        correlation_id: row.correlation,
        run_id: row.run,
        created_at: text(row.received_at),
        sent_at: None,
    }
}

fn text(at: Timestamp) -> String {
    at.to_string()
}
