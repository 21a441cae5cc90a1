//! VolunteerRequests as the API shows and changes them.

use std::collections::BTreeMap;

use abide_engine::base::{Problem, RequestId, Timestamp, Value};
use abide_engine::domain::DomainContext;
use abide_engine::store::Tx;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::{Page, Part};
use crate::data;
use crate::data::request::RequestFilter;
use crate::desk::amend::{self, Amendment};
use crate::desk::{Scene, requests};
use crate::domain::open;
use crate::request::{Request, Status, Targets};

/// A request to make.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewRequest {
    /// RFC 3339; it lies ahead.
    pub service_time: String,
    /// Wanted places by role.
    pub targets: Value,
    /// Where, in a church with several campuses.
    pub campus: Option<String>,
}

/// A change of a request. What is left out stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestPatch {
    /// New targets; roles that are not named keep theirs.
    pub targets: Option<Value>,
    /// When the service begins instead.
    pub service_time: Option<String>,
    /// `open`, `closed` or `cancelled`.
    pub status: Option<String>,
    /// The version that the change is meant for.
    pub version: i64,
}

/// A request as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RequestView {
    /// Its id.
    pub id: RequestId,
    /// When the service begins, in the church's time.
    pub service_time: String,
    /// Where, in a church with several campuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub campus: Option<String>,
    /// Wanted places by role.
    pub targets: Value,
    /// How far it has come.
    pub status: &'static str,
    /// Grows with every change.
    pub version: i64,
    /// By role and state, each state named.
    pub counts: BTreeMap<String, BTreeMap<&'static str, i64>>,
    /// When it was made.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
}

/// Which requests are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestQuery {
    /// In this state.
    pub status: Option<String>,
    /// Services from here on.
    pub from: Option<Timestamp>,
    /// Services before this.
    pub to: Option<Timestamp>,
    /// Of this campus.
    pub campus: Option<String>,
    /// Which part.
    pub part: Part,
}

/// Makes an open request.
///
/// # Errors
/// `request_exists` where the campus has a live one at that time, with its id as the detail;
/// `service_passed`, `invalid_targets`, `invalid_time`.
pub async fn create(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    new: &NewRequest,
) -> Result<RequestView, Problem> {
    let time = instant(&new.service_time)?;
    let targets = Targets::from_value(&new.targets)?;
    let campus = new.campus.as_deref().map(str::trim).unwrap_or_default();
    if let Some(known) = data::request::live_at(tx, cx.tenant, campus, time).await? {
        return Err(Problem::caller(
            "request_exists",
            format!("`{}` is for that service already", known.id),
        )
        .with_detail(known.id.to_string())
        .with_hint("change that one instead"));
    }
    tx.ensure_tenant(cx.tenant).await?;
    let request = open::make(tx, &Scene::of_domain(cx), (campus, time), targets).await?;
    view(tx, cx, request).await
}

/// A request as it stands.
///
/// # Errors
/// `request_unknown`.
pub async fn get(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    id: RequestId,
) -> Result<RequestView, Problem> {
    let request = requests::load(tx, cx.tenant, id).await?;
    view(tx, cx, request).await
}

/// A part of the requests, oldest first.
///
/// # Errors
/// `invalid_cursor`, `invalid_status`.
pub async fn list(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    query: &RequestQuery,
) -> Result<Page<RequestView>, Problem> {
    let limit = query.part.limit();
    let filter = RequestFilter {
        status: query.status.as_deref().map(status).transpose()?,
        from: query.from,
        to: query.to,
        campus: query.campus.clone(),
        after: query.part.after()?,
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
}

/// Changes a request, if it is still at the version that the change is meant for.
///
/// # Errors
/// `version_conflict`, `wrong_state`, `request_unknown`, and those of the values.
pub async fn patch(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    id: RequestId,
    patch: &RequestPatch,
) -> Result<RequestView, Problem> {
    let wanted = Amendment {
        targets: patch.targets.as_ref().map(Targets::from_value).transpose()?,
        service_time: patch.service_time.as_deref().map(instant).transpose()?,
        status: patch.status.as_deref().map(status).transpose()?,
        expected: Some(patch.version),
    };
    let mut request = requests::lock(tx, cx.tenant, id).await?;
    amend::request(tx, &Scene::of_domain(cx), &mut request, &wanted).await?;
    view(tx, cx, request).await
}

/// Calls a request off.
///
/// # Errors
/// `wrong_state` for one that is final, `request_unknown`.
pub async fn cancel(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    id: RequestId,
) -> Result<RequestView, Problem> {
    let mut request = requests::lock(tx, cx.tenant, id).await?;
    requests::call_off(tx, &Scene::of_domain(cx), &mut request).await?;
    view(tx, cx, request).await
}

async fn view(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    request: Request,
) -> Result<RequestView, Problem> {
    use crate::assignment::State;
    let church = data::church::find(tx, cx.tenant).await?;
    let zone_name = church.map_or_else(|| cx.settings.time_zone.clone(), |c| c.time_zone);
    let zone = TimeZone::get(&zone_name).unwrap_or(TimeZone::UTC);
    let none: BTreeMap<_, _> = State::ALL.iter().map(|state| (state.as_str(), 0)).collect();
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
        status: request.status.as_str(),
        version: request.version,
        counts,
        created_at: request.created_at.in_zone(&zone),
        updated_at: request.updated_at.in_zone(&zone),
    })
}

fn instant(text: &str) -> Result<Timestamp, Problem> {
    text.parse().map_err(|e: abide_engine::base::time::BadTime| {
        Problem::caller("invalid_time", e.to_string())
            .with_hint("write it with its offset, such as `2025-10-05T09:00:00-05:00`")
    })
}

fn status(text: &str) -> Result<Status, Problem> {
    Status::parse(text).ok_or_else(|| {
        let known: Vec<_> = Status::ALL.iter().map(|status| status.as_str()).collect();
        Problem::caller("invalid_status", format!("`{text}` is not the status of a request"))
            .with_hint(format!("it is one of: {}", known.join(", ")))
    })
}
