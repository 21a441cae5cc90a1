//! Loads, locks, changes and cancels requests. Every change of a request is written here.

use abide_engine::base::{PersonId, Problem, RequestId, limits};
use abide_engine::store::{SignalKind, Tx};
use serde_json::json;

use super::messages::{self, MessageDraft};
use super::offers::Notice;
use super::places::PlaceRelease;
use super::{OperationContext, asks, offers, places};
use crate::ask;
use crate::assignment;
use crate::data;
use crate::event::ChurchEventKind;
use crate::offer;
use crate::request::{Request, RequestCause};

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

/// Writes `request`, whose fields the caller has changed, as its next version, and logs the change.
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
/// Writes no new version if the status already matches.
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
    let cause = RequestCause::from(request.targets.fill(&places::accepted(tx, request.id).await?));
    if request.status.after(cause)? == request.status {
        return Ok(());
    }
    change(tx, context, request, cause).await
}

/// Ends the request's rebalance once no role exceeds its target. Then it is known who keeps a place,
/// so the waits on the request check again whether enough people hold places.
///
/// # Errors
/// Returns errors from the store.
pub async fn close_rebalance_if_balanced(tx: &mut Tx, request: &Request) -> Result<(), Problem> {
    if request.targets.exceeded(&places::accepted(tx, request.id).await?) {
        return Ok(());
    }
    if data::rebalance::close(tx, request.id).await? {
        wake_waiting_runs(tx, request.id).await?;
    }
    Ok(())
}

/// Wakes the runs that fill roles of a request.
/// Their waits then check again whether enough people hold places.
///
/// # Errors
/// Returns errors from the store.
pub async fn wake_waiting_runs(tx: &mut Tx, request: RequestId) -> Result<(), Problem> {
    for run in data::live_fill::runs_of(tx, request).await? {
        tx.wake(run);
    }
    Ok(())
}

/// The effects of cancelling a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancellation {
    /// The people who had a place.
    pub released: Vec<PersonId>,
    /// Number of open offers and questions that were withdrawn.
    pub withdrawn: usize,
}

/// Cancels a request: withdraws open offers and questions, and releases all places and waitlist ranks.
/// Sends one notice to each person who was asked or had said yes.
/// Sends a signal to cancel to the runs that fill roles of the request.
///
/// # Errors
/// `wrong_state` if the request is closed or cancelled already.
pub async fn cancel(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &mut Request,
) -> Result<Cancellation, Problem> {
    change(tx, context, request, RequestCause::Cancel).await?;
    let open = data::offer::pending_of_request(tx, request.id).await?;
    offers::end(tx, context, &open, offer::OfferCause::CalledOff, Notice::Owed).await?;
    let asked = data::ask::open_of_request(tx, request.id).await?;
    asks::end(tx, context, &asked, ask::AskState::Withdrawn).await?;
    let mut cancellation =
        Cancellation { released: Vec::new(), withdrawn: open.len() + asked.len() };
    for held in data::assignment::held(tx, request.id).await? {
        if held.state == assignment::AssignmentState::Accepted {
            cancellation.released.push(held.person);
        }
        places::release(tx, context, request, PlaceRelease::of(held.person, &held.role)).await?;
        let about = messages::role_variables(request, &held.role);
        let draft = MessageDraft::about_offer(held.person, request.id, 1);
        messages::send(tx, context, "cancelled", &[draft], &about).await?;
    }
    offers::notify_withdrawn(tx, context, request, limits::CHUNK_PEOPLE_MAX).await?;
    for run in data::live_fill::runs_of(tx, request.id).await? {
        let reason = json!({"reason": "the request was cancelled"});
        tx.signal(run, SignalKind::Order("cancel"), Some("request_cancelled"), &reason).await?;
    }
    Ok(cancellation)
}

/// Returns the problem for a request that the tenant does not have.
#[must_use]
pub fn unknown(id: RequestId) -> Problem {
    Problem::caller("request_unknown", format!("there is no request `{id}`"))
        .with_hint("list the requests to find its id")
}

/// Returns the problem for a request that no longer has the expected version.
#[must_use]
pub fn version_conflict(expected: i64) -> Problem {
    Problem::caller("version_conflict", format!("the request is no longer at version {expected}"))
        .with_hint("read the request again and repeat the change with its current version")
}
