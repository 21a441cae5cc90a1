//! Contracts that are not in use yet.

use abide_engine::contract::Contracts;
use abide_engine::facade::{BrokenRuns, Page};
use axum::Json;
use axum::extract::State;
use serde::Deserialize;

use crate::http::App;
use crate::http::extract::Body;
use crate::problem::ProblemDocument;

/// Contracts to be held against what live runs rely on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Changed {
    contracts: Vec<Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    file: String,
    text: String,
}

pub(super) async fn check(
    State(app): State<App>,
    Body(Changed { contracts }): Body<Changed>,
) -> Result<Json<Page<BrokenRuns>>, ProblemDocument> {
    let mut changed = Contracts::default();
    for Written { file, text } in contracts {
        changed.extend(Contracts::load(&text, &file).0);
    }
    let items = app.engine.broken_by(changed).await?;
    Ok(Json(Page { items, next_cursor: None }))
}
