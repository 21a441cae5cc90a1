//! Loads, locks and changes requests. All changes of a request are written by [`change`].

use std::collections::BTreeMap;

use abide_engine::base::{Problem, RequestId, Timestamp};
use abide_engine::store::Tx;
use serde_json::json;

use super::{OperationContext, time_zone};
use crate::data;
use crate::event::ChurchEventKind;
use crate::request::{Request, RequestCause, ServicePeriod};
use crate::service::DURATION_DEFAULT;

/// Loads a request of the tenant.
///
/// # Errors
/// `request_unknown` if the tenant has no request with this id.
pub async fn load(tx: &mut Tx, tenant: &str, id: RequestId) -> Result<Request, Problem> {
    data::request::by_id(tx, id)
        .await?
        .filter(|request| request.tenant == tenant)
        .ok_or_else(|| unknown(id))
}

/// Locks a request of the tenant and returns its state under the lock.
///
/// # Errors
/// `request_unknown` if the tenant has no request with this id.
pub async fn lock(tx: &mut Tx, tenant: &str, id: RequestId) -> Result<Request, Problem> {
    load(tx, tenant, id).await?;
    tx.lock_request(tenant, id).await?;
    load(tx, tenant, id).await
}

/// Returns the time that a service takes which begins at this time: as long as the tenant's longest service that begins
/// then by its day and clock, or [`DURATION_DEFAULT`] if the tenant has none.
///
/// # Errors
/// Returns errors from the store.
pub async fn service_period(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    starts: Timestamp,
) -> Result<ServicePeriod, Problem> {
    let zone = time_zone::name(context.settings);
    let services = data::service::list(tx, context.tenant).await?;
    let lasts = services.iter().filter(|service| service.begins_at(starts, zone));
    let longest = lasts.map(|service| service.duration).max().unwrap_or(DURATION_DEFAULT);
    Ok(ServicePeriod { starts, ends: starts + longest })
}

/// Writes the fields of `request` that the caller has changed, increments its version number,
/// and logs the change.
///
/// # Errors
/// `wrong_state` if the request's state does not allow `cause`;
/// `version_conflict` if another transaction changed the request first.
pub async fn change(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &mut Request,
    cause: RequestCause,
) -> Result<(), Problem> {
    let was = request.status;
    let requested = request.version + 1;
    request.status = was.after(cause)?;
    request.version = requested;
    request.updated_at = context.now;
    if !data::request::update(tx, request, was, cause).await? {
        return Err(version_conflict(requested - 1));
    }
    let body = json!({
        "version": request.version,
        "was": was.as_str(),
        "cause": cause.as_str(),
        "became": request.status.as_str(),
        "targets": request.targets.to_value(),
    });
    tx.log(request.id, ChurchEventKind::Request, context.about, body)?;
    Ok(())
}

/// Updates the status of a live request to match the places that are taken.
/// Writes nothing if the status already matches.
///
/// # Errors
/// Returns the errors of [`change`].
pub async fn update_status(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &mut Request,
) -> Result<(), Problem> {
    if !request.status.is_live() {
        return Ok(());
    }
    let taken = accepted(tx, request.id).await?;
    update_status_to(tx, context, request, &taken).await
}

/// Updates the status of a live request to match these numbers of taken places, by role.
///
/// # Errors
/// Returns the errors of [`change`].
pub(super) async fn update_status_to(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &mut Request,
    taken: &BTreeMap<String, i64>,
) -> Result<(), Problem> {
    let cause = RequestCause::from(request.targets.fill(taken));
    if request.status.after(cause)? == request.status {
        return Ok(());
    }
    change(tx, context, request, cause).await
}

/// Ends the request's rebalance once no role has more places taken than its target. It is then known
/// who keeps a place, so the runs that fill the request check again whether enough people hold places.
///
/// # Errors
/// Returns errors from the store.
pub async fn close_rebalance_if_balanced(tx: &mut Tx, request: &Request) -> Result<(), Problem> {
    if request.targets.exceeded(&accepted(tx, request.id).await?) {
        return Ok(());
    }
    if data::rebalance::close(tx, request.id).await? {
        wake_waiting_runs(tx, request.id).await?;
    }
    Ok(())
}

/// Wakes the runs that fill roles of a request.
/// The runs then check again whether enough people hold places.
///
/// # Errors
/// Returns errors from the store.
pub async fn wake_waiting_runs(tx: &mut Tx, request: RequestId) -> Result<(), Problem> {
    for run in data::live_fill::runs_of(tx, request).await? {
        tx.wake(run);
    }
    Ok(())
}

/// Returns the number of taken places by role, from the tallies.
///
/// # Errors
/// Returns errors from the store.
pub async fn accepted(tx: &mut Tx, request: RequestId) -> Result<BTreeMap<String, i64>, Problem> {
    let tallies = tx.request_tallies(request).await?;
    Ok(tallies
        .into_iter()
        .filter(|(cell, _)| !cell.contains('#'))
        .map(|(cell, tally)| (cell, tally.yes))
        .collect())
}

/// Returns the problem for a request that the tenant does not have.
#[must_use]
pub fn unknown(id: RequestId) -> Problem {
    Problem::caller("request_unknown", format!("there is no request `{id}`"))
        .with_hint("list the requests to find its id")
}

/// Returns the problem for a request whose version number is no longer `expected`.
#[must_use]
pub fn version_conflict(expected: i64) -> Problem {
    Problem::caller("version_conflict", format!("the request is no longer at version {expected}"))
        .with_hint("read the request again and repeat the change with its current version")
}
