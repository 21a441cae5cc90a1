//! Gives places, takes them back, and moves people up from the waitlist.

use std::collections::BTreeMap;

use abide_engine::base::{PersonId, Problem, RequestId, Timestamp};
use abide_engine::planted::Planted;
use abide_engine::store::{Queued, Tally, Tx};
use serde_json::json;

use super::letter::{self, Letter, Sent};
use super::{Scene, offers, requests};
use crate::assignment::{Assignment, Cause, State};
use crate::data;
use crate::offer;
use crate::request::Request;

/// A person's claim to a place.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The person.
    pub person: PersonId,
    /// The role.
    pub role: &'a str,
    /// When their yes was received.
    pub received_at: Timestamp,
}

/// The result of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// The person got a place.
    Placed,
    /// Every place is taken; the person was put on the waitlist.
    Waitlisted,
    /// Nothing changed: the person already had a place, or already waited and there is still no room.
    Unchanged(State),
    /// Nothing changed: the person has a place in this other role of the same request.
    Elsewhere(String),
}

/// Returns the number of accepted places by role, from the tallies.
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

/// Whether a role of a live request has a free place.
///
/// # Errors
/// Returns errors from the store.
pub async fn has_room(tx: &mut Tx, request: &Request, role: &str) -> Result<bool, Problem> {
    let taken = accepted(tx, request.id).await?.get(role).copied().unwrap_or(0);
    let more = if Planted::OneTooMany.is_in() { 1 } else { 0 };
    Ok(request.status.is_live() && taken < request.targets.of(role) + more)
}

/// Gives a person a place if there is room, otherwise a rank on the waitlist. The order of these calls,
/// under the request's lock, decides who was first. A request that is not live has no room.
///
/// # Errors
/// Returns errors from the store.
pub async fn take(
    tx: &mut Tx,
    scene: &Scene<'_>,
    request: &mut Request,
    claim: Claim<'_>,
) -> Result<Taken, Problem> {
    data::person::lock(tx, &[claim.person]).await?;
    let known = data::assignment::of_person(tx, request.id, claim.person).await?;
    if let Some(place) = known.iter().find(|a| a.state == State::Accepted && a.role != claim.role) {
        return Ok(Taken::Elsewhere(place.role.clone()));
    }
    let from = known.iter().find(|a| a.role == claim.role).map(|a| a.state);
    let room = has_room(tx, request, claim.role).await?;
    match from {
        Some(State::Accepted) => return Ok(Taken::Unchanged(State::Accepted)),
        Some(State::Waitlisted) if !room => return Ok(Taken::Unchanged(State::Waitlisted)),
        _ => {}
    }
    let cause = if room { Cause::Place } else { Cause::Queue };
    let seat = match room {
        true => Some(data::assignment::free_seat(tx, request.id, claim.role).await?),
        false => None,
    };
    let assignment = Assignment {
        request: request.id,
        person: claim.person,
        role: claim.role.to_owned(),
        state: State::after(from, cause)?,
        seat,
        version: seat.map(|_| request.version),
        ord: Some(tx.next_ord(abide_engine::base::TypedId::uuid(request.id))?),
        accepted_at: Some(claim.received_at),
    };
    write(tx, scene, &assignment, Change { was: from, cause, reason: None }).await?;
    if !room {
        return Ok(Taken::Waitlisted);
    }
    // A person has one place in a service: end their open offer and waitlist ranks for other roles.
    if known.iter().any(|a| a.state == State::Invited && a.role != claim.role) {
        let open = data::offer::newest(tx, request.id, claim.person).await?;
        let open = open.filter(|offer| offer.state == offer::State::Pending);
        offers::end(tx, scene, open.as_slice(), offer::Cause::Filled, false).await?;
    }
    for rank in known.into_iter().filter(|a| a.state == State::Waitlisted && a.role != claim.role) {
        let freed = Assignment { state: State::after(Some(rank.state), Cause::Release)?, ..rank };
        let change = Change { was: Some(State::Waitlisted), cause: Cause::Release, reason: None };
        write(tx, scene, &freed, change).await?;
    }
    tx.tally(request.id, claim.role, Tally { yes: 1, ..Tally::default() }).await?;
    data::person::placed(tx, claim.person, scene.now).await?;
    requests::settle(tx, scene, request).await?;
    Ok(Taken::Placed)
}

/// A person who is to lose a place or a rank on the waitlist.
#[derive(Debug, Clone, Copy)]
pub struct Leave<'a> {
    /// The person.
    pub person: PersonId,
    /// The role.
    pub role: &'a str,
    /// [`Cause::Release`], or [`Cause::Rebalance`], which moves a person from a place to the waitlist.
    pub cause: Cause,
    /// The reason that was given, for the ledger.
    pub reason: Option<&'a str>,
}

impl<'a> Leave<'a> {
    /// Builds a release of whatever the person holds in the role.
    #[must_use]
    pub fn release(person: PersonId, role: &'a str) -> Self {
        Self { person, role, cause: Cause::Release, reason: None }
    }
}

/// The result of a leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The state before.
    pub was: State,
    /// The state after.
    pub became: State,
    /// The messages to the people who moved up from the waitlist.
    pub promoted: Vec<Sent>,
}

/// Takes a place or a rank on the waitlist from a person. If that frees a place, the first person on
/// the waitlist moves up and is notified. Returns `None` if the person held nothing to leave.
///
/// # Errors
/// Returns errors from the store, and from rendering `confirmed`.
pub async fn leave(
    tx: &mut Tx,
    scene: &Scene<'_>,
    request: &mut Request,
    leave: Leave<'_>,
) -> Result<Option<Left>, Problem> {
    let Leave { person, role, cause, reason } = leave;
    let known = data::assignment::of_person(tx, request.id, person).await?;
    let held = known
        .into_iter()
        .find(|held| held.role == role && State::after(Some(held.state), cause).is_ok());
    let Some(held) = held else { return Ok(None) };
    let was = held.state;
    let became = State::after(Some(was), cause)?;
    let freed = Assignment { state: became, seat: None, version: None, ..held };
    write(tx, scene, &freed, Change { was: Some(was), cause, reason }).await?;
    let mut promoted = Vec::new();
    if was == State::Accepted {
        tx.tally(request.id, role, Tally { yes: -1, ..Tally::default() }).await?;
        requests::settle(tx, scene, request).await?;
        requests::note_balance(tx, request).await?;
        promoted = promote(tx, scene, request, (role, Some(person))).await?;
    }
    Ok(Some(Left { was, became, promoted }))
}

/// Gives free places to the people on the waitlist, first come, first served, and notifies them. Skips
/// `but`, the person who is just leaving.
///
/// # Errors
/// Returns errors from the store, and from rendering `confirmed`.
pub async fn promote(
    tx: &mut Tx,
    scene: &Scene<'_>,
    request: &mut Request,
    (role, but): (&str, Option<PersonId>),
) -> Result<Vec<Sent>, Problem> {
    let mut told = Vec::new();
    while has_room(tx, request, role).await? {
        let next = data::assignment::first_waiting(tx, (request.id, role), but).await?;
        let Some(person) = next else { break };
        let mut waiting = data::assignment::of_people(tx, request.id, role, &[person]).await?;
        let Some(waiting) = waiting.remove(&person) else { break };
        let received_at = waiting.accepted_at.unwrap_or(scene.now);
        take(tx, scene, request, Claim { person, role, received_at }).await?;
        told.extend(confirm(tx, &scene.unasked(), request, &waiting).await?);
    }
    Ok(told)
}

/// Notifies a person who moved up from the waitlist. If they had a place before, the usual key of
/// `confirmed` is already used: this message then takes the person's waitlist rank into its key, or
/// it would count as a repetition of the first.
async fn confirm(
    tx: &mut Tx,
    scene: &Scene<'_>,
    request: &Request,
    waited: &Assignment,
) -> Result<Vec<Sent>, Problem> {
    let ordinal = data::offer::newest(tx, request.id, waited.person).await?.map(|o| o.ordinal);
    let first = Letter::about(waited.person, request.id, ordinal.unwrap_or(1));
    let about = letter::about(request, &waited.role);
    let sent = letter::send(tx, scene, "confirmed", std::slice::from_ref(&first), &about).await?;
    if !sent.iter().any(|one| matches!(one.queued, Queued::Already(_))) {
        return Ok(sent);
    }
    let again =
        Letter { occasion: Some(format!("rank{}", waited.ord.unwrap_or_default())), ..first };
    letter::send(tx, scene, "confirmed", &[again], &about).await
}

/// The transition that an assignment has made.
#[derive(Clone, Copy)]
struct Change<'a> {
    was: Option<State>,
    cause: Cause,
    reason: Option<&'a str>,
}

async fn write(
    tx: &mut Tx,
    scene: &Scene<'_>,
    assignment: &Assignment,
    change: Change<'_>,
) -> Result<(), Problem> {
    data::assignment::put(tx, scene.tenant, assignment, scene.now).await?;
    let mut body = json!({
        "person": assignment.person,
        "role": assignment.role,
        "was": change.was.map(State::as_str),
        "cause": change.cause.as_str(),
        "became": assignment.state.as_str(),
        "seat": assignment.seat,
        "ord": assignment.ord,
    });
    if let Some(reason) = change.reason {
        body["reason"] = reason.into();
    }
    tx.log(assignment.request, "assignment", scene.account, body)?;
    Ok(())
}
