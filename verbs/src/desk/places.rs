//! Who holds a place, who waits for one, and what a freed place leads to.

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

/// Somebody who wants a place.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// Who.
    pub person: PersonId,
    /// For what.
    pub role: &'a str,
    /// When their yes was received.
    pub received_at: Timestamp,
}

/// What became of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// They have a place now.
    Placed,
    /// Every place is taken; they wait.
    Waitlisted,
    /// They had one, or waited, already: nothing changed.
    Unchanged(State),
    /// They have a place in another role of the same request.
    Elsewhere(String),
}

/// Accepted places by role, from the tallies.
///
/// # Errors
/// As the store.
pub async fn accepted(tx: &mut Tx, request: RequestId) -> Result<BTreeMap<String, i64>, Problem> {
    let tallies = tx.request_tallies(request).await?;
    Ok(tallies
        .into_iter()
        .filter(|(cell, _)| !cell.contains('#'))
        .map(|(cell, tally)| (cell, tally.yes))
        .collect())
}

/// True where a role of a live request has a place that nobody holds.
///
/// # Errors
/// As the store.
pub async fn has_room(tx: &mut Tx, request: &Request, role: &str) -> Result<bool, Problem> {
    let taken = accepted(tx, request.id).await?.get(role).copied().unwrap_or(0);
    let more = if Planted::OneTooMany.is_in() { 1 } else { 0 };
    Ok(request.status.is_live() && taken < request.targets.of(role) + more)
}

/// Gives somebody a place if there is one, else a rank on the waitlist. The order in which claims
/// come here, under the lock, decides who was first.
///
/// # Errors
/// `wrong_state` for a request that takes nobody any more.
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
    // One person has one place in a service: who has it is asked for no other, and waits for none.
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

/// Somebody who is to leave a place, or a rank on the waitlist.
#[derive(Debug, Clone, Copy)]
pub struct Leave<'a> {
    /// Who.
    pub person: PersonId,
    /// Of what.
    pub role: &'a str,
    /// [`Cause::Release`], or [`Cause::Rebalance`], which leaves a rank on the waitlist.
    pub cause: Cause,
    /// Why, in the words of whoever decided it.
    pub reason: Option<&'a str>,
}

impl<'a> Leave<'a> {
    /// Gives up whatever they hold.
    #[must_use]
    pub fn release(person: PersonId, role: &'a str) -> Self {
        Self { person, role, cause: Cause::Release, reason: None }
    }
}

/// What became of a leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// What they held.
    pub was: State,
    /// What they are now.
    pub became: State,
    /// Who moved up, and was told.
    pub promoted: Vec<Sent>,
}

/// Takes a place, or a rank on the waitlist, from somebody; whoever waits first moves up and is
/// told. None where they held nothing that they could leave.
///
/// # Errors
/// As the store.
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

/// Gives free places to those who wait for them, first come first served, and tells them; `but`
/// for somebody who is just leaving.
///
/// # Errors
/// As the store, and those of rendering `confirmed`.
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

/// Tells somebody who waited that they have a place now. Who had one before was told so then: the
/// second time the message carries the rank that they waited at, else it would pass for the first.
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

/// Why an assignment is written anew.
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
