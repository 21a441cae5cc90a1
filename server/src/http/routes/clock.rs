//! The virtual clock: it stands still until it is told to go.

use abide_engine::base::{Span, Timestamp};
use abide_engine::store::work;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::http::App;
use crate::http::extract::Body;
use crate::http::keyed::Once;
use crate::problem::ProblemDocument;

/// `{by}` or `{to}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Advance {
    by: Option<String>,
    to: Option<String>,
}

pub(super) async fn show(State(app): State<App>) -> Result<Json<Value>, ProblemDocument> {
    virtual_only(&app)?;
    Ok(Json(json!({"now": app.engine.now().to_string()})))
}

/// Answers when everything due by then has been done and committed.
pub(super) async fn advance(
    State(app): State<App>,
    once: Once,
    Body(wanted): Body<Advance>,
) -> Result<Json<Value>, ProblemDocument> {
    virtual_only(&app)?;
    let to = match once.begun::<String>().and_then(|to| to.parse().ok()) {
        // The clock may have gone further since.
        Some(to) => app.engine.now().max(to),
        None => begin(&app, once, target(&wanted, app.engine.now())?).await?,
    };
    let advance = app.engine.advance(to).await?;
    Ok(Json(json!({"now": advance.now.to_string(), "fired": advance.fired})))
}

/// Keeps the instant that a request means before the clock moves: after a crash on the way, a repeat of
/// "by six hours" goes to the same instant.
async fn begin(app: &App, once: Once, to: Timestamp) -> Result<Timestamp, ProblemDocument> {
    if once.is_unkeyed() {
        return Ok(to);
    }
    let task = work(move |tx| {
        let once = once.clone();
        Box::pin(async move { once.begin(tx, &to.to_string(), to).await })
    });
    app.engine.write(task).await?;
    Ok(to)
}

fn virtual_only(app: &App) -> Result<(), ProblemDocument> {
    if app.engine.is_virtual() {
        return Ok(());
    }
    Err(ProblemDocument::new(404, "unknown_route", "this server goes by the machine's clock")
        .with_hint("start one with `abide serve --clock virtual`"))
}

fn target(wanted: &Advance, now: Timestamp) -> Result<Timestamp, ProblemDocument> {
    let unfit = |detail: String| ProblemDocument::new(422, "schema", detail);
    let to = match (&wanted.by, &wanted.to) {
        (Some(by), None) => now + by.parse::<Span>().map_err(|e| unfit(e.to_string()))?,
        (None, Some(to)) => {
            to.parse().map_err(|e: abide_engine::base::time::BadTime| unfit(e.to_string()))?
        }
        _ => return Err(unfit("give either `by` or `to`".to_owned())),
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
        let wanted = Advance { by: by.map(str::to_owned), to: to.map(str::to_owned) };
        let now = "2025-10-05T09:00:00Z".parse().expect("an instant");
        target(&wanted, now).map(|to| to.to_string()).map_err(|problem| problem.status)
    }

    #[test]
    fn the_clock_goes_by_a_span_or_to_an_instant_and_never_back() {
        assert_eq!(check(Some("6h"), None), Ok("2025-10-05T15:00:00+00:00".into()));
        let to = Some("2025-10-05T10:30:00+01:00");
        assert_eq!(check(None, to), Ok("2025-10-05T09:30:00+00:00".into()));
        assert_eq!(check(None, Some("2025-10-05T08:59:59Z")), Err(422));
        assert_eq!(check(Some("6h"), to), Err(422));
        assert_eq!(check(None, None), Err(422));
        assert_eq!(check(Some("soon"), None), Err(422));
    }
}
