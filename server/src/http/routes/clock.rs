//! Routes of the virtual clock, which moves only when a client advances it.

use abide_engine::base::time::BadTime;
use abide_engine::base::{Span, Timestamp};
use abide_engine::transaction;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::Body;
use crate::http::idempotency::IdempotencyKey;
use crate::problem::ProblemDocument;

/// How far to advance the clock: either `by` or `to`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AdvanceOrder {
    /// Duration by which to advance the clock, such as `6h`.
    by: Option<String>,
    /// Time to which to advance the clock; it must not be in the past.
    #[schema(format = DateTime)]
    to: Option<String>,
}

/// The time of the virtual clock.
#[derive(Serialize, ToSchema)]
pub(super) struct ClockView {
    /// Current time of the virtual clock.
    #[schema(format = DateTime)]
    now: String,
}

/// Result of advancing the clock.
#[derive(Serialize, ToSchema)]
pub(super) struct ClockAdvanced {
    /// The time that the clock has reached.
    #[schema(format = DateTime)]
    now: String,
    /// Number of deadlines, retries and schedules that fell due on the way.
    fired: u64,
}

/// Returns the time of the virtual clock.
#[utoipa::path(
    get, path = "/v1/clock", tag = "clock", operation_id = "get_clock",
    responses((status = 200, body = ClockView, description = "The time.")),
    extensions(("x-problem-codes" = json!(["unknown_route"])))
)]
pub(super) async fn show(State(app): State<App>) -> ApiResult<ClockView> {
    check_is_virtual(&app)?;
    Ok((StatusCode::OK, Json(ClockView { now: app.engine.now().to_string() })))
}

/// Advances the virtual clock.
///
/// The route answers after all work that fell due on the way has been done and committed.
#[utoipa::path(
    post, path = "/v1/clock/advance", tag = "clock", operation_id = "advance_clock",
    request_body = AdvanceOrder,
    responses((status = 200, body = ClockAdvanced, description = "The new time.")),
    extensions(("x-problem-codes" = json!(["unknown_route", "clock_goes_back"])))
)]
pub(super) async fn advance(
    State(app): State<App>,
    key: IdempotencyKey,
    Body(order): Body<AdvanceOrder>,
) -> ApiResult<ClockAdvanced> {
    check_is_virtual(&app)?;
    let to = match key.unfinished::<String>().and_then(|to| to.parse().ok()) {
        // The clock may already be past the stored target time.
        Some(to) => app.engine.now().max(to),
        None => store_target(&app, key, target(&order, app.engine.now())?).await?,
    };
    let advance = app.engine.advance(to).await?;
    let now = advance.now.to_string();
    Ok((StatusCode::OK, Json(ClockAdvanced { now, fired: advance.fired })))
}

/// Stores the target time before the clock moves, and returns the target time.
/// If the process crashes before the clock has reached the target time, a repeated request advances the
/// clock to the stored time. Without the stored time, a repeated request with `by` would advance the
/// clock too far.
async fn store_target(
    app: &App,
    key: IdempotencyKey,
    to: Timestamp,
) -> Result<Timestamp, ProblemDocument> {
    if key.is_absent() {
        return Ok(to);
    }
    let task = transaction!([key], |tx| key.store_unfinished(tx, &to.to_string(), to).await);
    app.engine.write(task).await?;
    Ok(to)
}

fn check_is_virtual(app: &App) -> Result<(), ProblemDocument> {
    if app.engine.is_virtual() {
        return Ok(());
    }
    Err(ProblemDocument::new(404, "unknown_route", "this server uses the clock of the machine")
        .with_hint("start one with `abide serve --clock virtual`"))
}

fn target(order: &AdvanceOrder, now: Timestamp) -> Result<Timestamp, ProblemDocument> {
    let to = match (&order.by, &order.to) {
        (Some(by), None) => {
            now + by.parse::<Span>().map_err(|e| ProblemDocument::schema(e.to_string()))?
        }
        (None, Some(to)) => {
            to.parse().map_err(|e: BadTime| ProblemDocument::schema(e.to_string()))?
        }
        _ => return Err(ProblemDocument::schema("give either `by` or `to`")),
    };
    if to < now {
        let detail = format!("`{to}` is past: the clock shows {now} and never goes back");
        return Err(ProblemDocument::new(422, "clock_goes_back", detail));
    }
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(by: Option<&str>, to: Option<&str>) -> Result<String, u16> {
        let order = AdvanceOrder { by: by.map(str::to_owned), to: to.map(str::to_owned) };
        let now = "2025-10-05T09:00:00Z".parse().expect("an instant");
        target(&order, now).map(|to| to.to_string()).map_err(|problem| problem.status)
    }

    #[test]
    fn the_clock_advances_by_a_span_or_to_an_instant_and_never_back() {
        assert_eq!(check(Some("6h"), None), Ok("2025-10-05T15:00:00+00:00".into()));
        let to = Some("2025-10-05T10:30:00+01:00");
        assert_eq!(check(None, to), Ok("2025-10-05T09:30:00+00:00".into()));
        assert_eq!(check(None, Some("2025-10-05T08:59:59Z")), Err(422));
        assert_eq!(check(Some("6h"), to), Err(422));
        assert_eq!(check(None, None), Err(422));
        assert_eq!(check(Some("soon"), None), Err(422));
    }
}
