//! Messages, outbound and inbound, as the API shows them.

use serde::Serialize;

use super::Engine;
use super::runs::{Page, page_length};
use crate::base::{MessageId, Problem, RequestId, RunId, Timestamp};
use crate::store::{InboundRow, MessageQuery, SentRow, work};

/// Which messages to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageFilter {
    /// Only to this number.
    pub to: Option<String>,
    /// Only from this number.
    pub from: Option<String>,
    /// Only of this request.
    pub request: Option<RequestId>,
    /// Only of this run.
    pub run: Option<RunId>,
    /// Only `outbound` or only `inbound`.
    pub direction: Option<String>,
    /// Only those older than this one (newest come first).
    pub before: Option<MessageId>,
    /// At most so many; 0 means the default page.
    pub limit: usize,
}

/// A message. Absent members are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageView {
    /// Its id.
    pub id: MessageId,
    /// `outbound` or `inbound`.
    pub direction: &'static str,
    /// The number it goes to.
    pub to: String,
    /// The number it comes from.
    pub from: String,
    /// The text.
    pub body: String,
    /// The template's name; of an inbound message how it was dealt with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What makes a second one of its kind impossible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// `queued sending sent delivered undelivered failed unknown cancelled suppressed shadowed`,
    /// of an inbound message `stored` or `applied`.
    pub state: String,
    /// How often it was handed to the gateway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<i64>,
    /// What it costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<i64>,
    /// Why it was not sent or did not arrive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The request it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    /// The run that decided it, or that it concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// When it was decided or stored.
    pub created_at: String,
    /// When it was sent, or received by the gateway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<String>,
}

impl Engine {
    /// A tenant's messages, newest first.
    pub async fn messages(
        &self,
        tenant: &str,
        filter: &MessageFilter,
    ) -> Result<Page<MessageView>, Problem> {
        let limit = page_length(filter.limit);
        let most = i64::try_from(limit + 1).unwrap_or(1);
        let (tenant, filter) = (tenant.to_owned(), filter.clone());
        let ours = self.core.sms_from();
        let task = work(move |tx| {
            let (tenant, filter, ours) = (tenant.clone(), filter.clone(), ours.clone());
            Box::pin(async move {
                let query = MessageQuery {
                    to: filter.to.clone(),
                    from: filter.from.clone(),
                    request: filter.request,
                    run: filter.run,
                    before: filter.before,
                };
                let mut views = Vec::new();
                if filter.direction.as_deref() != Some("inbound") && filter.from.is_none() {
                    let sent = tx.sent_page(&tenant, &query, most).await?;
                    views.extend(sent.into_iter().map(|row| outbound(row, &ours)));
                }
                if filter.direction.as_deref() != Some("outbound") && filter.to.is_none() {
                    let received = tx.inbound_page(&tenant, &query, most).await?;
                    views.extend(received.into_iter().map(inbound));
                }
                views.sort_by_key(|view| std::cmp::Reverse(view.id));
                Ok(views)
            })
        });
        let views = self.core.store.read(task).await?;
        Ok(Page::cut(views, limit, |view| view.id.to_string()))
    }
}

fn outbound(row: SentRow, ours: &str) -> MessageView {
    MessageView {
        id: row.id,
        direction: "outbound",
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
        run_id: row.run,
        created_at: text(row.created_at),
        sent_at: row.sent_at.map(text),
    }
}

fn inbound(row: InboundRow) -> MessageView {
    MessageView {
        id: row.id,
        direction: "inbound",
        to: row.to,
        from: row.from,
        body: row.body,
        kind: row.handled_as,
        idempotency_key: None,
        state: if row.applied_at.is_some() { "applied" } else { "stored" }.to_owned(),
        attempts: None,
        segments: None,
        error: None,
        request_id: row.partition.map(crate::base::TypedId::from_uuid),
        run_id: row.run,
        created_at: text(row.received_at),
        sent_at: None,
    }
}

fn text(at: Timestamp) -> String {
    at.to_string()
}
