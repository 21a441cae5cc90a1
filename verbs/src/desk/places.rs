//! Who holds a place, who waits for one, and what a freed place leads to.

use std::collections::BTreeMap;

use abide_engine::base::{PersonId, Problem, RequestId, Timestamp};
use abide_engine::store::{Tally, Tx};
use serde_json::json;

use super::letter::{self, Letter};
use super::{Scene, requests};
use crate::assignment::{Assignment, Cause, State};
use crate::data;
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
    Ok(request.status.is_live() && taken < request.targets.of(role))
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
    write(tx, scene, &assignment, (from, cause)).await?;
    if !room {
        return Ok(Taken::Waitlisted);
    }
    tx.tally(request.id, claim.role, Tally { yes: 1, ..Tally::default() }).await?;
    data::person::placed(tx, claim.person, scene.now).await?;
    requests::settle(tx, scene, request).await?;
    Ok(Taken::Placed)
}

/// Takes a place, or a rank on the waitlist, from somebody who gives it up; whoever waits first
/// moves up and is told. What they held, if they held anything.
///
/// # Errors
/// As the store.
pub async fn release(
    tx: &mut Tx,
    scene: &Scene<'_>,
    request: &mut Request,
    (person, role): (PersonId, &str),
) -> Result<Option<State>, Problem> {
    let known = data::assignment::of_person(tx, request.id, person).await?;
    let held = known
        .into_iter()
        .find(|a| a.role == role && matches!(a.state, State::Accepted | State::Waitlisted));
    let Some(held) = held else { return Ok(None) };
    let was = held.state;
    let cause = Cause::Release;
    let freed =
        Assignment { state: State::after(Some(was), cause)?, seat: None, version: None, ..held };
    write(tx, scene, &freed, (Some(was), cause)).await?;
    if was == State::Accepted {
        tx.tally(request.id, role, Tally { yes: -1, ..Tally::default() }).await?;
        requests::settle(tx, scene, request).await?;
        promote(tx, scene, request, role).await?;
    }
    Ok(Some(was))
}

/// Gives free places to those who wait for them, first come first served, and tells them.
///
/// # Errors
/// As the store, and those of rendering `confirmed`.
pub async fn promote(
    tx: &mut Tx,
    scene: &Scene<'_>,
    request: &mut Request,
    role: &str,
) -> Result<(), Problem> {
    while has_room(tx, request, role).await? {
        let Some(person) = data::assignment::first_waiting(tx, request.id, role).await? else {
            return Ok(());
        };
        let waiting = data::assignment::of_people(tx, request.id, role, &[person]).await?;
        let received_at = waiting.get(&person).and_then(|a| a.accepted_at).unwrap_or(scene.now);
        take(tx, scene, request, Claim { person, role, received_at }).await?;
        let ordinal = data::offer::newest(tx, request.id, person).await?.map(|o| o.ordinal);
        let letter = Letter::about(person, request.id, ordinal.unwrap_or(1));
        let about = about(request, role);
        letter::send(tx, &scene.unasked(), "confirmed", &[letter], &about).await?;
    }
    Ok(())
}

/// The variables of every message about one role of a request.
#[must_use]
pub fn about(request: &Request, role: &str) -> serde_json::Value {
    json!({"role": role, "time": request.service_time.to_string()})
}

async fn write(
    tx: &mut Tx,
    scene: &Scene<'_>,
    assignment: &Assignment,
    (was, cause): (Option<State>, Cause),
) -> Result<(), Problem> {
    data::assignment::put(tx, scene.tenant, assignment, scene.now).await?;
    let body = json!({
        "person": assignment.person,
        "role": assignment.role,
        "was": was.map(State::as_str),
        "cause": cause.as_str(),
        "became": assignment.state.as_str(),
        "seat": assignment.seat,
        "ord": assignment.ord,
    });
    tx.log(assignment.request, "assignment", scene.account, body)?;
    Ok(())
}
