//! Requests for volunteers: creates, lists, changes and cancels them.

use futures_util::future::BoxFuture;
use std::collections::BTreeMap;

use abide_engine::base::{Problem, RequestId, Timestamp, Value};
use abide_engine::domain::DomainContext;
use abide_engine::store::Tx;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Page, PageRequest};
use crate::assignment::AssignmentState;
use crate::data;
use crate::data::request::RequestFilter;
use crate::domain::open;
use crate::operations::amend::{self, Amendment};
use crate::operations::{OperationContext, cancel, requests, time_zone};
use crate::request::{Request, RequestStatus, Targets};

/// A request to create.
#[derive(Debug, Clone, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRequest {
    /// When the service begins, in RFC 3339; must be in the future.
    #[schema(format = DateTime)]
    pub service_time: String,
    /// Target number of people for each role.
    #[schema(value_type = BTreeMap<String, u32>)]
    pub targets: Value,
    /// The campus of the service, in a church with several.
    pub campus: Option<String>,
}

/// A change to a request. Fields that are left out stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestPatch {
    /// New targets by role; roles that are left out keep their targets.
    #[schema(value_type = Option<BTreeMap<String, u32>>)]
    pub targets: Option<Value>,
    /// The new time at which the service begins, in RFC 3339.
    #[schema(format = DateTime)]
    pub service_time: Option<String>,
    /// The new status: `open`, `closed` or `cancelled`.
    #[schema(value_type = Option<crate::request::RequestStatus>)]
    pub status: Option<String>,
    /// The version that the caller expects the request to have.
    pub version: i64,
}

/// A request as the API shows it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct RequestView {
    /// The id of the request.
    pub id: RequestId,
    /// When the service begins, in the church's time zone.
    #[schema(format = DateTime)]
    pub service_time: String,
    /// The campus of the service, in a church with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub campus: Option<String>,
    /// Target number of people for each role.
    #[schema(value_type = BTreeMap<String, u32>)]
    pub targets: Value,
    /// The state of the request.
    pub status: RequestStatus,
    /// The version of the request; increases by one with every change.
    pub version: i64,
    /// Number of people by role and by state of their assignment; every state is present.
    #[schema(value_type = BTreeMap<String, BTreeMap<AssignmentState, i64>>)]
    pub counts: BTreeMap<String, BTreeMap<&'static str, i64>>,
    /// When the request was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When the request last changed.
    #[schema(format = DateTime)]
    pub updated_at: String,
}

/// A query of requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestQuery {
    /// Selects requests with this status, such as `open`.
    pub status: Option<String>,
    /// Selects services that begin at this time or later.
    pub from: Option<Timestamp>,
    /// Selects services that begin before this time.
    pub to: Option<Timestamp>,
    /// Selects requests of this campus.
    pub campus: Option<String>,
    /// Which page of the result is to be returned.
    pub page: PageRequest,
}

/// Creates an open request.
///
/// # Errors
/// `request_exists` if the campus already has a request at that time that is not closed or cancelled;
/// the error's detail is the id of that request. Also `service_passed`, `invalid_targets`, `invalid_time`.
pub fn create<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    new: &'a NewRequest,
) -> BoxFuture<'a, Result<RequestView, Problem>> {
    Box::pin(async move {
        let time = instant(&new.service_time)?;
        let targets = Targets::from_value(&new.targets)?;
        let campus = new.campus.as_deref().map(str::trim).unwrap_or_default();
        if let Some(known) = data::request::live_at(tx, cx.tenant, campus, time).await? {
            return Err(Problem::caller(
                "request_exists",
                format!("the service already has the request `{}`", known.id),
            )
            .with_detail(known.id.to_string())
            .with_hint("change that request instead"));
        }
        tx.ensure_tenant(cx.tenant).await?;
        let request =
            open::make(tx, &OperationContext::of_domain(cx), campus, time, targets).await?;
        view(tx, cx, request).await
    })
}

/// Returns a request, with counts of the people in each role.
///
/// # Errors
/// `request_unknown` if the tenant has no request with this id.
pub fn get<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    id: RequestId,
) -> BoxFuture<'a, Result<RequestView, Problem>> {
    Box::pin(async move {
        let request = requests::load(tx, cx.tenant, id).await?;
        view(tx, cx, request).await
    })
}

/// Returns a page of requests, oldest first.
///
/// # Errors
/// `invalid_cursor`, `invalid_status`.
pub fn list<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    query: &'a RequestQuery,
) -> BoxFuture<'a, Result<Page<RequestView>, Problem>> {
    Box::pin(async move {
        let limit = query.page.limit();
        let filter = RequestFilter {
            status: query.status.as_deref().map(status).transpose()?,
            from: query.from,
            to: query.to,
            campus: query.campus.clone(),
            after: query.page.after()?,
            limit: i64::try_from(limit + 1).unwrap_or(i64::MAX),
        };
        let mut found = data::request::list(tx, cx.tenant, &filter).await?;
        let more = found.len() > limit;
        found.truncate(limit);
        let next_cursor = found.last().filter(|_| more).map(|last| last.id.to_string());
        let mut items = Vec::with_capacity(found.len());
        for request in found {
            items.push(view(tx, cx, request).await?);
        }
        Ok(Page { items, next_cursor })
    })
}

/// Changes a request if it still has the version that the caller expects.
///
/// # Errors
/// `version_conflict`, `wrong_state` or `request_unknown`. For a value that cannot be set:
/// `invalid_status`, `invalid_targets`, `invalid_time`, `service_passed`
/// or `request_exists`.
pub fn patch<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    id: RequestId,
    patch: &'a RequestPatch,
) -> BoxFuture<'a, Result<RequestView, Problem>> {
    Box::pin(async move {
        let wanted = Amendment {
            targets: patch.targets.as_ref().map(Targets::from_value).transpose()?,
            service_time: patch.service_time.as_deref().map(instant).transpose()?,
            status: patch.status.as_deref().map(status).transpose()?,
            expected: Some(patch.version),
        };
        let mut request = requests::lock(tx, cx.tenant, id).await?;
        amend::request(tx, &OperationContext::of_domain(cx), &mut request, &wanted).await?;
        view(tx, cx, request).await
    })
}

/// Cancels a request, and notifies the people whom it affects.
///
/// # Errors
/// `wrong_state` if the request is closed or cancelled already; `request_unknown`.
pub fn cancel<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    id: RequestId,
) -> BoxFuture<'a, Result<RequestView, Problem>> {
    Box::pin(async move {
        let mut request = requests::lock(tx, cx.tenant, id).await?;
        cancel::cancel(tx, &OperationContext::of_domain(cx), &mut request).await?;
        view(tx, cx, request).await
    })
}

async fn view(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    request: Request,
) -> Result<RequestView, Problem> {
    use crate::assignment::AssignmentState;
    let zone = time_zone::of(cx.settings);
    let none: BTreeMap<_, _> =
        AssignmentState::ALL.iter().map(|state| (state.as_str(), 0)).collect();
    let mut counts: BTreeMap<String, BTreeMap<&'static str, i64>> =
        request.targets.iter().map(|(role, _)| (role.to_owned(), none.clone())).collect();
    for ((role, state), n) in data::assignment::counts(tx, request.id).await? {
        counts.entry(role).or_insert_with(|| none.clone()).insert(state.as_str(), n);
    }
    Ok(RequestView {
        id: request.id,
        service_time: request.service_time.in_zone(&zone),
        campus: Some(request.campus).filter(|campus| !campus.is_empty()),
        targets: request.targets.to_value(),
        status: request.status,
        version: request.version,
        counts,
        created_at: request.created_at.in_zone(&zone),
        updated_at: request.updated_at.in_zone(&zone),
    })
}

fn instant(text: &str) -> Result<Timestamp, Problem> {
    text.parse().map_err(|e: abide_engine::base::time::BadTime| {
        Problem::caller("invalid_time", e.to_string())
            .with_hint("write it with its UTC offset, such as `2025-10-05T09:00:00-05:00`")
    })
}

fn status(text: &str) -> Result<RequestStatus, Problem> {
    RequestStatus::parse(text).ok_or_else(|| {
        let known: Vec<_> = RequestStatus::ALL.iter().map(|status| status.as_str()).collect();
        Problem::caller("invalid_status", format!("`{text}` is not the status of a request"))
            .with_hint(format!("use one of: {}", known.join(", ")))
    })
}
