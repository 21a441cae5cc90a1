//! Routes of archives, the files that old rows leave the database for.

use abide_engine::base::{Span, Timestamp};
use abide_engine::facade::{ArchiveOrder, ArchiveReport, ArchiveView, Page};
use abide_engine::policy::Settings;
use abide_engine::transaction;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::civil::Date;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Query};
use crate::http::guard::Tenant;
use crate::http::idempotency::KeyedTenant;
use crate::http::page::Paging;
use crate::problem::ProblemDocument;

/// What is to leave the database.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ArchiveBody {
    /// Archive what ended before this: a date such as `2026-01-31`, a time such as `2026-01-31T12:00:00Z`, or a duration
    /// before now such as `90d`. By default, the settings `keep_runs`, `keep_messages` and `keep_events` decide.
    before: Option<String>,
}

/// Moves old runs, requests, messages and events of the tenant into an archive.
///
/// What is live, open or still needed stays, and so do people, consents and opt-outs. The route answers when all of it has
/// left. A repeated request archives what is old enough by then.
#[utoipa::path(
    post, path = "/v1/archives", tag = "events", operation_id = "archive",
    request_body = ArchiveBody,
    responses((status = 200, body = ArchiveReport, description = "What has left, and the archives.")),
    extensions(("x-problem-codes" = json!([
        "unknown_tenant", "archive_busy", "archive_missing", "archive_unavailable", "archive_unwritable",
        "archive_unreadable"
    ])))
)]
pub(super) async fn create(
    State(app): State<App>,
    KeyedTenant { tenant, key }: KeyedTenant,
    Body(body): Body<ArchiveBody>,
) -> ApiResult<ArchiveReport> {
    let settings = app.engine.settings_of(&tenant).await?;
    let now = app.engine.now();
    let before = body.before.map(|text| instant(&text, now, &settings)).transpose()?;
    let order = ArchiveOrder { before, folder: None };
    let report = app.engine.archive(&tenant, order).await?;
    // After a crash before this commit, a repeated request archives what is left.
    let store = transaction!([key, report = report.clone()], |tx| {
        key.store_answer(tx, StatusCode::OK, &report).await
    });
    app.engine.write(store).await?;
    Ok((StatusCode::OK, Json(report)))
}

/// Reads an instant: a time, a date in the time zone of the tenant, or a duration before now.
fn instant(text: &str, now: Timestamp, settings: &Settings) -> Result<Timestamp, ProblemDocument> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    if let Ok(span) = text.parse::<Span>() {
        return Ok(now - span);
    }
    let date = text.parse::<Date>().ok().and_then(|date| date.to_zoned(settings.zone()).ok());
    date.map(|date| Timestamp::from_jiff(date.timestamp())).ok_or_else(|| {
        let shown: String = text.chars().take(60).collect();
        ProblemDocument::schema(format!("`before`: `{shown}` is no date, no time and no duration"))
    })
}

/// Lists the archives of the tenant, newest first.
#[utoipa::path(
    get, path = "/v1/archives", tag = "events", operation_id = "list_archives",
    params(Paging),
    responses((status = 200, body = Page<ArchiveView>, description = "A page of archives.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor"])))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(paging): Query<Paging>,
) -> ApiResult<Page<ArchiveView>> {
    let page = app.engine.archives(&tenant, paging.after()?, paging.limit).await?;
    Ok((StatusCode::OK, Json(page)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_a_time_a_date_or_a_duration_before_now() {
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().expect("a time");
        let settings = Settings::default();
        let read = |text| instant(text, now, &settings).map(|at| at.to_string()).ok();
        let cases = [
            ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
            ("2026-01-31", "2026-01-31T06:00:00Z"),
            ("30days", "2026-02-08T12:00:00Z"),
        ];
        for (text, at) in cases {
            let expected: Timestamp = at.parse().expect("a time");
            assert_eq!(read(text), Some(expected.to_string()), "{text}");
        }
        assert_eq!(read("long ago"), None);
    }
}
