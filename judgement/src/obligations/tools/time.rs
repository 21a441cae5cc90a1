//! The tool that tells the time.

use abide_agent::obligations::clock::{TimeQuestion, read_clock};
use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::{assertion, looked_up, read};

/// Tells the time, here or in another place.
pub(super) struct TimeNow;

#[async_trait]
impl WriteVerb for TimeNow {
    async fn run(
        &self,
        _: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let question: TimeQuestion = read(args)?;
        let now = cx.now.to_jiff().to_zoned(cx.settings.zone());
        let value = read_clock(&question, &now).ok_or_else(|| {
            let place = question.city.as_deref().or(question.tz.as_deref()).unwrap_or("that place");
            let place = abide_engine::base::text::shortened(place, 60);
            Problem::caller("place_unknown", format!("the time zone of {place} is not known"))
                .with_hint("name a large city, or an IANA time zone such as Asia/Tokyo")
        })?;
        let place = question.city.or(question.tz).unwrap_or_else(|| "here".to_owned());
        let stands = assertion(&place, "hasTime", &value);
        Ok(looked_up(json!({ "value": value, "assertions": [stands] })))
    }
}
