//! Changes a request or a person's directory entry on behalf of staff or of a run.

use abide_engine::base::{PersonId, Problem, Timestamp};
use abide_engine::store::Tx;

use super::cancel::Cancellation;
use super::offers::Notice;
use super::{OperationContext, asks, cancel, moving, offers, places, requests};
use crate::ask;
use crate::data;
use crate::data::person::Person;
use crate::request::{Request, RequestCause, RequestStatus, Targets};

/// A change to a request. Fields that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Amendment {
    /// New targets by role; roles that are left out keep their targets.
    pub targets: Option<Targets>,
    /// The new time at which the service begins.
    pub service_time: Option<Timestamp>,
    /// The new status: open, closed or cancelled.
    pub status: Option<RequestStatus>,
    /// The number of the version that the caller expects the request to have; `None` accepts any version.
    pub expected: Option<i64>,
}

/// A change to a person. Fields that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersonAmendment {
    /// All roles of the person; replaces the previous roles.
    pub roles: Option<Vec<String>>,
    /// The campus where the person serves; `Some(None)` for any campus.
    pub campus: Option<Option<String>>,
    /// False for a person who must not be asked.
    pub active: Option<bool>,
    /// Email address of the person; `Some(None)` removes it.
    pub email: Option<Option<String>>,
}

/// Changes a request, which the caller has locked. The request must have the version that the caller
/// expects. If the change cancels the request, returns the effects of the cancellation.
///
/// A target may be lowered below the number of places taken. The run or the staff who lowered
/// the target must then decide who gives up a place. Until they have decided, no one else
/// takes a place. If the request is cancelled, everyone who is affected is notified.
///
/// # Errors
/// `version_conflict` or `wrong_state`. For a value that cannot be set: `invalid_status`,
/// `invalid_targets`, `service_passed` or `request_exists`.
pub async fn request(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &mut Request,
    wanted: &Amendment,
) -> Result<Option<Cancellation>, Problem> {
    if let Some(expected) = wanted.expected.filter(|expected| *expected != request.version) {
        return Err(requests::version_conflict(expected));
    }
    if wanted.targets.is_some() || wanted.service_time.is_some() {
        rewrite(tx, context, request, wanted).await?;
    }
    match wanted.status {
        None => Ok(None),
        Some(now) if now == request.status => Ok(None),
        Some(RequestStatus::Open) => {
            requests::change(tx, context, request, RequestCause::Open).await.map(|()| None)
        }
        Some(RequestStatus::Closed) => close(tx, context, request).await.map(|()| None),
        Some(RequestStatus::Cancelled) => cancel::cancel(tx, context, request).await.map(Some),
        Some(other) => Err(Problem::caller(
            "invalid_status",
            format!("`{other}` cannot be set: it follows from the places that are taken"),
        )
        .with_hint("set `open`, `closed` or `cancelled`")),
    }
}

/// Sets the targets, the time or both, as one new version of the request.
/// Then wakes the runs that fill roles of the request, because after a target was lowered,
/// enough people may hold places.
async fn rewrite(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &mut Request,
    wanted: &Amendment,
) -> Result<(), Problem> {
    let before = request.service_time;
    if let Some(time) = wanted.service_time {
        request.service_time = checked_time(tx, context, request, time).await?;
        if request.service_time != before {
            request.moved_from = Some(before);
        }
        request.ends_at = requests::service_period(tx, context, time).await?.ends;
    }
    let mut raised = Vec::new();
    let mut lowered = false;
    for (role, target) in wanted.targets.iter().flat_map(Targets::iter) {
        let before = request.targets.of(role);
        lowered |= target < before;
        if target > before {
            raised.push(role);
        }
        request.targets.set(role, target)?;
    }
    let accepted = requests::accepted(tx, request.id).await?;
    let cause = match request.status {
        RequestStatus::Draft => RequestCause::Amend,
        _ => request.targets.fill(&accepted).into(),
    };
    requests::change(tx, context, request, cause).await?;
    if request.service_time != before {
        moving::follow(tx, context, request, before).await?;
    }
    if lowered && request.targets.exceeded(&accepted) {
        data::rebalance::open(tx, request.id, context.about.run, context.now).await?;
    }
    for role in raised {
        places::promote(tx, context, request, role, None).await?;
    }
    requests::close_rebalance_if_balanced(tx, request).await?;
    requests::wake_waiting_runs(tx, request.id).await
}

/// Checks and returns the new time of a request.
async fn checked_time(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &Request,
    time: Timestamp,
) -> Result<Timestamp, Problem> {
    if time == request.service_time {
        return Ok(time);
    }
    if time <= context.now {
        return Err(Problem::caller("service_passed", format!("the service of {time} has begun")));
    }
    if let Some(known) = data::request::live_at(tx, context.tenant, &request.campus, time).await? {
        return Err(Problem::caller(
            "request_exists",
            format!("the service already has the request `{}`", known.id),
        )
        .with_detail(known.id.to_string()));
    }
    Ok(time)
}

/// Closes a request on behalf of staff or a run. Withdraws open offers and questions.
/// People who hold places keep them.
async fn close(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &mut Request,
) -> Result<(), Problem> {
    let open = data::offer::pending_of_request(tx, request.id).await?;
    offers::end(tx, context, &open, crate::offer::OfferCause::CalledOff, Notice::Owed).await?;
    let asked = data::ask::open_of_request(tx, request.id).await?;
    asks::end(tx, context, &asked, ask::AskState::Withdrawn).await?;
    requests::change(tx, context, request, RequestCause::Close).await
}

/// Changes a person's directory entry, and returns the changed entry;
/// `None` if the tenant has no person with this id.
///
/// # Errors
/// Returns errors from the store.
pub async fn person(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    id: PersonId,
    wanted: PersonAmendment,
) -> Result<Option<Person>, Problem> {
    data::person::lock(tx, &[id]).await?;
    let known = data::person::by_ids(tx, context.tenant, &[id]).await?;
    let Some(known) = known.into_iter().next() else { return Ok(None) };
    let person = Person {
        roles: wanted.roles.unwrap_or(known.roles),
        campus: wanted.campus.unwrap_or(known.campus),
        active: wanted.active.unwrap_or(known.active),
        email: wanted.email.unwrap_or(known.email),
        ..known
    };
    data::person::put(tx, context.tenant, std::slice::from_ref(&person), context.now).await?;
    Ok(Some(person))
}
