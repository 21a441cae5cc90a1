//! The route that checks changed contracts before they are used.

use abide_engine::contract::Contracts;
use abide_engine::facade::{AffectedRuns, Page};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::Body;

/// Contracts to check against the live runs.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ContractCheck {
    /// The contract files.
    contracts: Vec<ContractFile>,
}

/// A contract file.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ContractFile {
    /// Name of the file, for messages.
    file: String,
    /// YAML source of the contracts in the file.
    text: String,
}

/// Lists the live runs that would break under changed contracts.
#[utoipa::path(
    post, path = "/v1/contracts/check", tag = "methods", operation_id = "check_contracts",
    request_body = ContractCheck,
    responses((status = 200, body = Page<AffectedRuns>, description = "The runs that would break."))
)]
pub(super) async fn check(
    State(app): State<App>,
    Body(ContractCheck { contracts }): Body<ContractCheck>,
) -> ApiResult<Page<AffectedRuns>> {
    let mut changed = Contracts::default();
    for ContractFile { file, text } in contracts {
        changed.extend(Contracts::load(&text, &file).0);
    }
    let items = app.engine.runs_affected_by(changed).await?;
    Ok((StatusCode::OK, Json(Page { items, next_cursor: None })))
}
