//! The tools that read and write the calendar of a user.

use abide_engine::base::{Problem, Timestamp, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::json;

use super::{assertion, looked_up, read};
use crate::data::ir::{self, CalendarEntry, NewEvent};

/// Number of events that an answer names.
const EVENTS_MAX: i64 = 50;

#[derive(Deserialize)]
struct ReadArgs {
    user: String,
    #[serde(default)]
    from: Option<String>,
    #[serde(default)]
    to: Option<String>,
}

/// Lists the events of a user.
pub(super) struct CalendarRead;

#[async_trait]
impl WriteVerb for CalendarRead {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let ReadArgs { user, from, to } = read(args)?;
        let (from, to) = (instant(from.as_deref())?, instant(to.as_deref())?);
        let from = from.unwrap_or(cx.now);
        let entries = ir::calendar(tx, cx.tenant, &user, EVENTS_MAX).await?;
        let zone = cx.settings.zone();
        let fits = |entry: &&CalendarEntry| entry.at >= from && to.is_none_or(|to| entry.at < to);
        let mut found: Vec<&CalendarEntry> = entries.iter().filter(fits).collect();
        found.sort_by_key(|entry| entry.at);
        let said: Vec<String> = found
            .iter()
            .map(|entry| format!("{} {}", shown(entry.at, &zone), entry.event))
            .collect();
        let value = if said.is_empty() { "nothing".to_owned() } else { said.join(", ") };
        let events: Vec<Value> = found
            .iter()
            .map(|entry| json!({ "event": entry.event, "time": entry.at.to_string() }))
            .collect();
        let stands: Vec<Value> = found
            .iter()
            .map(|entry| assertion(&entry.event, "scheduledAt", &entry.at.to_string()))
            .collect();
        Ok(looked_up(json!({ "events": events, "value": value, "assertions": stands })))
    }
}

#[derive(Deserialize)]
struct WriteArgs {
    user: String,
    event: String,
    time: String,
}

/// Adds an event.
pub(super) struct CalendarWrite;

#[async_trait]
impl WriteVerb for CalendarWrite {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let WriteArgs { user, event, time } = read(args)?;
        let time = instant(Some(&time))?.unwrap_or(cx.now);
        let entry = CalendarEntry { event: event.clone(), at: time };
        let new = NewEvent { user: &user, entry: &entry, call: cx.call };
        let id = ir::schedule(tx, cx.tenant, &new, cx.now).await?;
        let value = format!("{event}, {}", shown(time, &cx.settings.zone()));
        let stands = assertion(&event, "scheduledAt", &time.to_string());
        let mut effects = Effects::default();
        effects.wrote("assertion", "insert", id);
        let result = json!({ "event_id": id.to_string(), "value": value, "assertions": [stands] });
        Ok(VerbOutcome::done(result, effects))
    }
}

fn shown(at: Timestamp, zone: &TimeZone) -> String {
    at.to_jiff().to_zoned(zone.clone()).strftime("%a %-d %b %H:%M").to_string()
}

/// Reads an instant, which fits the schema of the tool.
fn instant(text: Option<&str>) -> Result<Option<Timestamp>, Problem> {
    let parsed = text.map(str::parse::<Timestamp>).transpose();
    parsed.map_err(|error| Problem::caller("args_invalid", error.to_string()))
}
