//! The integrations that need no service outside.

use abide_engine::base::{Digest, Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::{args, input};
use crate::cell::Cell;
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
        input: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let query = ConfirmedEventQuery {
            table: input::known("calendar_events")?,
            tenant: cx.tenant,
            since: args::instant(input, "since")?,
            until: args::instant(input, "until")?,
            job_id: args::optional_text(input, "job_id"),
            limit: args::number(input, "limit", EVENTS_DEFAULT)?.clamp(1, EVENTS_MAX),
        };
        if query.until <= query.since {
            return Err(refusal::invalid("until", "is not after `since`"));
        }
        let rows = data::confirmed_events(tx, &query).await?;
        let events: Vec<Event> = rows.iter().map(event).collect::<Result<_, Problem>>()?;
        let name = args::optional_text(input, "name").unwrap_or(cx.tenant);
        let text = ical::calendar(name, &events);
        let digest = Digest::of(text.as_bytes()).to_string();
        let result = json!({ "ical": text, "count": events.len(), "digest": digest });
        Ok(VerbOutcome::done(result, Effects::default()))
    }
}

fn event(row: &StoredRow) -> Result<Event, Problem> {
    let micros = |column: &str| match row.cell(column) {
        Cell::Int(micros) => *micros,
        Cell::Null | Cell::Text(_) => 0,
    };
    let attendees = serde_json::from_str(row.text("attendees"));
    Ok(Event {
        uid: row.id().to_owned(),
        starts_at: micros("starts_at"),
        ends_at: micros("ends_at"),
        created_at: micros("created_at"),
        updated_at: micros("updated_at"),
        summary: row.text("title").to_owned(),
        description: row.text("description").to_owned(),
        location: row.text("location").to_owned(),
        attendees: attendees
            .map_err(|error| Problem::bug(format!("attendees of `{}`: {error}", row.id())))?,
    })
}
