//! Routes of approvals: calls that a person must decide about.

use abide_engine::base::ApprovalId;
use abide_engine::facade::{ApprovalQuery, ApprovalView, Decider, Decision, Page};
use abide_engine::run::ApprovalDecision;
use abide_engine::store::{ApprovalFilter, ApprovalState};
use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Id, Query};
use crate::http::guard::{Identity, Tenant};
use crate::http::page::Paging;

use crate::problem::ProblemDocument;
use crate::role::Role;

/// Query parameters of the list of approvals.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// List only approvals in this state.
    state: Option<ApprovalState>,
    #[serde(flatten)]
    #[param(ignore)]
    paging: Paging,
}

/// Lists approvals, newest first.
#[utoipa::path(
    get, path = "/v1/approvals", tag = "approvals", operation_id = "list_approvals",
    params(ListQuery, Paging),
    responses((status = 200, body = Page<ApprovalView>, description = "A page of approvals.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor"])))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(ListQuery { state, paging }): Query<ListQuery>,
) -> ApiResult<Page<ApprovalView>> {
    let filter = ApprovalFilter { state, before: paging.after()? };
    let query = ApprovalQuery { filter, limit: paging.limit };
    Ok((StatusCode::OK, Json(app.engine.approvals(&tenant, query).await?)))
}

/// Returns an approval.
#[utoipa::path(
    get, path = "/v1/approvals/{id}", tag = "approvals", operation_id = "get_approval",
    params(("id" = ApprovalId, Path, description = "The approval.")),
    responses((status = 200, body = ApprovalView, description = "The approval.")),
    extensions(("x-problem-codes" = json!(["unknown_approval"])))
)]
pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<ApprovalId>,
) -> ApiResult<ApprovalView> {
    Ok((StatusCode::OK, Json(app.engine.approval(&tenant, id).await?)))
}

/// A decision about an approval.
#[derive(Debug, Deserialize, ToSchema)]
pub(super) struct DecisionBody {
    /// `approve` or `deny`.
    decision: ApprovalDecision,
    /// Why.
    #[serde(default)]
    #[schema(max_length = 1000)]
    reason: Option<String>,
}

/// The client of a request as somebody who decides. An admin may decide in the place of any role.
pub(super) struct CallerDecides(pub(super) Decider);

impl<S: Send + Sync> FromRequestParts<S> for CallerDecides {
    type Rejection = ProblemDocument;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemDocument> {
        let Identity { id, name } = Identity::from_request_parts(parts, state).await?;
        let any_role = parts.extensions.get::<Role>() == Some(&Role::Admin);
        let (id, name) = (id.to_string(), name.to_string());
        Ok(Self(Decider::Caller { id, name, any_role }))
    }
}

/// Decides about an approval.
///
/// The decision is about the shown arguments alone. Repeating a decision changes nothing; another decision is
/// refused.
#[utoipa::path(
    post, path = "/v1/approvals/{id}", tag = "approvals", operation_id = "decide_approval",
    params(("id" = ApprovalId, Path, description = "The approval.")),
    request_body = DecisionBody,
    responses((status = 200, body = ApprovalView, description = "The approval as it is now.")),
    extensions(("x-problem-codes" = json!(["unknown_approval", "approval_decided", "approval_expired"])))
)]
pub(super) async fn decide(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(approval): Id<ApprovalId>,
    CallerDecides(by): CallerDecides,
    Body(DecisionBody { decision, reason }): Body<DecisionBody>,
) -> ApiResult<ApprovalView> {
    let decided = app.engine.decide(&tenant, Decision { approval, decision, by, reason }).await?;
    Ok((StatusCode::OK, Json(decided)))
}
