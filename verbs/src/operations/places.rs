//! Gives places to people, takes places back, and moves people up from the waitlist.

use std::collections::BTreeMap;

use abide_engine::base::{PersonId, Problem, Timestamp};
use abide_engine::planted::PlantedFault;
use abide_engine::store::{Queued, Tally, Tx};
use serde_json::json;

use super::messages::{self, MessageDraft, QueuedMessage};
use super::offers::Notice;
use super::{OperationContext, offers, requests};
use crate::assignment::{Assignment, AssignmentCause, AssignmentState};
use crate::data;
use crate::data::assignment::HeldElsewhere;
use crate::event::ChurchEventKind;
use crate::offer;
use crate::request::Request;

/// A person's claim to a place.
#[derive(Debug, Clone, Copy)]
pub struct PlaceClaim<'a> {
    /// The person who claims the place.
    pub person: PersonId,
    /// The role of the place.
    pub role: &'a str,
    /// When the person's yes was received.
    pub received_at: Timestamp,
}

/// The result of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimResult {
    /// The person got a place.
    Placed,
    /// Every place is taken; the person was put on the waitlist.
    Waitlisted,
    /// Nothing changed: the person already had a place,
    /// or was already on the waitlist and there is still no room.
    Unchanged(AssignmentState),
    /// Nothing changed: the person has a place in this other role of the same request.
    Elsewhere(String),
    /// Nothing changed: the person has a place in another service that overlaps this one.
    Clash(HeldElsewhere),
}

/// Whether a role of a live request has a free place.
///
/// # Errors
/// Returns errors from the store.
pub async fn has_room(tx: &mut Tx, request: &Request, role: &str) -> Result<bool, Problem> {
    Ok(has_room_beside(request, &requests::accepted(tx, request.id).await?, role))
}

/// Whether a role of a live request has a free place beside those that are taken.
pub(super) fn has_room_beside(
    request: &Request,
    taken: &BTreeMap<String, i64>,
    role: &str,
) -> bool {
    let taken = taken.get(role).copied().unwrap_or(0);
    let more = if PlantedFault::TargetExceeded.is_active() { 1 } else { 0 };
    request.status.is_live() && taken < request.targets.of(role) + more
}

/// Gives a person a place if there is room, or else a rank on the waitlist.
/// The claims for one request are processed one after the other, because each caller
/// has locked the request.
/// A request that is not live has no room.
///
/// # Errors
/// Returns errors from the store.
pub async fn claim(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &mut Request,
    claim: PlaceClaim<'_>,
) -> Result<ClaimResult, Problem> {
    data::person::lock(tx, &[claim.person]).await?;
    let known = data::assignment::of_person(tx, request.id, claim.person).await?;
    if let Some(place) =
        known.iter().find(|a| a.state == AssignmentState::Accepted && a.role != claim.role)
    {
        return Ok(ClaimResult::Elsewhere(place.role.clone()));
    }
    if let Some(held) = data::assignment::clash(tx, request, claim.person).await? {
        return Ok(ClaimResult::Clash(held));
    }
    let from = known.iter().find(|a| a.role == claim.role).map(|a| a.state);
    let room = has_room(tx, request, claim.role).await?;
    match from {
        Some(AssignmentState::Accepted) => {
            return Ok(ClaimResult::Unchanged(AssignmentState::Accepted));
        }
        Some(AssignmentState::Waitlisted) if !room => {
            return Ok(ClaimResult::Unchanged(AssignmentState::Waitlisted));
        }
        _ => {}
    }
    let cause = if room { AssignmentCause::Place } else { AssignmentCause::Queue };
    let seat = match room {
        true => Some(data::assignment::free_seat(tx, request.id, claim.role).await?),
        false => None,
    };
    let assignment = Assignment {
        request: request.id,
        person: claim.person,
        role: claim.role.to_owned(),
        state: AssignmentState::after(from, cause)?,
        seat,
        version: seat.map(|_| request.version),
        ord: Some(tx.next_ord(abide_engine::base::TypedId::uuid(request.id))?),
        accepted_at: Some(claim.received_at),
    };
    write(tx, context, &assignment, Transition { was: from, cause, reason: None }).await?;
    if !room {
        return Ok(ClaimResult::Waitlisted);
    }
    // A person has at most one place in a service,
    // so the open offer and waitlist ranks for other roles end.
    if known.iter().any(|a| a.state == AssignmentState::Invited && a.role != claim.role) {
        let open = data::offer::newest(tx, request.id, claim.person).await?;
        let open = open.filter(|offer| offer.state == offer::OfferState::Pending);
        offers::end(tx, context, open.as_slice(), offer::OfferCause::Filled, Notice::None).await?;
    }
    for rank in
        known.into_iter().filter(|a| a.state == AssignmentState::Waitlisted && a.role != claim.role)
    {
        drop_rank(tx, context, rank).await?;
    }
    tx.tally(request.id, claim.role, Tally { yes: 1, ..Tally::default() }).await?;
    data::person::mark_placed(tx, &[claim.person], context.now).await?;
    requests::update_status(tx, context, request).await?;
    Ok(ClaimResult::Placed)
}

/// What is to be taken from a person: a place, or a rank on the waitlist.
#[derive(Debug, Clone, Copy)]
pub struct PlaceRelease<'a> {
    /// The person who loses the place or rank.
    pub person: PersonId,
    /// The role of the place or rank.
    pub role: &'a str,
    /// The cause: [`AssignmentCause::Release`], or [`AssignmentCause::Rebalance`]
    /// if the person moves from a place to the waitlist.
    pub cause: AssignmentCause,
    /// The reason for the release, which the ledger records; `None` if nobody gave one.
    pub reason: Option<&'a str>,
}

impl<'a> PlaceRelease<'a> {
    /// Builds the release of whatever the person has in the role: a place or a waitlist rank.
    #[must_use]
    pub fn of(person: PersonId, role: &'a str) -> Self {
        Self { person, role, cause: AssignmentCause::Release, reason: None }
    }
}

/// The result of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseResult {
    /// The state of the assignment before the release.
    pub was: AssignmentState,
    /// The state of the assignment after the release.
    pub became: AssignmentState,
    /// The messages to the people who moved up from the waitlist.
    pub promoted: Vec<QueuedMessage>,
}

/// Takes a place or a rank on the waitlist from a person. If that frees a place,
/// the first person on the waitlist moves up and is notified.
/// Returns `None` if the person's state in the role does not allow the cause of the release.
///
/// # Errors
/// Returns errors from the store, and from rendering the template `confirmed`.
pub async fn release(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &mut Request,
    wanted: PlaceRelease<'_>,
) -> Result<Option<ReleaseResult>, Problem> {
    let PlaceRelease { person, role, cause, reason } = wanted;
    let known = data::assignment::of_person(tx, request.id, person).await?;
    let held = known
        .into_iter()
        .find(|held| held.role == role && AssignmentState::after(Some(held.state), cause).is_ok());
    let Some(held) = held else { return Ok(None) };
    let was = held.state;
    let became = AssignmentState::after(Some(was), cause)?;
    let freed = Assignment { state: became, seat: None, version: None, ..held };
    write(tx, context, &freed, Transition { was: Some(was), cause, reason }).await?;
    let mut promoted = Vec::new();
    if was == AssignmentState::Accepted {
        tx.tally(request.id, role, Tally { yes: -1, ..Tally::default() }).await?;
        requests::update_status(tx, context, request).await?;
        requests::close_rebalance_if_balanced(tx, request).await?;
        promoted = promote(tx, context, request, role, Some(person)).await?;
    }
    Ok(Some(ReleaseResult { was, became, promoted }))
}

/// Gives free places to the people on the waitlist, first come, first served. Notifies these people,
/// and returns the messages to them. Skips the person `but`, who has just lost a place.
///
/// # Errors
/// Returns errors from the store, and from rendering the template `confirmed`.
pub async fn promote(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &mut Request,
    role: &str,
    but: Option<PersonId>,
) -> Result<Vec<QueuedMessage>, Problem> {
    let mut queued = Vec::new();
    while has_room(tx, request, role).await? {
        let next = data::assignment::first_waiting(tx, request.id, role, but).await?;
        let Some(person) = next else { break };
        let mut waiting = data::assignment::of_people(tx, request.id, role, &[person]).await?;
        let Some(waiting) = waiting.remove(&person) else { break };
        let received_at = waiting.accepted_at.unwrap_or(context.now);
        let claimed = PlaceClaim { person, role, received_at };
        if let ClaimResult::Clash(_) = claim(tx, context, request, claimed).await? {
            drop_rank(tx, context, waiting).await?; // they found a place in another service since
            continue;
        }
        queued.extend(confirm(tx, &context.unasked(), request, &waiting).await?);
    }
    Ok(queued)
}

/// Takes a rank on the waitlist from a person who can no longer serve.
async fn drop_rank(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    waiting: Assignment,
) -> Result<(), Problem> {
    let (was, cause) = (Some(waiting.state), AssignmentCause::Release);
    let freed = Assignment { state: AssignmentState::after(was, cause)?, ..waiting };
    write(tx, context, &freed, Transition { was, cause, reason: None }).await
}

/// Notifies a person who moved up from the waitlist. If the person had a place before, the usual key
/// of the message `confirmed` is already used. The message then gets another key, which includes
/// the person's waitlist rank. Returns the message.
async fn confirm(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: &Request,
    waited: &Assignment,
) -> Result<Vec<QueuedMessage>, Problem> {
    let ordinal = data::offer::newest(tx, request.id, waited.person).await?.map(|o| o.ordinal);
    let first = MessageDraft::about_offer(waited.person, request.id, ordinal.unwrap_or(1));
    let about = messages::role_variables(request, &waited.role);
    let sent =
        messages::send(tx, context, "confirmed", std::slice::from_ref(&first), &about).await?;
    if !sent.iter().any(|one| matches!(one.queued, Queued::Duplicate(_))) {
        return Ok(sent);
    }
    let again =
        MessageDraft { occasion: Some(format!("rank{}", waited.ord.unwrap_or_default())), ..first };
    messages::send(tx, context, "confirmed", &[again], &about).await
}

/// The change of an assignment's state, with its cause.
#[derive(Clone, Copy)]
pub(super) struct Transition<'a> {
    pub(super) was: Option<AssignmentState>,
    pub(super) cause: AssignmentCause,
    pub(super) reason: Option<&'a str>,
}

async fn write(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    assignment: &Assignment,
    transition: Transition<'_>,
) -> Result<(), Problem> {
    data::assignment::put(tx, context.tenant, std::slice::from_ref(assignment), context.now)
        .await?;
    log(tx, context, assignment, transition)
}

/// Records the change of an assignment in the ledger.
pub(super) fn log(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    assignment: &Assignment,
    transition: Transition<'_>,
) -> Result<(), Problem> {
    let mut body = json!({
        "person": assignment.person,
        "role": assignment.role,
        "was": transition.was.map(AssignmentState::as_str),
        "cause": transition.cause.as_str(),
        "became": assignment.state.as_str(),
        "seat": assignment.seat,
        "ord": assignment.ord,
    });
    if let Some(reason) = transition.reason {
        body["reason"] = reason.into();
    }
    tx.log(assignment.request, ChurchEventKind::Assignment, context.about, body)?;
    Ok(())
}
