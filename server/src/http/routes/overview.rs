//! How a tenant stands, in one answer: what `abide top` shows.

use abide_engine::base::EventId;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::http::App;
use crate::http::extract::Query;
use crate::http::guard::Tenant;
use crate::problem::ProblemDocument;

/// `after`: the event from which on what happened is counted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    after: Option<EventId>,
}

pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(asked): Query<Asked>,
) -> Result<Json<Value>, ProblemDocument> {
    let seen = app.engine.overview(&tenant, asked.after).await?;
    let mut answer = json!({
        "now": app.engine.now().to_string(),
        "runs": seen.runs,
        "timers": { "set": seen.timers, "late": seen.late },
        "outbox": seen.outbox,
        "stuck": seen.stuck,
    });
    if seen.held > 0 {
        answer["held"] = seen.held.into();
    }
    if let Some(at) = seen.next_at {
        answer["timers"]["next_at"] = at.to_string().into();
    }
    if let Some((id, method, since)) = seen.oldest {
        answer["oldest_waiting"] =
            json!({ "id": id, "method": method, "since": since.to_string() });
    }
    if let Some(last) = seen.last {
        answer["last_event"] = json!(last);
    }
    if let Some((events, calls)) = seen.since {
        answer["since"] = json!({ "events": events, "calls": calls });
    }
    Ok(Json(answer))
}
