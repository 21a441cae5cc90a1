//! Gives places to many people who were invited to one request, with a number of statements that does not depend on theirs.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{PersonId, Problem, Timestamp, TypedId as _};
use abide_engine::store::{Tally, Tx};

use super::places::{self, Transition};
use super::{OperationContext, requests};
use crate::assignment::{Assignment, AssignmentCause, AssignmentState};
use crate::data;
use crate::request::Request;

/// The claim of a person who was invited to the role, and who has nothing else in the request and no place in another
/// service at that time.
#[derive(Debug, Clone, Copy)]
pub struct InvitedClaim<'a> {
    /// The person who claims the place.
    pub person: PersonId,
    /// The role of the place.
    pub role: &'a str,
    /// When the person's yes was received.
    pub received_at: Timestamp,
}

/// What a person got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimed {
    /// A place.
    Place,
    /// A rank on the waitlist, because every place is taken.
    Rank,
}

/// Claims that are decided one after another, and written together.
#[derive(Debug)]
pub struct Claims {
    /// The number of taken places by role, with those that these claims take.
    taken: BTreeMap<String, i64>,
    /// The numbers of the taken places by role, with those that these claims take.
    seats: BTreeMap<String, BTreeSet<i64>>,
    made: Vec<Assignment>,
}

impl Claims {
    /// Reads which places of these roles are taken.
    ///
    /// # Errors
    /// Returns errors from the store.
    pub async fn load(
        tx: &mut Tx,
        request: &Request,
        roles: &BTreeSet<&str>,
    ) -> Result<Self, Problem> {
        if roles.is_empty() {
            return Ok(Self { taken: BTreeMap::new(), seats: BTreeMap::new(), made: Vec::new() });
        }
        let taken = requests::accepted(tx, request.id).await?;
        let mut seats = BTreeMap::new();
        for role in roles {
            let of_role = data::assignment::seats(tx, request.id, role).await?;
            seats.insert((*role).to_owned(), of_role);
        }
        Ok(Self { taken, seats, made: Vec::new() })
    }

    /// Decides about a claim, and updates the status of the request.
    ///
    /// # Errors
    /// Returns errors from the store.
    pub async fn add(
        &mut self,
        tx: &mut Tx,
        context: &OperationContext<'_>,
        request: &mut Request,
        claim: InvitedClaim<'_>,
    ) -> Result<Claimed, Problem> {
        let has_room = places::has_room_beside(request, &self.taken, claim.role);
        let cause = if has_room { AssignmentCause::Place } else { AssignmentCause::Queue };
        let was = Some(AssignmentState::Invited);
        let seat = has_room.then(|| self.take_seat(claim.role));
        let assignment = Assignment {
            request: request.id,
            person: claim.person,
            role: claim.role.to_owned(),
            state: AssignmentState::after(was, cause)?,
            seat,
            version: seat.map(|_| request.version),
            ord: Some(tx.next_ord(request.id.uuid())?),
            accepted_at: Some(claim.received_at),
        };
        places::log(tx, context, &assignment, Transition { was, cause, reason: None })?;
        self.made.push(assignment);
        if !has_room {
            return Ok(Claimed::Rank);
        }
        requests::update_status_to(tx, context, request, &self.taken).await?;
        Ok(Claimed::Place)
    }

    /// Takes the place with the lowest number, from 1, that is free in a role.
    fn take_seat(&mut self, role: &str) -> i64 {
        *self.taken.entry(role.to_owned()).or_default() += 1;
        let seats = self.seats.entry(role.to_owned()).or_default();
        let mut free = 1;
        for seat in seats.iter() {
            if *seat != free {
                break;
            }
            free += 1;
        }
        seats.insert(free);
        free
    }

    /// Writes the assignments and the tallies.
    ///
    /// # Errors
    /// Returns errors from the store.
    pub async fn write(
        self,
        tx: &mut Tx,
        tenant: &str,
        request: &Request,
        now: Timestamp,
    ) -> Result<(), Problem> {
        data::assignment::put(tx, tenant, &self.made, now).await?;
        let placed = self.made.iter().filter(|made| made.state == AssignmentState::Accepted);
        let (mut people, mut places) = (Vec::new(), BTreeMap::<&str, i64>::new());
        for made in placed {
            people.push(made.person);
            *places.entry(&made.role).or_default() += 1;
        }
        for (role, yes) in places {
            tx.tally(request.id, role, Tally { yes, ..Tally::default() }).await?;
        }
        Ok(data::person::mark_placed(tx, &people, now).await?)
    }
}
