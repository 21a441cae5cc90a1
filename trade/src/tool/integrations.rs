//! The integrations: an export for the programs of others, and events that are posted to them.

use abide_engine::adapter::{WEBHOOK, WebhookRequest};
use abide_engine::base::{Digest, Problem, Value};
use abide_engine::contract::host_of;
use abide_engine::store::Tx;
use abide_engine::verb::{
    CallContext, Effects, ExternalRequest, ExternalVerb, Prepared, VerbOutcome, WriteVerb,
};
use async_trait::async_trait;
use serde_json::json;

use super::input::{Input, known};
use crate::data::{self, ConfirmedEventQuery, StoredRow};
use crate::ical::{self, Event};
use crate::refusal;

/// Number of events in the text, if the call gives no limit.
const EVENTS_DEFAULT: i64 = 500;
/// Maximum number of events in the text: a receipt and a variable hold all of them.
const EVENTS_MAX: i64 = 1000;

/// `integrations.ical.export`: returns the confirmed events of a period as an iCalendar text.
pub(super) struct ExportIcal;

#[async_trait]
impl WriteVerb for ExportIcal {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let input = Input::of(cx, args);
        let query = ConfirmedEventQuery {
            table: known("calendar_events")?,
            tenant: input.tenant,
            since: input.instant("since")?,
            until: input.instant("until")?,
            job_id: input.text("job_id"),
            limit: input.whole("limit")?.unwrap_or(EVENTS_DEFAULT).clamp(1, EVENTS_MAX),
        };
        if query.until <= query.since {
            return Err(refusal::invalid("until", "is not after `since`"));
        }
        let rows = data::confirmed_events(tx, &query).await?;
        let events: Vec<Event> = rows.iter().map(event).collect::<Result<_, Problem>>()?;
        let name = input.text("name").unwrap_or(input.tenant);
        let text = ical::calendar(name, &events);
        let digest = Digest::of(text.as_bytes()).to_string();
        let result = json!({ "ical": text, "count": events.len(), "digest": digest });
        Ok(VerbOutcome::done(result, Effects::default()))
    }
}

fn event(row: &StoredRow) -> Result<Event, Problem> {
    let attendees = serde_json::from_str(row.text("attendees"));
    Ok(Event {
        uid: row.id().to_owned(),
        starts_at: row.int("starts_at"),
        ends_at: row.int("ends_at"),
        created_at: row.int("created_at"),
        updated_at: row.int("updated_at"),
        summary: row.text("title").to_owned(),
        description: row.text("description").to_owned(),
        location: row.text("location").to_owned(),
        attendees: attendees
            .map_err(|error| Problem::bug(format!("attendees of `{}`: {error}", row.id())))?,
    })
}

/// `integrations.webhook.post`: posts an event to an address, signed.
pub(super) struct PostWebhook;

#[async_trait]
impl ExternalVerb for PostWebhook {
    async fn prepare(
        &self,
        _tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
    ) -> Result<Prepared, Problem> {
        let input = Input::of(cx, args);
        let url = input.required_text("url")?;
        let request = WebhookRequest {
            url: url.to_owned(),
            event: input.required_text("event")?.to_owned(),
            data: args["payload"].clone(),
        };
        ExternalRequest::new(WEBHOOK, host_of(url), &request).map(Prepared::Call)
    }
}
